//! Pages: fields, tables, and what strangers wrote in them.

use super::{Fields, Out, Table};
use crate::cli::text::Text;
use crate::model::asserted::Asserted;

#[test]
fn fields_line_up_by_columns_of_the_screen_and_not_by_bytes() {
    let mut fields = Fields::new();
    fields.add("commit", "abc").add("世界", "wide").add("née", "accent").add_some("none", None::<&str>);
    let mut out = Out::new(false, None);
    out.fields(&fields);
    assert_eq!(out.as_str(), "commit  abc\n世界    wide\nnée     accent\n");
}

#[test]
fn tables_line_up_and_leave_no_space_at_the_end() {
    let mut table = Table::headed(&["LABEL", "ID", "NOTE"]);
    table.row(["a".into(), "key_1".into(), Text::new()]).row(["longer".into(), "k".into(), "x".into()]);
    let mut out = Out::new(false, None);
    out.table(&table);
    assert_eq!(out.as_str(), "LABEL   ID     NOTE\na       key_1\nlonger  k      x\n");
}

#[test]
fn every_way_onto_the_page_escapes_what_strangers_wrote() {
    let evil = "\x1b[31m\u{202e}";
    let mut out = Out::new(true, Some(80));
    out.line(evil);
    out.indented(2, Text::dim(evil).then(evil));
    out.paragraph(evil);
    out.command(evil);
    out.block(2, "first\r\n\x1b[31mverified");
    out.asserted(&Asserted::one("\x1b[31mname", evil));
    let mut fields = Fields::new();
    fields.add(evil, Text::bytes(evil.as_bytes()));
    out.fields(&fields);
    let mut table = Table::headed(&[evil]);
    table.row([Text::path(evil.as_ref())]);
    out.table(&table);
    assert!(!out.as_str().contains("\x1b[31m"), "the stranger's colour got through: {:?}", out.as_str());
    assert!(!out.as_str().contains('\u{202e}'));
    assert_eq!(out.as_str().matches("\\x1b[31m").count(), 12);
}

#[test]
fn a_strangers_lines_are_set_in_below_each_other() {
    let mut out = Out::new(false, None);
    out.block(4, "one\r\nhint: two\n");
    assert_eq!(out.as_str(), "    one\n    hint: two\n");
}

#[test]
fn colour_is_written_only_when_asked_for_and_ends_where_the_piece_ends() {
    let line = Text::green("verified").then(" ").then(Text::bold("abc"));
    let mut plain = Out::new(false, None);
    plain.line(line.clone());
    assert_eq!(plain.as_str(), "verified abc\n");
    let mut styled = Out::new(true, None);
    styled.line(line);
    assert_eq!(styled.as_str(), "\x1b[32mverified\x1b[0m \x1b[1mabc\x1b[0m\n");
}

#[test]
fn on_a_terminal_the_value_wraps_below_itself_and_a_long_word_stays_whole() {
    let mut fields = Fields::new();
    fields.add("reason", "one two three four five six seven").add("id", "0123456789012345678901234567890123456789");
    let mut out = Out::new(false, Some(30));
    out.fields(&fields);
    assert_eq!(
        out.as_str(),
        "reason  one two three four\n        five six seven\nid      0123456789012345678901234567890123456789\n"
    );
}

#[test]
fn a_command_is_never_wrapped() {
    let mut out = Out::new(false, Some(20));
    out.command("git boundary propose --key codex");
    assert_eq!(out.as_str(), "  git boundary propose --key codex\n");
}

#[test]
fn a_row_may_be_shorter_than_others() {
    let mut table = Table::new();
    table.row(["a".into()]).row(["bb".into(), "c".into()]).row([]);
    let mut out = Out::new(false, None);
    out.table(&table);
    assert_eq!(out.as_str(), "a\nbb  c\n");
}
