//! Trying again after another writer was faster.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::RefError;

/// Enough for forty writers at once on two cores, with room.
const ATTEMPTS: u32 = 200;
const LONGEST_WAIT_MICROS: u64 = 40_000;

/// Calls `step` until it gives a value; `None` from it means that the ref named `name` was changed by somebody else.
///
/// The first attempt is made at once; before each later one there is a short random wait, so that writers that met once
/// do not meet again in step.
///
/// # Errors
/// What `step` gives, or [`RefError::Contended`] when the attempts are used up.
pub fn retry<T, E: From<RefError>>(name: &str, mut step: impl FnMut() -> Result<Option<T>, E>) -> Result<T, E> {
    let random = RandomState::new();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            let longest = (500_u64 << attempt.min(10)).min(LONGEST_WAIT_MICROS);
            std::thread::sleep(Duration::from_micros(random.hash_one(attempt) % longest));
        }
        if let Some(value) = step()? {
            return Ok(value);
        }
    }
    Err(RefError::Contended { name: name.to_owned(), attempts: ATTEMPTS }.into())
}
