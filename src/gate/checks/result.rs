//! RESULT: work receipts. At a push there is no result yet to judge.

use super::Found;
use crate::gate::case::Case;

/// Runs the check. A proposed change has no result before it is admitted, so that there is nothing to judge.
pub fn check(_case: &Case<'_>) -> Found {
    None
}
