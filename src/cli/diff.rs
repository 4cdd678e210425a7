//! What a write would change, for an owner to read: lines by somebody else, each escaped and marked at the margin.

use similar::{Algorithm, ChangeTag, TextDiff};

use super::out::Out;
use super::text::Text;

/// Lines around a change that are shown with it.
const AROUND: usize = 3;
/// Lines of either side past which the sides are shown one behind the other: comparing them would take longer than reading.
const MOST_COMPARED: usize = 20_000;

/// Shows the whole difference between what is there (`None` for nothing) and what is to be there, however long: who signs has seen it.
/// Bytes that are no UTF-8 are shown as such.
pub(super) fn show(out: &mut Out, before: Option<&[u8]>, after: &[u8]) {
    let old = before.unwrap_or_default();
    if before.is_some() && old == after {
        out.indented(2, "no difference: the file holds these bytes already");
        return;
    }
    let (one, two) = (lines(old), lines(after));
    if one.len() + two.len() > MOST_COMPARED {
        for (tag, side) in [(ChangeTag::Delete, &one), (ChangeTag::Insert, &two)] {
            side.iter().enumerate().for_each(|(at, text)| match tag {
                ChangeTag::Insert => line(out, tag, None, Some(at), text),
                _ => line(out, tag, Some(at), None, text),
            });
        }
        return;
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&one, &two);
    for (place, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if place > 0 {
            out.indented(2, Text::dim("…"));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            line(out, change.tag(), change.old_index(), change.new_index(), change.value());
        }
    }
}

/// Lines with the newline that ends each.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn line(out: &mut Out, tag: ChangeTag, old: Option<usize>, new: Option<usize>, text: &[u8]) {
    let number = |at: Option<usize>| at.map_or_else(|| "    ".to_owned(), |at| format!("{:>4}", at + 1));
    let (bare, ends) = match text.strip_suffix(b"\n") {
        Some(bare) => (bare, true),
        None => (text, false),
    };
    let sign = match tag {
        ChangeTag::Delete => Text::red("-"),
        ChangeTag::Insert => Text::green("+"),
        ChangeTag::Equal => Text::from(" "),
    };
    let margin = Text::dim(format!("{} {} ", number(old), number(new)));
    out.indented(2, margin.then(sign).then(Text::bytes(bare)));
    // What is shown for them stands in honest files as well.
    if !is_printed(bare) {
        out.indented(2, Text::yellow("          ^ has characters that can't be printed, shown as \\x or \\u"));
    }
    if !ends {
        out.indented(2, Text::dim("          ^ no newline at the end"));
    }
}

/// Whether all of a line is what it looks like: no controls but tabs, no invisible or turning characters, nothing that is no UTF-8.
fn is_printed(bare: &[u8]) -> bool {
    let plain = |it: char| it == '\t' || (!it.is_control() && Text::from(it).width() > 0);
    std::str::from_utf8(bare).is_ok_and(|text| {
        text.is_ascii() && text.chars().all(plain) || text.chars().all(|it| plain(it) && !is_hidden(it))
    })
}

/// Characters that look like nothing, like a space, or turn others around.
fn is_hidden(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{ad}' | '\u{115f}'..='\u{1160}' | '\u{1680}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}')
}
