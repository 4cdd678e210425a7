//! Writing a file: exactly this in the place of exactly that, or nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use git_boundary::model::digest::Digest;
use git_boundary::workspace::{AccessError, Effect, Expected, Means, WalkBounds, WriteError, Written};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Place, all_below, all_means, digest, open, path};

const LIMIT: u64 = 1000;

fn write(place: &Place, means: Means, at: &str, bytes: &str, expected: Expected) -> Result<Written, WriteError> {
    place.open(means).write_file(&path(at), bytes.as_bytes(), expected, LIMIT)
}

fn content(text: &str) -> Expected {
    Expected::Content(digest(text))
}

#[track_caller]
fn refused(result: Result<Written, WriteError>, reason: AccessError) {
    assert_eq!(result, Err(WriteError { reason, effect: Effect::Nothing, kept: None }));
}

fn differs(expected: Option<Digest>, found: Option<Digest>) -> AccessError {
    AccessError::PreimageDiffers { expected, found }
}

#[test]
fn a_new_file_is_made_where_nothing_is() {
    for means in all_means() {
        let place = Place::new();
        let written = write(&place, means, "new", "content", Expected::Absent).expect("nothing is there");
        let expected =
            Written { replaced: None, digest: digest("content"), size: 7, mode: 0o644, made_directories: vec![] };
        assert_eq!(written, expected, "{means:?}");
        assert_eq!(place.text("new"), "content");
        let metadata = fs::metadata(place.inside("new")).expect("it is there");
        assert_eq!((metadata.mode() & 0o7777, metadata.nlink()), (0o644, 1), "{means:?}");
        assert_eq!(all_below(&place.inside("")).len(), 1, "{means:?}: nothing else was left");
    }
}

#[test]
fn directories_are_made_for_a_new_file_and_said() {
    for means in all_means() {
        let place = Place::new();
        place.put("a/old", "");
        let written = write(&place, means, "a/b/c/new", "content", Expected::Absent).expect("nothing is there");
        assert_eq!(written.made_directories, ["a/b", "a/b/c"], "{means:?}");
        assert_eq!(place.text("a/b/c/new"), "content");
        assert_eq!(fs::metadata(place.inside("a/b")).expect("it is there").mode() & 0o7022, 0, "{means:?}");
    }
}

#[test]
fn so_many_directories_are_made_for_a_file_and_none_for_one_that_wants_more() {
    for means in all_means() {
        let place = Place::new();
        let too_deep = format!("{}new", "d/".repeat(17));
        refused(write(&place, means, &too_deep, "", Expected::Absent), AccessError::TooManyDirectories { limit: 16 });
        assert!(all_below(&place.inside("")).is_empty(), "{means:?}: what was made is taken away");
        let deep = format!("{}new", "d/".repeat(16));
        let written = write(&place, means, &deep, "", Expected::Absent).expect("nothing is there");
        assert_eq!(written.made_directories.len(), 16, "{means:?}");
    }
}

#[test]
fn a_replaced_file_keeps_its_permissions_but_for_those_that_lend_an_identity() {
    for means in all_means() {
        for (mode, kept) in [(0o755, 0o755), (0o600, 0o600), (0o444, 0o444), (0o6751, 0o751)] {
            let place = Place::new();
            place.put("file", "old");
            fs::set_permissions(place.inside("file"), fs::Permissions::from_mode(mode)).expect("it is ours");
            let written = write(&place, means, "file", "new", content("old")).expect("it is as expected");
            assert_eq!(
                (written.replaced, written.digest, written.mode),
                (Some(digest("old")), digest("new"), kept),
                "{means:?}"
            );
            assert_eq!(place.text("file"), "new");
            assert_eq!(fs::metadata(place.inside("file")).expect("it is there").mode() & 0o7777, kept, "{means:?}");
            assert_eq!(all_below(&place.inside("")).len(), 1, "{means:?}: nothing else was left");
        }
    }
}

#[test]
fn another_preimage_is_refused_and_what_is_there_stays() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "mine");
        refused(write(&place, means, "file", "new", Expected::Absent), differs(None, Some(digest("mine"))));
        refused(
            write(&place, means, "file", "new", content("old")),
            differs(Some(digest("old")), Some(digest("mine"))),
        );
        refused(write(&place, means, "gone", "new", content("old")), differs(Some(digest("old")), None));
        refused(write(&place, means, "no/dir", "new", content("old")), differs(Some(digest("old")), None));
        assert_eq!(place.text("file"), "mine", "{means:?}");
        assert_eq!(all_below(&place.inside("")).len(), 1, "{means:?}: nothing else was left");
    }
}

#[test]
fn a_file_of_any_bytes_may_be_replaced() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", b"\xff\x00");
        let written =
            place.open(means).write_file(&path("file"), b"\xfe\x00", Expected::Content(digest(b"\xff\x00")), LIMIT);
        assert_eq!(written.map(|it| it.size), Ok(2), "{means:?}");
    }
}

