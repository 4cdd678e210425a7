//! Entries: one text for one leaf.

use git_boundary::ledger::Entry;

use super::super::gate::parts::digest;
use super::super::vector::{Vector, all_come_to_what_they_expect};
use super::entry;

pub fn vectors() -> Vec<Vector> {
    let text = entry(1).to_string();
    let one = |name: &str, expect: &str, about: &str, body: String| {
        Vector::new(format!("ledger-entries/{name}.entry"), expect, about, body)
    };
    let replaced = |name: &str, expect: &str, about: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{name}: {from} is in the entry");
        one(name, expect, about, text.replacen(from, to, 1))
    };
    let oid = "01".repeat(20);
    let artifact = digest(1).to_string();
    let at = "1780704001";
    let no_time =
        |found: &str| format!("time: \"{found}\" is no canonical number of seconds between 1970 and the year 9999");
    vec![
        one("valid", &format!("annotates {oid} at 2026-06-06T00:00:01Z"), "nothing is wrong with it", text.clone()),
        one(
            "valid-annotating-nothing",
            "annotates nothing at 2026-06-06T00:00:03Z",
            "a line beside no object",
            entry(3).to_string(),
        ),
        replaced(
            "valid-sha-256-object",
            &format!("annotates {} at …", "01".repeat(32)),
            "64 digits",
            &format!(" {oid} "),
            &format!(" {} ", "01".repeat(32)),
        ),
        one("empty", "the entry does not end with a newline", "nothing", String::new()),
        one("no-newline", "the entry does not end with a newline", "cut short", text.trim_end().to_owned()),
        replaced("carriage-return", &no_time("1780704001\\r"), "line endings were converted", "\n", "\r\n"),
        replaced("two-spaces", "the entry has 5 fields instead of 4", "two spaces between fields", " ", "  "),
        replaced("three-fields", "the entry has 3 fields instead of 4", "no time", &format!(" {at}"), ""),
        replaced("five-fields", "the entry has 5 fields instead of 4", "something more", at, "1780704001 x"),
        replaced(
            "tab",
            "the entry has 3 fields instead of 4",
            "a tab for a space",
            &format!(" {at}"),
            &format!("\t{at}"),
        ),
        replaced(
            "artifact-id-for-a-digest",
            "artifact: \"art_…\" is no digest…",
            "the short name, which others can have too",
            &artifact,
            &format!("art_{}", &artifact[7..39]),
        ),
        replaced("digest-in-capitals", "artifact: …is no digest…", "a second spelling", "sha256:01", "SHA256:01"),
        replaced("line-without-algorithm", "line: …is no digest…", "bare hex", " sha256:", " "),
        replaced(
            "zero-object",
            "annotated object: the zero id stands for nothing, which is written \"-\"",
            "a second spelling of nothing",
            &format!(" {oid} "),
            &format!(" {} ", "0".repeat(40)),
        ),
        replaced(
            "short-object",
            "annotated object: …is no git object id…",
            "39 digits",
            &format!(" {oid} "),
            &format!(" {} ", &oid[1..]),
        ),
        replaced("time-with-a-leading-zero", &no_time("01780704001"), "a second spelling", at, "01780704001"),
        replaced("time-with-a-sign", &no_time("+1780704001"), "a second spelling", at, "+1780704001"),
        replaced("time-before-1970", &no_time("-1"), "before the first second", at, "-1"),
        replaced("time-past-9999", &no_time("253402300800"), "one second too late to be written", at, "253402300800"),
        replaced(
            "time-past-all-bounds",
            &no_time("99999999999999999999"),
            "more than fits",
            at,
            "99999999999999999999",
        ),
        one("two-entries", "the entry has 7 fields instead of 4", "two lines in one", format!("{text}{text}")),
    ]
}

#[test]
fn every_ledger_entry_is_read_as_it_deserves() {
    all_come_to_what_they_expect("ledger-entries", |vector| match Entry::parse(&vector.body) {
        Ok(entry) => {
            assert_eq!(entry.to_string().as_bytes(), vector.body, "one entry has one spelling");
            let annotated = entry.annotated.map_or_else(|| "nothing".to_owned(), |oid| oid.to_string());
            format!("annotates {annotated} at {}", entry.at)
        }
        Err(error) => error.to_string(),
    });
}
