//! A sign of life for work that takes longer than a moment. On a terminal only; elsewhere nothing.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::stream::Stream;

/// Nothing shows before this much time, so that quick work stays quiet.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two changes of the line.
const PACE: Duration = Duration::from_millis(100);
/// Back to the margin, and clear to the end of the line.
const CLEAR: &str = "\r\x1b[K";

/// One line on standard error that counts. Goes away when dropped.
#[derive(Debug)]
pub struct Progress<'a> {
    stderr: &'a RefCell<Stream>,
    what: &'static str,
    started: Instant,
    shown: Cell<Option<Instant>>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(stderr: &'a RefCell<Stream>, what: &'static str) -> Self {
        Progress { stderr, what, started: Instant::now(), shown: Cell::new(None) }
    }

    /// `done` of `total`, or of an unknown number. Cheap enough to be called for each item.
    pub fn at(&self, done: u64, total: Option<u64>) {
        // The streams may be in use by whoever is being counted; then this one is left out.
        let Ok(mut stderr) = self.stderr.try_borrow_mut() else { return };
        if !stderr.is_terminal() {
            return;
        }
        let now = Instant::now();
        if let Some(line) = line(self.what, done, total, now - self.started, self.shown.get().map(|last| now - last)) {
            let _ = stderr.deliver(line.as_bytes());
            self.shown.set(Some(now));
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if self.shown.get().is_some()
            && let Ok(mut stderr) = self.stderr.try_borrow_mut()
        {
            let _ = stderr.deliver(CLEAR.as_bytes());
        }
    }
}

/// What to write, if it is time to: `elapsed` since the start, `since` the last line.
fn line(what: &str, done: u64, total: Option<u64>, elapsed: Duration, since: Option<Duration>) -> Option<String> {
    if elapsed < PATIENCE || since.is_some_and(|since| since < PACE) {
        return None;
    }
    let mut line = format!("{CLEAR}{what}: {done}");
    if let Some(total) = total {
        // Writing to a String can't fail.
        let _ = write!(line, "/{total}");
    }
    let _ = write!(line, " ({} s)", elapsed.as_secs());
    Some(line)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use super::{Progress, line};
    use crate::cli::stream::Stream;
    use crate::cli::testing::Sink;

    #[test]
    fn quick_work_stays_quiet() {
        assert_eq!(line("commits", 5, Some(9), Duration::from_millis(999), None), None);
    }

    #[test]
    fn slow_work_shows_count_and_seconds_at_a_pace() {
        let at = |since| line("commits", 5, Some(9), Duration::from_millis(2300), since);
        assert_eq!(at(None).as_deref(), Some("\r\x1b[Kcommits: 5/9 (2 s)"));
        assert_eq!(at(Some(Duration::from_millis(99))), None);
        assert!(at(Some(Duration::from_millis(100))).is_some());
        assert_eq!(line("lines", 7, None, Duration::from_secs(1), None).as_deref(), Some("\r\x1b[Klines: 7 (1 s)"));
    }

    #[test]
    fn nothing_is_written_where_nobody_watches() {
        let sink = Sink::new();
        let stderr = RefCell::new(Stream::plain(sink.clone()));
        let mut progress = Progress::new(&stderr, "x");
        progress.started -= Duration::from_secs(9);
        progress.at(1, None);
        drop(progress);
        assert_eq!(sink.text(), "");
    }
}
