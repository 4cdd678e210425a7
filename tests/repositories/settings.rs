//! Configuration that changes what git prints, fetches, pushes or writes.

use super::the_story_works;
use crate::support::World;

/// The story under these settings, in the account and in the server.
#[track_caller]
fn under(settings: &[(&str, &str)]) {
    let world = World::guarded();
    for (key, value) in settings {
        let words = ["config", "--global", "--add", key, value];
        world.home.run(&world.work.dir, "git", &words, b"").ok();
    }
    the_story_works(&world, &world.work);
}

#[test]
fn settings_of_what_git_prints() {
    under(&[
        ("color.ui", "always"),
        ("color.advice", "always"),
        ("column.ui", "always"),
        ("core.abbrev", "4"),
        ("core.commentChar", ";"),
        ("core.pager", "false"),
        ("pager.boundary", "cat"),
        ("core.quotePath", "false"),
        ("format.pretty", "%H nothing else"),
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("log.date", "relative"),
        ("log.decorate", "full"),
        ("log.showSignature", "true"),
        ("log.showRoot", "false"),
        ("log.follow", "true"),
        ("diff.noprefix", "true"),
        ("diff.renames", "copies"),
        ("diff.external", "false"),
        ("status.short", "true"),
        ("notes.displayRef", "refs/notes/*"),
        ("notes.rewriteRef", "refs/notes/*"),
        ("notes.mergeStrategy", "union"),
        ("core.notesRef", "refs/notes/boundary/mine"),
        ("advice.objectNameWarning", "true"),
        ("alias.fetch", "!false"),
        ("alias.push", "!false"),
        ("alias.boundary", "!false"),
        ("alias.rev-parse", "status"),
        ("alias.worktree", "!false"),
    ]);
}

#[test]
fn settings_of_what_git_pushes_and_fetches() {
    under(&[
        ("push.default", "nothing"),
        ("push.autoSetupRemote", "true"),
        ("push.followTags", "true"),
        ("push.recurseSubmodules", "check"),
        ("push.useForceIfIncludes", "true"),
        ("push.gpgSign", "if-asked"),
        ("fetch.prune", "true"),
        ("fetch.pruneTags", "true"),
        ("fetch.parallel", "0"),
        ("fetch.writeCommitGraph", "true"),
        ("fetch.fsckObjects", "true"),
        ("fetch.output", "compact"),
        ("fetch.recurseSubmodules", "true"),
        ("submodule.recurse", "true"),
        ("remote.origin.prune", "true"),
        ("remote.origin.pruneTags", "true"),
        ("remote.origin.tagOpt", "--tags"),
        ("transfer.fsckObjects", "true"),
        ("transfer.unpackLimit", "1"),
        ("receive.fsckObjects", "true"),
        ("receive.denyDeletes", "true"),
        ("receive.denyNonFastForwards", "true"),
        ("receive.autogc", "false"),
        ("receive.advertiseAtomic", "false"),
        ("receive.advertisePushOptions", "true"),
        ("push.pushOption", "ci.skip"),
        ("uploadpack.allowAnySHA1InWant", "true"),
    ]);
}

#[test]
fn settings_of_how_git_keeps_objects_refs_and_files() {
    under(&[
        ("core.autocrlf", "true"),
        ("core.eol", "crlf"),
        ("core.safecrlf", "false"),
        ("core.ignoreCase", "true"),
        ("core.precomposeUnicode", "true"),
        ("core.untrackedCache", "true"),
        ("core.preloadIndex", "false"),
        ("core.logAllRefUpdates", "always"),
        ("core.compression", "0"),
        ("core.looseCompression", "9"),
        ("core.bigFileThreshold", "1"),
        ("core.packedRefsTimeout", "0"),
        ("core.fsync", "all"),
        ("core.sharedRepository", "group"),
        ("core.commitGraph", "true"),
        ("core.multiPackIndex", "true"),
        ("feature.manyFiles", "true"),
        ("feature.experimental", "true"),
        ("index.version", "4"),
        ("index.skipHash", "true"),
        ("index.sparse", "true"),
        ("gc.auto", "1"),
        ("gc.autoDetach", "false"),
        ("gc.pruneExpire", "now"),
        ("gc.reflogExpire", "now"),
        ("gc.cruftPacks", "true"),
        ("pack.writeReverseIndex", "true"),
        ("repack.writeBitmaps", "true"),
        ("maintenance.auto", "true"),
        ("user.useConfigOnly", "true"),
        ("merge.ff", "false"),
        ("rebase.autoSquash", "true"),
        ("commit.verbose", "true"),
        ("init.templateDir", "/nonexistent"),
    ]);
}

#[test]
fn a_fsmonitor_and_a_sparse_checkout() {
    let world = World::guarded();
    let work = &world.work;
    work.write(".git/monitor", "#!/bin/sh\nprintf '/\\0'\n");
    crate::support::executable(&work.dir.join(".git/monitor"));
    work.git("config core.fsmonitor .git/monitor");
    work.git("config core.fsmonitorHookVersion 1");
    work.git("sparse-checkout set --cone --sparse-index src");
    the_story_works(&world, work);
}

#[test]
fn hooks_in_a_directory_that_is_configured() {
    for (scope, path) in [("--local", ".git/my-hooks"), ("--local", "absolute")] {
        let world = World::guarded();
        let work = &world.work;
        work.git("config hook.unused x");
        let path = if path == "absolute" { work.dir.join(".git/other").display().to_string() } else { path.to_owned() };
        work.git(&format!("config {scope} core.hooksPath {path}"));
        let gap = work.boundary("doctor");
        assert_ne!(gap.status, 0, "git no longer runs the hook, and that is said: {gap}");
        work.boundary("hook install").ok();
        the_story_works(&world, work);
    }
}

#[test]
fn hooks_in_a_directory_of_the_whole_account() {
    let world = World::new();
    let work = &world.work;
    let all = world.root().join("all-hooks");
    std::fs::create_dir(&all).expect("the world is writable");
    work.git(&format!("config --global core.hooksPath {}", all.display()));
    let gap = work.boundary("doctor");
    assert_ne!(gap.status, 0, "git looks there and not here: {gap}");
    let refused = work.boundary("hook install");
    assert_ne!(refused.status, 0, "what all repositories share is not written to: {refused}");
    refused.says("core.hooksPath");
    // Pushed all the same, no hook runs, and whoever verifies afterwards finds it.
    work.hand_out();
    work.fix();
    let push = work.push("origin agent/fix");
    assert_eq!((push.hook, push.ran.status), (None, 0), "no hook ran: {}", push.ran);
    work.boundary("verify agent/fix").ends_with(1).says("context.receipt_missing");
    work.commit(&[("src/main.rs", "fn main() { more() }\n")]);
    work.git("config core.hooksPath .git/hooks");
    work.push("origin agent/fix").refused("context.receipt_missing");
}

#[test]
fn a_log_of_everything_leaves_receipts_out_as_documented() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.boundary("sync").ok();
    work.git("fetch -q");
    let all = work.git("log --all --format=%s");
    assert!(all.contains("chore(boundary)"), "git shows them where nothing is said: {all}");
    let told = work.git("log --exclude=refs/notes/* --exclude=refs/boundary* --all --format=%s");
    assert_eq!(told, "work\nwork", "by the words of the manual only branches are shown");
}
