//! From two states of a path to the words for what was done to it.

use crate::git::objects::Mode;
use crate::model::id::Oid;
use crate::model::operation::Operation;

/// In the order of [`Operation::ALL`]; empty when nothing was done.
pub(super) fn between(old: Option<(Mode, Oid)>, new: Option<(Mode, Oid)>) -> Vec<Operation> {
    if old == new {
        return Vec::new();
    }
    let mut found = Vec::new();
    match (old, new) {
        (None, _) => found.push(Operation::Add),
        (_, None) => found.push(Operation::Delete),
        (Some((old_mode, old_oid)), Some((new_mode, new_oid))) => {
            if old_oid != new_oid {
                found.push(Operation::Modify);
            }
            if old_mode != new_mode {
                found.push(Operation::Mode);
            }
        }
    }
    let either = |mode| [old, new].iter().flatten().any(|(found, _)| *found == mode);
    if either(Mode::Symlink) {
        found.push(Operation::Symlink);
    }
    if either(Mode::Submodule) {
        found.push(Operation::Submodule);
    }
    found
}
