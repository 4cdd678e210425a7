//! Listing files: what is in it, what is left out and counted, and where it ends.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use git_boundary::workspace::{Bound, ListBounds, Listing, Met, WalkBounds};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Place, all_means, open, path, refusal};

fn paths(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| file.path.as_str()).collect()
}

fn omitted(listing: &Listing) -> Vec<(&'static str, u64)> {
    listing.omitted.iter().map(|(reason, count)| (reason.name(), *count)).collect()
}

#[test]
fn files_come_sorted_by_the_bytes_of_their_paths_with_size_and_mode() {
    for means in all_means() {
        let place = Place::new();
        for at in ["b", "a/z", "a-b", "a.b", "a0", "a/b/c", "A", "é", "a/b-c"] {
            place.put(at, at);
        }
        fs::set_permissions(place.inside("b"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let listing = place.open(means).list_files(None, ListBounds::default(), &|_| true).expect("it can be listed");
        let mut sorted = paths(&listing);
        sorted.sort_unstable();
        assert_eq!(paths(&listing), sorted, "{means:?}");
        assert_eq!(listing.files.len(), 9, "{means:?}");
        assert_eq!((listing.files[7].size, listing.files[7].mode), (1, 0o755), "{means:?}: {:?}", listing.files[7]);
        assert!(listing.omitted.is_empty() && listing.met.is_empty(), "{means:?}");

        let below = place
            .open(means)
            .list_files(Some(&path("a/b")), ListBounds::default(), &|_| true)
            .expect("it can be listed");
        assert_eq!(paths(&below), ["a/b/c"], "{means:?}: paths are from the top");
    }
}

#[test]
fn what_is_left_out_is_counted_by_reason() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "");
        place.put(".git/config", "");
        place.put("sub/.GIT/config", "");
        place.put("git~1/config", "");
        place.put("back\\slash", "");
        place.put("new\nline", "");
        place.put(".git-boundary-tmp-x", "");
        place.put("linked", "");
        fs::hard_link(place.inside("linked"), place.inside("again")).expect("it is ours");
        symlink("file", place.inside("link")).expect("it is ours");
        symlink(place.outside(""), place.inside("sub/dir-link")).expect("it is ours");
        fs::write(place.outside("secret"), "OUTSIDE").expect("it is ours");
        fs::write(place.inside("").join(OsStr::from_bytes(b"caf\xe9")), "").expect("it is ours");
        mknodat(CWD, place.inside("fifo"), FileType::Fifo, Mode::RWXU, 0).expect("anybody may make one");
        let _listener = UnixListener::bind(place.inside("socket")).expect("anybody may make one");
        let listing = place.open(means).list_files(None, ListBounds::default(), &|_| true).expect("it can be listed");
        assert_eq!(paths(&listing), ["file"], "{means:?}");
        assert_eq!(
            omitted(&listing),
            [
                ("dot_git", 3),
                ("fifo", 1),
                ("hard_link", 2),
                ("name", 2),
                ("name_not_utf8", 1),
                ("socket", 1),
                ("symlink", 2),
                ("temporary", 1)
            ],
            "{means:?}"
        );
    }
}

#[test]
fn a_directory_that_may_not_be_read_is_counted() {
    if rustix::process::geteuid().is_root() {
        eprintln!("no directory is forbidden to root");
        return;
    }
    for means in all_means() {
        let place = Place::new();
        place.put("closed/file", "");
        place.put("open/file", "");
        let mode =
            |bits| fs::set_permissions(place.inside("closed"), fs::Permissions::from_mode(bits)).expect("it is ours");
        mode(0o000);
        let listing = place.open(means).list_files(None, ListBounds::default(), &|_| true).expect("it can be listed");
        mode(0o700);
        assert_eq!((paths(&listing), omitted(&listing)), (vec!["open/file"], vec![("permission", 1)]), "{means:?}");
    }
}

