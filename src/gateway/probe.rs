//! PROBE: asks an agent for its version, in an empty environment, where nothing can make it load other people's code, and with a bound on
//! how long it may take and how much it may say.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::error::Unestablished;

/// How often it is asked, a hundredth of a second apart, whether it has ended.
const PATIENCE: usize = 2000;
const MOST_SAID: u64 = 4096;

/// Runs `--version` and reads the answer.
///
/// # Errors
/// When it can't be run, does not end in time, fails, or says something that is no version.
pub fn probe(program: &Path, read: fn(&str) -> Result<String, String>) -> Result<String, Unestablished> {
    let failed = |why: String| Unestablished::new(format!("the version of {}", program.display()), why);
    let mut command = Command::new(program);
    command.arg("--version").env_clear().current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut stdout = child.stdout.take().expect("a pipe was asked for");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        stdout.by_ref().take(MOST_SAID).read_to_end(&mut said).map(|_| said)
    });
    let mut asked = 0;
    let status = loop {
        match child.try_wait().map_err(|error| failed(error.to_string()))? {
            Some(status) => break status,
            None if asked == PATIENCE => {
                child.kill().ok();
                child.wait().ok();
                return Err(failed(format!("it did not end within {} s", PATIENCE / 100)));
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
        asked += 1;
    };
    let said = reader.join().map_err(|_| failed("its answer could not be read".to_owned()))?;
    let said = said.map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        return Err(failed(format!("it ended with {status}")));
    }
    let said = String::from_utf8(said).map_err(|_| failed("its answer is not UTF-8".to_owned()))?;
    read(&said).map_err(failed)
}
