//! What a write would change, for an owner to read: lines by somebody else, each escaped and marked at the margin.

use similar::{ChangeTag, TextDiff};

use super::out::Out;
use super::text::Text;

/// Lines around a change that are shown with it.
const AROUND: usize = 3;
/// Lines that are shown before the rest is counted: nobody reads more on a terminal.
const MOST_LINES: usize = 400;
/// Bytes of either side past which lines are not compared.
const LARGEST: usize = 1 << 20;

/// Shows the difference between what is there (`None` for nothing) and what is to be there.
pub(super) fn show(out: &mut Out, before: Option<&[u8]>, after: &[u8]) {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(before.unwrap_or_default()), std::str::from_utf8(after)) else {
        out.indented(2, "not UTF-8 text: no lines to show; the bytes are those of the digests above");
        return;
    };
    if old.len() > LARGEST || new.len() > LARGEST {
        out.indented(2, "too large to be compared by lines");
        return;
    }
    if before.is_some() && old == new {
        out.indented(2, "no difference: the file holds these bytes already");
        return;
    }
    let diff = TextDiff::from_lines(old, new);
    let (mut shown, mut left) = (0, 0);
    for (place, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if place > 0 && shown < MOST_LINES {
            out.indented(2, Text::dim("…"));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if shown == MOST_LINES {
                left += 1;
                continue;
            }
            shown += 1;
            line(out, change.tag(), change.old_index(), change.new_index(), change.value());
        }
    }
    if left > 0 {
        out.indented(2, Text::yellow(format!("and {left} more lines, which are not shown")));
    }
}

fn line(out: &mut Out, tag: ChangeTag, old: Option<usize>, new: Option<usize>, text: &str) {
    let number = |at: Option<usize>| at.map_or_else(|| "    ".to_owned(), |at| format!("{:>4}", at + 1));
    let (bare, ends) = match text.strip_suffix('\n') {
        Some(bare) => (bare, true),
        None => (text, false),
    };
    let sign = match tag {
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
        ChangeTag::Equal => ' ',
    };
    let margin = Text::dim(format!("{} {} ", number(old), number(new)));
    let body = format!("{sign}{bare}");
    let body = match tag {
        ChangeTag::Delete => Text::red(body),
        ChangeTag::Insert => Text::green(body),
        ChangeTag::Equal => Text::from(body),
    };
    out.indented(2, margin.then(body));
    if !ends {
        out.indented(2, Text::dim("          \\ no newline at the end"));
    }
}
