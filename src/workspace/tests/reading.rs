//! What others may do while a file is read, and what is then seen of it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use rustix::fd::{AsFd as _, OwnedFd};

use super::{AccessError, Place, Workspace, all_means};
use crate::workspace::read::Opened;

fn top(workspace: &Workspace) -> OwnedFd {
    workspace.directory(None).expect("it is open")
}

#[test]
fn any_change_of_a_file_after_it_was_opened_is_noticed() {
    let changes: [(&str, &dyn Fn(&Place)); 6] = [
        ("nothing", &|_| {}),
        ("its time", &|place| {
            let file = File::options().write(true).open(place.at("ws/file")).expect("it is ours");
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).expect("it is ours");
        }),
        ("its size", &|place| place.put("ws/file", "longer than it was")),
        ("its mode", &|place| {
            fs::set_permissions(place.at("ws/file"), Permissions::from_mode(0o600)).expect("it is ours");
        }),
        ("its links", &|place| fs::hard_link(place.at("ws/file"), place.at("link")).expect("it is ours")),
        ("its name", &|place| fs::rename(place.at("ws/file"), place.at("ws/other")).expect("it is ours")),
    ];
    for means in all_means() {
        for (what, change) in &changes {
            let place = Place::new();
            place.put("ws/file", "content");
            let workspace = place.open(means);
            let dir = top(&workspace);
            let mut opened = workspace.open_regular(dir.as_fd(), "file").expect("it is a file");
            assert_eq!(opened.read(100).as_deref(), Ok(b"content".as_slice()), "{means:?}");
            change(&place);
            let expected = if *what == "nothing" { Ok(()) } else { Err(AccessError::Changed) };
            assert_eq!(opened.unchanged_at(dir.as_fd(), "file"), expected, "{means:?}: {what}");
        }
    }
}

#[test]
fn a_file_outside_whose_link_here_is_gone_again_is_not_taken_for_one_of_here() {
    for means in all_means() {
        let place = Place::new();
        place.put("outside", "OUTSIDE");
        place.put("ws/file", "content");
        let workspace = place.open(means);
        let dir = top(&workspace);
        // It was opened by its name here, which then went away: nothing about the file itself tells.
        let file = File::open(place.at("outside")).expect("it is ours");
        let opened = Opened::new(file.into(), workspace.identity().device).expect("it has one name");
        for name in ["file", "absent"] {
            assert_eq!(opened.unchanged_at(dir.as_fd(), name), Err(AccessError::Changed), "{means:?} {name}");
        }
    }
}

#[test]
fn what_was_opened_is_looked_at_whatever_was_there_before() {
    for means in all_means() {
        let place = Place::new();
        place.put("outside", "OUTSIDE");
        fs::hard_link(place.at("outside"), place.at("ws/link")).expect("it is ours");
        let device = place.open(means).identity().device;
        let opened = |path: &str| Opened::new(File::open(place.at(path)).expect("it is ours").into(), device).map(drop);
        assert_eq!(opened("ws/link"), Err(AccessError::HardLink { links: 2 }), "{means:?}");
        assert_eq!(opened("ws/d"), Err(AccessError::Directory), "{means:?}");
        let null = File::open("/dev/null").expect("every system has it");
        assert_eq!(Opened::new(null.into(), device).map(drop), Err(AccessError::Device), "{means:?}");
        let other = File::open("/proc/version").expect("every Linux has it");
        assert_eq!(Opened::new(other.into(), device).map(drop), Err(AccessError::OtherFileSystem), "{means:?}");
        fs::remove_file(place.at("outside")).expect("it is ours");
        let gone = File::open(place.at("ws/link")).expect("it is ours");
        fs::remove_file(place.at("ws/link")).expect("it is ours");
        assert_eq!(Opened::new(gone.into(), device).map(drop), Err(AccessError::Changed), "{means:?}: it has no name");
    }
}
