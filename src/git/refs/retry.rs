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
            back_off(&random, attempt, Duration::from_micros(500), Duration::from_micros(LONGEST_WAIT_MICROS));
        }
        if let Some(value) = step()? {
            return Ok(value);
        }
    }
    Err(RefError::Contended { name: name.to_owned(), attempts: ATTEMPTS }.into())
}

/// A random wait before an attempt: up to twice as long each time as `first`, and never longer than `longest`.
pub fn back_off(random: &RandomState, attempt: u32, first: Duration, longest: Duration) {
    let most = first.saturating_mul(1 << attempt.min(10)).min(longest);
    let micros = u64::try_from(most.as_micros()).unwrap_or(u64::MAX).max(1);
    std::thread::sleep(Duration::from_micros(random.hash_one(attempt) % micros));
}
