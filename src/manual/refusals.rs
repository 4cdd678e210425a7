//! The page `refusals`, made from the codes themselves, so that it can't fall behind them.

use std::fmt::Write as _;

use crate::model::refusal::Code;

const HEAD: &str = "\
# Refusals

A refusal is an answer, not an error: the exit status is 1, a signed receipt of it is kept, and nothing was changed.
Every check that has something to say says it. The codes are ranked from the most fundamental down; the first of them is the
primary code, and mending that one first is never wasted.

Where something needed to judge is not here, the answer is `undecided` with exit status 2. Codes that claim an absence are then
not raised at all: what was not looked at is not absent.

";

/// The page, in Markdown.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for code in Code::ALL {
        let (rank, when, safe) = (code.rank(), code.when(), code.safe_next_action());
        // Writing to a String can't fail.
        let _ = write!(page, "## {rank}. {code}\n\nRaised when {when}.\n\nWhat is safe: {safe}\n\n");
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}
