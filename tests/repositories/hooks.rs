//! Hooks of others beside ours in real pushes, and what ours costs.

use crate::support::{World, executable};

#[test]
fn a_hook_before_ours_that_eats_the_list_stops_the_push() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let hook = work.git_file("hooks/pre-push");
    let ours = std::fs::read_to_string(&hook).expect("it is installed");
    // Somebody's lines, put on top of ours, read all that git hands over.
    let (first, rest) = ours.split_once('\n').expect("a script has lines");
    std::fs::write(&hook, format!("{first}\ncat >/dev/null\n{rest}")).expect("it is ours");
    let push = work.push("origin agent/fix");
    assert_ne!(push.ran.status, 0, "an empty list is not taken for nothing to push: {}", push.ran);
    assert_eq!(push.before, push.after);
    let told = work.boundary("hook status");
    assert_ne!(told.status, 0, "and that is noticed: {told}");
}

#[test]
fn a_manager_that_gives_us_no_list_stops_the_push() {
    for line in [
        "git-boundary hook run pre-push \"$@\" </dev/null",
        "cat >/dev/null; PRE_COMMIT=1 git-boundary hook run pre-push \"$@\" </dev/null",
    ] {
        let world = World::new();
        let work = &world.work;
        work.hand_out();
        work.fix();
        let hook = work.git_file("hooks/pre-push");
        std::fs::write(&hook, format!("#!/bin/sh\n{line}\n")).expect("it is ours");
        executable(&hook);
        let push = work.push("origin agent/fix");
        assert_ne!(push.hook, Some(0), "nothing was handed over, and nothing is let through: {}", push.ran);
        assert_eq!(push.before, push.after);
    }
}

#[test]
fn large_files_beside_us_get_the_list_of_a_real_push() {
    let world = World::guarded();
    let work = &world.work;
    // Stands in for the program: it fails without the list that it uploads by.
    let lfs = world.root().join("bin/git-lfs");
    let seen = world.root().join("lfs-saw");
    std::fs::write(
        &lfs,
        format!("#!/bin/sh\n[ \"$1\" = pre-push ] || exit 0\ncat >>'{}'\n[ -s '{0}' ] || exit 1\n", seen.display()),
    )
    .expect("the world is writable");
    executable(&lfs);
    work.boundary("hook uninstall").ok();
    let hook = work.git_file("hooks/pre-push");
    let text = "#!/bin/sh\ncommand -v git-lfs >/dev/null 2>&1 || { echo >&2 \"no git-lfs\"; exit 2; }\ngit lfs pre-push \"$@\"\n";
    std::fs::write(&hook, text).expect("it is ours");
    executable(&hook);
    work.boundary("hook install").ok();
    work.boundary("hook status").ok();
    work.hand_out();
    let tip = work.fix();
    work.push("origin agent/fix").refused("context.receipt_missing");
    assert!(!seen.exists(), "nothing is uploaded for what is refused");
    work.propose();
    work.push("origin agent/fix").accepted();
    let text = std::fs::read_to_string(&seen).expect("it ran");
    let line = format!("refs/heads/agent/fix {tip} refs/heads/agent/fix {}\n", "0".repeat(40));
    assert_eq!(text, line, "it is given what git gives");
}

#[test]
fn a_push_of_many_commits_starts_no_more_processes_than_one_of_few() {
    // Time is not measured here: what makes a hook slow is a process, or a question to the remote, for each commit.
    let counted = |commits: usize| {
        let world = World::new();
        let work = &world.work;
        work.hand_out();
        work.git("switch -q -c agent/fix");
        for number in 0..commits {
            work.commit(&[("src/main.rs", &format!("// {number}\n"))]);
        }
        work.propose();
        let log = world.root().join("started");
        let real = work.sh("command -v git").ok().stdout.trim().to_owned();
        let line = work.git("rev-parse HEAD");
        let line = format!("refs/heads/agent/fix {line} refs/heads/agent/fix {}\n", "0".repeat(40));
        let wrapper = world.root().join("bin/git");
        std::fs::write(&wrapper, format!("#!/bin/sh\necho \"$*\" >>'{}'\nexec {real} \"$@\"\n", log.display()))
            .expect("the world is writable");
        executable(&wrapper);
        work.hook(&line).ok();
        std::fs::remove_file(&wrapper).expect("it is there");
        std::fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (few, many) = (counted(1), counted(25));
    assert!(few.len() <= 2, "a judgement starts hardly a process: {few:?}");
    assert_eq!(few.len(), many.len(), "however many commits there are: {many:?}");
    assert!(many.iter().all(|it| !it.contains("fetch") && !it.contains("ls-remote")), "and asks no remote: {many:?}");
}

#[test]
fn a_line_by_a_key_that_is_not_here_is_not_called_unsigned() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    // The key file is gone: what was signed with it still verifies, by what trust says of it.
    std::fs::remove_file(world.home.key_path("codex")).expect("it is there");
    std::fs::remove_file(world.home.key_path("codex.pub")).expect("it is there");
    work.push("origin agent/fix").accepted();
    work.boundary("verify agent/fix").ok();
    work.commit(&[("src/main.rs", "more\n")]);
    let refused = work.boundary("propose --key codex");
    assert_ne!(refused.status, 0, "nothing is signed without it: {refused}");
    refused.says("codex").never_says("unsigned");
    // A line by a key that the trust document does not hold is one that nobody here can check, and said to be that.
    work.boundary("key new stranger").ok();
    let stranger = work.home.key_path("stranger");
    let proposed = work.boundary(&format!("propose --key {}", stranger.display()));
    assert_ne!(proposed.status, 0, "it could not be verified by anybody: {proposed}");
    proposed.never_says("unsigned");
}