#[test]
fn other_file_systems_and_devices_are_counted_and_not_entered() {
    for means in all_means() {
        // What every Linux has: a folder with devices in it, and mounts below it.
        let bounds = ListBounds { walk: WalkBounds { depth: 1, ..WalkBounds::default() }, ..ListBounds::default() };
        let root = open(Path::new("/"), means).list_files(
            None,
            ListBounds { walk: WalkBounds { depth: 1, examined: usize::MAX }, ..bounds },
            &|_| true,
        );
        let root = root.expect("it can be listed");
        assert!(
            root.omitted.iter().any(|(reason, count)| reason.name() == "other_file_system" && *count > 0),
            "{means:?}"
        );
        assert!(paths(&root).iter().all(|path| !path.starts_with("proc/")), "{means:?}");
        let devices = open(Path::new("/dev"), means).list_files(None, bounds, &|_| true).expect("it can be listed");
        assert!(devices.omitted.iter().any(|(reason, count)| reason.name() == "device" && *count > 0), "{means:?}");
    }
}

#[test]
fn each_bound_ends_the_listing_at_a_place_that_is_named() {
    let place = Place::new();
    for at in ["a/1", "a/2", "b/1", "b/c/d/1", "e"] {
        place.put(at, "");
    }
    let all = ["a/1", "a/2", "b/1", "b/c/d/1", "e"];
    for means in all_means() {
        let list = |bounds| place.open(means).list_files(None, bounds, &|_| true).expect("it can be listed");
        for files in 0..=5 {
            let listing = list(ListBounds { files, ..ListBounds::default() });
            assert_eq!(paths(&listing), all[..files], "{means:?}");
            let met: Vec<_> =
                all.get(files).map(|at| Met { bound: Bound::Files, at: (*at).to_owned() }).into_iter().collect();
            assert_eq!(listing.met, met, "{means:?}");
        }
        let listing = list(ListBounds { path_bytes: 7, ..ListBounds::default() });
        assert_eq!(paths(&listing), all[..2], "{means:?}");
        assert_eq!(listing.met, [Met { bound: Bound::PathBytes, at: "b/1".to_owned() }], "{means:?}");

        // The top has three entries and `a` two; those of `b` are too many.
        let listing = list(ListBounds { walk: WalkBounds { examined: 6, depth: 9 }, ..ListBounds::default() });
        assert_eq!(paths(&listing), all[..2], "{means:?}: what is listed is the beginning of the whole");
        assert_eq!(listing.met, [Met { bound: Bound::Examined, at: "b".to_owned() }], "{means:?}");
        let listing = list(ListBounds { walk: WalkBounds { examined: 2, depth: 9 }, ..ListBounds::default() });
        assert_eq!((paths(&listing).len(), &*listing.met[0].at), (0, ""), "{means:?}");

        let listing = list(ListBounds { walk: WalkBounds { examined: 99, depth: 1 }, ..ListBounds::default() });
        assert_eq!(paths(&listing), ["a/1", "a/2", "b/1", "e"], "{means:?}: it goes on beside what is too deep");
        assert_eq!(listing.met, [Met { bound: Bound::Depth, at: "b/c".to_owned() }], "{means:?}");
        assert_eq!(omitted(&listing), [("too_deep", 1)], "{means:?}");
    }
}

#[test]
fn what_is_asked_for_must_be_a_directory_without_a_link_on_the_way() {
    let place = Place::new();
    place.put("file", "");
    symlink(place.outside(""), place.inside("link")).expect("it is ours");
    for means in all_means() {
        for (at, reason) in
            [("absent", "not_found"), ("file", "not_a_directory"), ("link", "symlink"), ("link/below", "symlink")]
        {
            let found = place.open(means).list_files(Some(&path(at)), ListBounds::default(), &|_| true);
            assert_eq!(refusal(found), reason, "{means:?} {at}");
        }
    }
}

#[test]
fn directories_deeper_than_any_bound_use_up_nothing() {
    let place = Place::new();
    place.put(&format!("{}file", "d/".repeat(300)), "");
    for means in all_means() {
        let listing = place.open(means).list_files(None, ListBounds::default(), &|_| true).expect("it can be listed");
        assert_eq!((listing.files.len(), listing.met[0].bound), (0, Bound::Depth), "{means:?}");
        let deep = path(&format!("{}d", "d/".repeat(299)));
        let listing =
            place.open(means).list_files(Some(&deep), ListBounds::default(), &|_| true).expect("it can be listed");
        assert_eq!(listing.files.len(), 1, "{means:?}");
    }
}
