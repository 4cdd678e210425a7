//! A write is killed, or told of an error, at each system call by which it changes something, once each: the old content or the new is
//! there as a whole, and what is left besides is swept away.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use git_boundary::workspace::{Effect, Expected, Means, WalkBounds};

use super::{Place, again, all_means, can_trace, digest, path};

/// By which a write changes something or makes it last. The test binary's own calls of these names are tried as well.
const CALLS: [&str; 9] =
    ["write", "fchmod", "fsync", "renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "openat2"];
const LIMIT: u64 = 1 << 20;
/// In the child: the folder of the workspace, the means, the path and where to say how it went.
const VARIABLES: [&str; 4] = ["WORKSPACE_DIR", "WORKSPACE_MEANS", "WORKSPACE_PATH", "WORKSPACE_OUTCOME"];

fn old() -> String {
    "o".repeat(50_000)
}

fn new() -> String {
    "n".repeat(100_000)
}

/// One write that is done in a process of its own.
struct Child {
    place: Place,
    means: Means,
    path: &'static str,
}

impl Child {
    /// Of a file that is there, or of one that is not, in folders that are not.
    fn all() -> impl Iterator<Item = Child> {
        let paths = ["dir/file", "made/for/file"];
        all_means().into_iter().flat_map(move |means| paths.map(|path| Child::new(means, path)))
    }

    fn new(means: Means, path: &'static str) -> Self {
        let place = Place::new();
        place.put("dir/file", old());
        Child { place, means, path }
    }

    /// Runs the write by `program`, which is given the command line of it; says how it went, unless it was killed before.
    fn run(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let outcome = self.place.outside("outcome");
        let mut command = again(program, arguments, module_path!(), "a_write_in_a_process_of_its_own");
        let values = [
            self.place.inside("").into_os_string(),
            format!("{:?}", self.means).into(),
            self.path.into(),
            outcome.clone().into(),
        ];
        command.envs(VARIABLES.into_iter().zip(values)).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().expect("it starts");
        let said = fs::read_to_string(&outcome).ok();
        assert!(said.is_some() || !status.success(), "{program} {arguments:?}: the child ran its one test");
        said
    }

    /// What must hold whatever happened. `said` is what the child said, if it came to that.
    fn lawful(self, said: Option<&str>, what: &str) {
        let what = format!("{:?} {} {what}: {said:?}", self.means, self.path);
        let before = self.place.temporaries().len();
        let swept = self.place.open(self.means).sweep(WalkBounds::default(), LIMIT).expect("it can be swept");
        assert!(before <= 1 && swept.removed.len() == before && swept.kept.is_empty(), "{what}: {swept:?}");
        assert!(self.place.temporaries().is_empty(), "{what}");
        let text = fs::read_to_string(self.place.inside(self.path)).ok();
        let is_new = text.as_deref() == Some(&new());
        let is_old = text == self.path.starts_with("dir").then(old);
        assert!(is_new || is_old, "{what}: the content is whole");
        match said {
            Some("written") => assert!(is_new, "{what}"),
            Some("nothing") => assert!(is_old && before == 0 || what.contains("unlinkat"), "{what}"),
            _ => {}
        }
        if let Some(said) = said {
            assert!(["written", "nothing", "undetermined"].contains(&said), "{what}");
        }
        // The file can be used as if nothing had been.
        assert!(self.place.open(self.means).preimage(&path(self.path), LIMIT).is_ok(), "{what}");
    }
}

#[test]
fn a_write_in_a_process_of_its_own() {
    let [Some(dir), Some(means), Some(at), Some(outcome)] = VARIABLES.map(std::env::var_os) else {
        // It is not such a process.
        return;
    };
    let means = if means == "Walk" { Means::Walk } else { Means::Openat2 };
    let at = at.to_str().expect("it is text");
    let expected = if at.starts_with("dir") { Expected::Content(digest(old())) } else { Expected::Absent };
    let written = super::open(Path::new(&dir), means).write_file(&path(at), new().as_bytes(), expected, LIMIT);
    let said = match written.map_err(|err| err.effect) {
        Ok(_) => "written",
        Err(Effect::Nothing) => "nothing",
        Err(Effect::Undetermined) => "undetermined",
    };
    fs::write(outcome, said).expect("it can be written");
}

/// Does `what` to the so-manieth call of each name, until there are no more of them.
fn at_every_call(what: &str) {
    if !can_trace() {
        eprintln!("strace may not trace here: writes are ended by the limit of a file's size only");
        return;
    }
    let mut ended = 0;
    for call in CALLS {
        for time in 1.. {
            let mut last = true;
            for child in Child::all() {
                let inject = format!("inject={call}:{what}:when={time}");
                let trace = format!("trace={call}");
                let said = child.run("strace", &["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
                last &= said.as_deref() == Some("written");
                ended += usize::from(said.as_deref() != Some("written"));
                child.lawful(said.as_deref(), &inject);
            }
            if last {
                break;
            }
        }
    }
    assert!(ended >= 20, "{what}: it was tried at {ended} calls");
}

#[test]
fn a_write_that_is_killed_leaves_the_old_content_or_the_new() {
    at_every_call("signal=SIGKILL");
}

#[test]
fn a_write_that_meets_an_error_leaves_nothing_behind() {
    at_every_call("error=EIO");
}

#[test]
fn a_write_that_ends_in_the_middle_of_its_content_leaves_none_of_it() {
    for child in Child::all() {
        // Killed by the signal that comes with the limit, after a part was written.
        let said = child.run("sh", &["-c", "ulimit -f 32; exec \"$@\"", "sh"]);
        assert_eq!(said, None, "the signal kills");
        assert_eq!(child.place.temporaries().len(), 1, "it was killed in the middle");
        child.lawful(None, "killed");
    }
    for child in Child::all() {
        let said = child.run("sh", &["-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh"]);
        assert_eq!(said.as_deref(), Some("nothing"), "the limit is an error");
        child.lawful(said.as_deref(), "limited");
    }
}
