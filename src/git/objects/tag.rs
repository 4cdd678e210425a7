//! Annotated tags: only what they point at.

use super::ObjectError;
use crate::git::object_format::ObjectFormat;
use crate::model::id::Oid;

/// The object a tag names.
pub(super) fn target(oid: Oid, raw: &[u8], format: ObjectFormat) -> Result<Oid, ObjectError> {
    raw.split(|byte| *byte == b'\n')
        .next()
        .and_then(|line| std::str::from_utf8(line.strip_prefix(b"object ")?).ok()?.parse::<Oid>().ok())
        .filter(|target| format.fits(target))
        .ok_or_else(|| ObjectError::Malformed { oid, defect: "its first line names no object".to_owned() })
}
