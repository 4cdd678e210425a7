//! What setup establishes, and what it does not guess.

use super::Gate;

#[test]
fn what_was_measured_is_signed_without_any_path_of_this_machine() {
    let gate = Gate::new();
    let done = gate.setup("--json").ok().json();
    assert_eq!(done["installation"]["adapter"], "generic", "the record says what was set up");
    let roles: Vec<&str> = done["installation"]["agent"]
        .as_array()
        .expect("files were measured")
        .iter()
        .filter_map(|file| file["role"].as_str())
        .collect();
    assert_eq!(roles, ["launcher", "interpreter"], "a script and what interprets it");
    let id = done["id"].as_str().expect("it has an id");
    let shown = gate.work().boundary(&format!("show {id} --json")).ok().stdout;
    let root = gate.world.root().display().to_string();
    assert!(!shown.contains(&root), "a signed record tells no place on this machine: {shown}");
    gate.work().boundary("gateway doctor").ok().says("as it was set up");
    gate.work().boundary("doctor").ok().says("sound");
}

#[test]
fn only_the_top_of_a_worktree_is_a_workspace() {
    let gate = Gate::new();
    gate.work().write("src/a.rs", "a\n");
    let below = gate.work().in_directory(gate.work().dir.join("src"));
    below
        .boundary(&format!("gateway setup generic --program {}", gate.path("client").display()))
        .ends_with(128)
        .says("not the top of a worktree");
    gate.work().in_directory(gate.world.root()).boundary("gateway setup generic").ends_with(128);
}

#[test]
fn what_cannot_be_established_ends_setup_by_name() {
    let gate = Gate::new();
    let work = gate.work();
    work.boundary("gateway setup generic").ends_with(128).says("which program is meant");
    work.boundary("gateway setup generic --program ../nowhere").ends_with(128).says("nowhere");
    work.boundary("gateway setup nobody").ends_with(129).says("no adapter knows \"nobody\"");
    work.write("client", "#!/bin/sh\n");
    work.sh("chmod +x client").ok();
    work.boundary("gateway setup generic --program client").ends_with(128).says("it lies in the workspace");
    work.boundary("gateway launch generic").ends_with(128).says("is not set up");
    // A claude that is none.
    work.sh("mkdir ../bin2 && printf '#!/bin/sh\\necho 9.9.9 \\(Claude Code\\)\\n' > ../bin2/claude && chmod +x ../bin2/claude").ok();
    work.boundary("gateway setup claude --program ../bin2/claude").ends_with(128).says("not among the versions");
    work.sh("printf '#!/bin/sh\\nexit 3\\n' > ../bin2/claude").ok();
    work.boundary("gateway setup claude --program ../bin2/claude").ends_with(128).says("exit status: 3");
}

#[test]
fn the_version_is_asked_for_in_an_empty_environment() {
    let gate = Gate::new();
    let work = gate.work().with("NODE_OPTIONS", "--require=/x.js");
    let seen = gate.path("seen");
    let script = format!("#!/bin/sh\nenv > '{}'\necho '2.1.332 (Claude Code)'\n", seen.display());
    std::fs::write(gate.path("claude"), script).expect("it can be written");
    work.sh("chmod +x ../claude").ok();
    let done = work.boundary("gateway setup claude --program ../claude --json").ok().json();
    assert_eq!(done["installation"]["version"], "2.1.332", "as it prints it");
    let seen = std::fs::read_to_string(seen).expect("it was asked");
    assert!(!seen.contains("NODE_OPTIONS") && !seen.contains("HOME="), "nothing is handed on: {seen}");
}

#[test]
fn a_policy_is_compiled_and_its_defects_are_placed() {
    let gate = Gate::new();
    gate.work().write("../p.toml", "read = [\":/\"]\nautomation = \"allow\"\n");
    gate.setup("--policy ../p.toml").ends_with(129).says("../p.toml").says("automation");
    gate.work().write("../p.toml", "read = [\"src\"]\nsession = \"1h\"\n");
    let done = gate.setup("--policy ../p.toml --json").ok().json();
    assert_eq!(done["policy"]["session_seconds"], 3600, "as the file says");
    assert_eq!(done["policy"]["write"].as_array().map(Vec::len), Some(0), "silence grants nothing");
}

#[test]
fn what_interprets_a_script_is_what_a_launch_finds_and_stays_so() {
    let gate = Gate::new();
    let work = gate.work();
    work.sh("mkdir ../tools && cp /bin/true ../tools/onlyhere && ln -s /bin/true ../tools/run").ok();
    let script = |line: &str| work.sh(&format!("printf '{line}\\n' > ../agent && chmod +x ../agent")).ok();
    script("#!/usr/bin/env onlyhere");
    let path = format!("{}:/usr/bin:/bin", gate.path("tools").display());
    let here = work.sh(&format!("PATH='{path}':$PATH git boundary gateway setup generic --program ../agent"));
    here.ends_with(128).says("where a launched agent looks, has no onlyhere");
    script("#!/usr/bin/env -S sh -x");
    work.boundary("gateway setup generic --program ../agent").ends_with(128).says("more than a name for env");
    script(&format!("#!{}", gate.path("tools/run").display()));
    work.boundary("gateway setup generic --program ../agent").ok();
    work.boundary("gateway launch generic").ends_with(0);
    work.sh("ln -sf /bin/false ../tools/run").ok();
    work.boundary("gateway launch generic").ends_with(128).says("what makes up the agent");
}
