//! `git boundary sync`: what it brings, what it takes over, what it sends, and what it leaves alone.

mod chains;
mod diverged;
mod together;
mod untrusted;

use git_boundary::model::id::KeyId;

use crate::support::{Work, World};

/// Nothing is sent that is not asked for.
fn quiet(work: &Work) {
    work.git("config boundary.publish manual");
}

/// The entry of one registrar in what `sync --json` printed.
fn of(answer: &serde_json::Value, registrar: &KeyId) -> serde_json::Value {
    let all = answer["fetched"].as_array().expect("a list");
    all.iter().find(|one| one["registrar"] == registrar.to_string()).cloned().unwrap_or_default()
}

#[test]
fn receipts_go_from_clone_to_clone_whatever_is_configured() {
    let world = World::new();
    let (work, second) = (&world.work, world.joined("second"));
    quiet(work);
    work.proven_fix();
    second.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    second.git("config --unset-all remote.origin.fetch");
    let answer = second.boundary("sync --json").ok().json();
    assert_eq!(of(&answer, &work.registrar_id())["state"], "same", "nothing was published yet: {answer}");
    second.boundary("verify agent/fix --ref main").ends_with(1);

    let sent = work.boundary("sync --json").ok().json();
    assert_eq!(sent["published"]["state"], "sent");
    assert!(sent["published"]["entries"].as_u64().expect("a number") >= 4, "what the remote lacked is counted: {sent}");
    let again = work.boundary("sync --json").ok().json();
    assert_eq!(again["published"]["state"], "nothing", "and nothing is sent twice: {again}");

    let answer = second.boundary("sync --json").ok().json();
    let one = of(&answer, &work.registrar_id());
    assert_eq!(one["state"], "extended");
    assert_eq!(one["listed"], true);
    assert!(one["new_size"].as_u64() > one["old_size"].as_u64(), "both sizes are told: {answer}");
    assert_eq!(answer["trust"]["version_after"], 3);
    assert_eq!(answer["problems"].as_array().map(Vec::len), Some(0));
    second.boundary("verify agent/fix --ref main").ok();
    second.boundary("sync").ok().says("0 new entries of 1 other registrar");
}

#[test]
fn a_remote_without_anything_is_no_error_and_gets_everything() {
    let world = World::untouched();
    let work = &world.work;
    quiet(work);
    work.boundary("init").ok();
    let told = work.boundary("sync --no-publish").ok().says("not sent");
    assert!(world.server.refs().keys().all(|name| !name.contains("boundary")), "{told}");
    work.boundary("sync").ok().says("sent to origin");
    for name in ["refs/boundary/trust".to_owned(), "refs/boundary/policy".to_owned(), work.notes_ref()] {
        assert_eq!(world.server.refs().get(&name), work.refs().get(&name), "{name} is there");
    }
    work.boundary("doctor").ok().never_says("not yet seen to have");
}

#[test]
fn a_remote_out_of_reach_is_undecided_and_an_unknown_one_a_wrong_word() {
    let world = World::new();
    let work = &world.work;
    work.git("remote set-url origin ../nowhere.git");
    let before = work.refs();
    work.boundary("sync").ends_with(2).says("could not be reached").says("git boundary sync origin");
    work.boundary("sync elsewhere").ends_with(129).says("git remote -v");
    work.git("remote remove origin");
    work.boundary("sync").ends_with(129).says("git remote add");
    let own = |refs: &crate::support::Refs| refs.iter().filter(|(name, _)| !name.contains("remote")).count();
    assert_eq!(own(&work.refs()), own(&before), "and nothing is lost");
}

#[test]
fn a_clone_that_pinned_nothing_or_never_fetched_says_so_and_how() {
    let world = World::new();
    world.work.proven_fix();
    let fresh = world.clone("fresh");
    fresh.boundary("sync").ends_with(128).says("git boundary init");
    fresh.boundary("verify main").says("git boundary init").never_says("no receipts");
    fresh.boundary(&format!("trust pin {}", world.trust_root())).ok();
    let told = fresh.boundary("verify main").ends_with(2).says("receipts are not fetched").never_says("no receipts");
    drop(told);
    fresh.boundary("sync").ok();
    fresh.boundary("verify main").ok();
}

#[test]
fn a_branch_that_landed_without_its_receipts_is_completed() {
    let world = World::new();
    let (work, second) = (&world.work, world.joined("second"));
    quiet(work);
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    second.git("fetch -q");
    second.boundary("verify origin/main").ends_with(1);
    work.boundary("sync").ok().says("this clone's that it lacked").says("git boundary settle");
    second.boundary("sync").ok();
    second.boundary("verify origin/main").ok();
}

#[test]
fn no_fetch_that_a_user_may_type_destroys_an_own_receipt() {
    for line in [
        "fetch -q --prune",
        "fetch -q --all",
        "remote update",
        "fetch -q --all --prune --force",
        "pull -q --rebase --prune",
    ] {
        let world = World::new();
        let work = &world.work;
        quiet(work);
        work.hand_out();
        let own = work.oid(&work.notes_ref());
        work.git(line);
        assert_eq!(work.oid(&work.notes_ref()), own, "git {line} leaves an unpublished receipt alone");
    }
}

