//! A defect of this program ends it like any fatal error: one line, one exit status, nothing half-printed.

use std::io::{self, Write as _};

use super::exit::Exit;
use super::terminal::escape;

/// From now on a panic in any thread prints `internal error: …` and ends the process with [`Exit::Fatal`].
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message = escape(text.unwrap_or("no message"));
        // Not eprintln!, which panics itself when standard error is gone.
        let _ = writeln!(io::stderr(), "internal error: {message} ({}); please report it", escape(&place));
        std::process::exit(i32::from(Exit::Fatal.code()));
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn a_panic_is_one_line_and_exit_status_128() {
        const CHILD: &str = "GIT_BOUNDARY_TEST_PANICS";
        if std::env::var_os(CHILD).is_some() {
            super::report_panics();
            panic!("a \x1b[31mdefect");
        }
        let name = "cli::panic::tests::a_panic_is_one_line_and_exit_status_128";
        let test = std::env::current_exe().expect("a test knows its own binary");
        let out = Command::new(test).args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().expect("it runs");
        assert_eq!(out.status.code(), Some(128));
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(stderr.contains("internal error: a \\x1b[31mdefect (src/cli/panic.rs:"), "{stderr}");
    }
}
