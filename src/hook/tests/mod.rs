//! Real pushes by the user's git, through hooks with a stand-in for the binary that writes down what it was given.

mod chaining;
mod managers;
mod places;
mod restoring;
mod server;
mod shells;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::file::{Found, write};
use super::*;
use crate::git::Repository;
use crate::git::testing::Sandbox;

/// A clone with one commit, a bare remote called `origin`, and a stand-in for git-boundary.
struct Yard {
    sandbox: Sandbox,
    binary: PathBuf,
}

impl Yard {
    fn new() -> Yard {
        Yard::init(&[])
    }

    fn init(args: &[&str]) -> Yard {
        let sandbox = Sandbox::init(args);
        let binary = sandbox.root().join("a dir's/git-boundary");
        std::fs::create_dir_all(binary.parent().expect("it has one")).expect("it can be made");
        std::fs::create_dir(sandbox.root().join("log")).expect("it can be made");
        let yard = Yard { sandbox, binary };
        yard.script(&yard.binary, &yard.recorder("ours"));
        yard.sandbox.git_in(&yard.sandbox.root(), &[&["init", "--quiet", "--bare", "remote.git"], args].concat());
        yard.sandbox.git(&["remote", "add", "origin", &yard.remote().display().to_string()]);
        yard.sandbox.commit(&[("a", "1\n")]);
        yard
    }

    fn remote(&self) -> PathBuf {
        self.sandbox.root().join("remote.git")
    }

    /// The default place.
    fn hook(&self) -> PathBuf {
        self.sandbox.repo.join(".git/hooks/pre-push")
    }

    fn log(&self, name: &str) -> PathBuf {
        self.sandbox.root().join("log").join(name)
    }

    /// A shell script that writes down its arguments and input, and ends as the file `<who>.exit` says.
    fn recorder(&self, who: &str) -> String {
        let at = |what: &str| self.log(&format!("{who}.{what}")).display().to_string();
        let (args, input, exit) = (at("args"), at("input"), at("exit"));
        let order = self.log("order").display().to_string();
        format!(
            "#!/bin/sh\necho {who} >>'{order}'\nprintf '%s\\n' \"${{GIT_BOUNDARY_SHIM-}}\" \"$0\" \"$@\" >'{args}'\ncat >'{input}'\n\
             [ ! -f '{exit}' ] || exit \"$(cat '{exit}')\"\n"
        )
    }

    fn script(&self, path: &Path, content: &str) {
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        write(path, content.as_bytes(), 0o755).expect("it can be written");
    }

    fn ends(&self, who: &str, status: i32) {
        std::fs::write(self.log(&format!("{who}.exit")), status.to_string()).expect("it can be written");
    }

    /// What `who` was given last: whether by our shim, its own name, its arguments.
    fn args(&self, who: &str) -> Vec<String> {
        self.read(&format!("{who}.args")).lines().map(str::to_owned).collect()
    }

    fn input(&self, who: &str) -> String {
        self.read(&format!("{who}.input"))
    }

    /// Who ran, in order, since this was asked last.
    fn ran(&self) -> Vec<String> {
        let ran = std::fs::read_to_string(self.log("order")).unwrap_or_default();
        drop(std::fs::remove_file(self.log("order")));
        ran.lines().map(str::to_owned).collect()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.log(name)).expect("it ran and wrote this")
    }

    fn options(&self, server: bool) -> InstallOptions {
        InstallOptions { server, binary: self.binary.clone() }
    }

    fn install(&self) -> Result<Installed, InstallError> {
        install(&self.sandbox.open(), &self.options(false))
    }

    fn installed(&self) -> InstalledHook {
        self.install().expect("it can be installed").hooks.remove(0)
    }

    fn uninstall(&self) -> Uninstalled {
        uninstall(&self.sandbox.open()).expect("it can be taken out")
    }

    fn state(&self) -> HookState {
        self.status().hooks[0].state
    }

    fn status(&self) -> HookStatus {
        status(&self.sandbox.open()).expect("it can be looked at")
    }

    fn push(&self, refs: &[&str]) -> Output {
        self.push_in(&self.sandbox.repo, refs)
    }

    fn push_in(&self, directory: &Path, refs: &[&str]) -> Output {
        self.sandbox.run(directory, &[&["push", "--quiet", "origin"], refs].concat(), &[], b"")
    }

    fn has(&self, branch: &str) -> bool {
        let args = ["rev-parse", "--quiet", "--verify", &format!("refs/heads/{branch}")];
        self.sandbox.run(&self.remote(), &args, &[], b"").status.success()
    }

    /// The line git writes for a new branch.
    fn line(&self, branch: &str) -> String {
        format!("refs/heads/main {} refs/heads/{branch} {}\n", self.sandbox.rev("main"), "0".repeat(40))
    }

    /// What an installation may touch: the hooks and the configuration of a repository, with bytes, links and modes.
    fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        collect(&self.sandbox.repo.join(".git"), &mut all);
        collect(&self.remote(), &mut all);
        let touched = |path: &PathBuf| {
            let text = path.to_string_lossy();
            !text.ends_with(".sample") && ["/hooks", "/config", "/.git-boundary"].iter().any(|part| text.contains(part))
        };
        all.into_iter().filter(|(path, _)| touched(path)).collect()
    }
}

fn collect(directory: &Path, all: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(directory).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let seen = match Found::at(&path).expect("it can be read") {
            Found::File(script) => format!("{:o} {}", script.mode, String::from_utf8_lossy(&script.content)),
            Found::Link(_) => format!("link {}", std::fs::read_link(&path).expect("it is a link").display()),
            Found::Nothing | Found::Other => {
                collect(&path, all);
                "directory".to_owned()
            }
        };
        all.insert(path, seen);
    }
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn at(sandbox: &Sandbox, directory: &Path) -> Repository {
    sandbox.open_at(directory)
}