#[test]
fn a_refspec_by_hand_that_could_overwrite_own_receipts_is_told_with_the_command() {
    for spec in ["+refs/notes/*:refs/notes/*", "+refs/*:refs/*", "refs/boundary/trust:refs/boundary/trust"] {
        let world = World::new();
        let work = &world.work;
        work.boundary("doctor").ok().never_says("config --fixed-value");
        work.git(&format!("config --add remote.origin.fetch {spec}"));
        let told = work.boundary("doctor").ok().says(spec).says("could overwrite");
        let command = told.commands().into_iter().find(|line| line.contains("--fixed-value")).expect("a command");
        work.sh(&command).ok();
        work.boundary("doctor").ok().never_says("could overwrite");
    }
}

#[test]
fn notes_commits_pass_a_server_that_looks_at_messages_and_identities() {
    let world = World::new();
    let work = &world.work;
    let hook = world.server.dir.join("hooks/update");
    let script = "#!/bin/sh\nzero=$(git hash-object --stdin </dev/null | tr 0-9a-f 0)\nrange=$3; [ \"$2\" = \"$zero\" ] || range=$2..$3\n\
        git log --format='%s%x09%an%x09%ae%x09%cn%x09%ce' \"$range\" | while read -r line; do\n\
        printf '%s\\n' \"$line\" | grep -Eq '^(feat|fix|docs|chore)(\\([a-z]+\\))?: .+\t[A-Z][a-z]+ [A-Z]\t[^@]+@example.com\t' || exit 1\ndone\n";
    std::fs::write(&hook, script).expect("the server is writable");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, executable).expect("it is there");
    work.hand_out();
    work.boundary("trust add zed --role actor --new-key").ok().says("sent to origin");
    work.boundary("sync").ok();
    assert_eq!(world.server.refs().get(&work.notes_ref()), work.refs().get(&work.notes_ref()), "it took them");

    // A server that wants something else is served by one setting.
    work.git("config boundary.messagePrefix T-1:");
    work.hand_out();
    assert!(work.git(&format!("log -1 --format=%s {}", work.notes_ref())).starts_with("T-1:"));
    let refused = work.boundary("sync --json").ends_with(1).json();
    assert_eq!(refused["published"]["state"], "refused", "and what a server refuses is said: {refused}");
}

#[test]
fn the_hook_of_a_push_makes_no_push() {
    let world = World::new();
    let work = &world.work;
    quiet(work);
    work.proven_fix();
    let before = world.server.refs();
    work.push("origin agent/fix:main").accepted();
    let boundary = |refs: crate::support::Refs| {
        refs.into_iter().filter(|(name, _)| name.contains("boundary")).collect::<crate::support::Refs>()
    };
    assert_eq!(boundary(world.server.refs()), boundary(before), "a push moves what was pushed, and nothing besides");
}

#[test]
fn a_remote_is_asked_once_to_fetch_and_once_to_push() {
    let world = World::new();
    let work = &world.work;
    quiet(work);
    work.hand_out();
    let log = world.root().join("asked");
    for service in ["upload-pack", "receive-pack"] {
        let script = world.root().join(service);
        let text = format!("#!/bin/sh\necho {service} >>{}\nexec git {service} \"$@\"\n", log.display());
        std::fs::write(&script, text).expect("it is writable");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, executable).expect("it is there");
        work.git(&format!("config remote.origin.{} {}", service.replace('-', ""), script.display()));
    }
    let asked = || std::fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
    work.boundary("sync").ok();
    assert_eq!(asked(), ["upload-pack", "receive-pack"], "credentials are asked for once more than by a push");
    work.boundary("sync").ok();
    assert_eq!(asked(), ["upload-pack", "receive-pack", "upload-pack"], "and not to send what is there");
}

#[test]
fn other_object_formats_and_ref_stores_are_the_same() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        if World::untouched().work.try_git(&format!("init -q {format} ../probe")).status != 0 {
            // This git does not know it; there is nothing to get wrong.
            continue;
        }
        let world = World::new_with(format);
        let (work, second) = (&world.work, world.joined("second"));
        quiet(work);
        work.proven_fix();
        work.boundary("sync").ok().says("sent to origin");
        second.boundary("sync").ok();
        second.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
        second.boundary("verify agent/fix --ref main").ok();
    }
}

#[test]
fn an_unfinished_merge_of_the_own_notes_is_named_and_in_nobodys_way() {
    let world = World::new();
    let work = &world.work;
    quiet(work);
    work.hand_out();
    let name = work.notes_ref();
    work.git("notes --ref=other add -m conflict HEAD");
    assert_ne!(work.try_git(&format!("notes --ref={name} merge other")).status, 0, "git stops at the conflict");
    work.boundary("doctor").says("was begun and not finished").says("git notes merge --abort");
    work.hand_out();
    work.boundary("sync").ok().says("sent to origin");
    // Finished by hand after that, it would put the ref back: git itself compares first.
    let own = work.oid(&name);
    work.try_git("notes merge --commit");
    assert_eq!(work.oid(&name), own, "what was recorded meanwhile stays");
}