#[test]
fn nothing_but_a_regular_file_with_one_name_is_ever_replaced_or_written_through() {
    for means in all_means() {
        let place = Place::new();
        fs::write(place.outside("target"), "old").expect("it is ours");
        symlink(place.outside("target"), place.inside("link")).expect("it is ours");
        symlink(place.outside("absent"), place.inside("dangling")).expect("it is ours");
        symlink(place.outside(""), place.inside("dir-link")).expect("it is ours");
        fs::create_dir(place.inside("dir")).expect("it is ours");
        fs::hard_link(place.outside("target"), place.inside("hard")).expect("both are on one file system");
        mknodat(CWD, place.inside("fifo"), FileType::Fifo, Mode::RWXU, 0).expect("anybody may make one");
        place.put("file", "");
        let before = all_below(&place.inside(""));
        for (at, reason) in [
            ("link", AccessError::Symlink),
            ("dangling", AccessError::Symlink),
            ("dir-link/target", AccessError::Symlink),
            ("dir-link/new", AccessError::Symlink),
            ("dir", AccessError::Directory),
            ("hard", AccessError::HardLink { links: 2 }),
            ("fifo", AccessError::Fifo),
            ("file/below", AccessError::NotADirectory),
        ] {
            refused(write(&place, means, at, "new", Expected::Absent), reason);
            refused(write(&place, means, at, "new", content("old")), reason);
        }
        assert_eq!(all_below(&place.inside("")), before, "{means:?}");
        assert_eq!(fs::read_to_string(place.outside("target")).expect("it is ours"), "old", "{means:?}");
        assert_eq!(all_below(&place.outside("")).len(), 1, "{means:?}");
    }
}

#[test]
fn another_file_system_is_not_written_to() {
    for means in all_means() {
        // Every Linux has this one mounted.
        let written = open(Path::new("/"), means).write_file(&path("proc/git-boundary"), b"", Expected::Absent, LIMIT);
        refused(written, AccessError::OtherFileSystem);
    }
}

#[test]
fn too_much_content_is_refused_on_either_side() {
    for means in all_means() {
        let place = Place::new();
        let large = "a".repeat(1001);
        place.put("large", &large);
        let reason = AccessError::TooLarge { size: 1001, limit: 1000 };
        refused(write(&place, means, "new", &large, Expected::Absent), reason);
        refused(write(&place, means, "large", "new", content(&large)), reason);
        assert_eq!(all_below(&place.inside("")).len(), 1, "{means:?}");
    }
}

#[test]
fn a_directory_that_cannot_be_written_to_is_denied() {
    for means in all_means() {
        // Nobody makes files there, not even root.
        let written = open(Path::new("/sys/kernel"), means).write_file(&path("new"), b"", Expected::Absent, LIMIT);
        refused(written, AccessError::Permission);
    }
}

#[test]
fn the_same_content_again_is_a_replacement_like_any_other() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "same");
        let written = write(&place, means, "file", "same", content("same")).expect("it is as expected");
        assert_eq!((written.replaced, written.digest), (Some(digest("same")), digest("same")), "{means:?}");
        assert_eq!(all_below(&place.inside("")).len(), 1, "{means:?}");
    }
}

#[test]
fn a_sweep_removes_what_is_superseded_and_nothing_else() {
    let random = "0".repeat(32);
    let swap = |old: &str| format!(".git-boundary-tmp-swap-{random}-{}-{}", digest("new").hex(), digest(old).hex());
    for means in all_means() {
        let place = Place::new();
        let unfinished = format!("a/b/.git-boundary-tmp-new-{random}");
        place.put(&unfinished, "hal");
        place.put(&format!("a/{}", swap("old")), "old");
        place.put(&swap("other"), "new");
        // Somebody's edit that came out in the place of what was expected.
        place.put(&swap("expected"), "mine");
        place.put(".git-boundary-tmp-notes", "mine");
        place.put("linked", "new");
        let half_linked = format!(".git-boundary-tmp-new-{}", "1".repeat(32));
        fs::hard_link(place.inside("linked"), place.inside(&half_linked)).expect("it is ours");
        fs::create_dir(place.inside(&format!(".git-boundary-tmp-new-{}", "2".repeat(32)))).expect("it is ours");

        let swept = place.open(means).sweep(WalkBounds::default(), LIMIT).expect("it can be swept");
        let mut removed = swept.removed.clone();
        removed.sort();
        let mut expected = [swap("other"), half_linked, format!("a/{}", swap("old")), unfinished];
        expected.sort();
        assert_eq!(removed, expected, "{means:?}");
        assert_eq!(swept.kept.len(), 3, "{means:?}: {swept:?}");
        assert_eq!(place.text(&swap("expected")), "mine", "{means:?}");
        assert_eq!(place.temporaries().len(), 3, "{means:?}");
        assert_eq!(place.text("linked"), "new", "{means:?}");
    }
}
