//! The change list: what a change does to the tree, independent of the commits that carry it (contract, section 7).

use crate::model::id::Oid;

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// From the top of the tree; any bytes but NUL.
    pub path: Vec<u8>,
    /// Mode (six octal digits) and object before, if it was there.
    pub old: Option<(&'static str, Oid)>,
    /// Mode (six octal digits) and object after, if it is there.
    pub new: Option<(&'static str, Oid)>,
}

/// The bytes whose blob id names the list: per path `<old mode> <old id> <new mode> <new id>`, a tab, the path and NUL, by path.
///
/// NUL is the one byte that no path holds, so that two lists are equal exactly when their bytes are.
pub fn encode(changes: &[Change]) -> Vec<u8> {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort();
    let mut out = Vec::new();
    for change in sorted {
        for side in [&change.old, &change.new] {
            match side {
                Some((mode, oid)) => out.extend_from_slice(format!("{mode} {oid} ").as_bytes()),
                None => out.extend_from_slice(b"000000 - "),
            }
        }
        out.pop();
        out.push(b'\t');
        out.extend_from_slice(&change.path);
        out.push(0);
    }
    out
}
