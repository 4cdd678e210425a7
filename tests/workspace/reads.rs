//! Reading a file: what is given, and each reason for giving nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use git_boundary::workspace::{AccessError, Expected, ListBounds, Literal, Means, Preimage, SearchBounds, Workspace};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Place, again, all_means, can_trace, digest, open, path, refusal};

const LIMIT: u64 = 1000;

fn read(place: &Place, means: Means, at: &str) -> Result<String, AccessError> {
    place.open(means).read_file(&path(at), LIMIT).map(|file| file.text)
}

#[test]
fn a_file_is_given_with_its_mode_and_digest() {
    for means in all_means() {
        let place = Place::new();
        place.put("a/b/c.txt", "héllo\n");
        fs::set_permissions(place.inside("a/b/c.txt"), fs::Permissions::from_mode(0o640)).expect("it is ours");
        let found = place.open(means).read_file(&path("a/b/c.txt"), LIMIT).expect("it can be read");
        assert_eq!((found.text.as_str(), found.mode, found.digest), ("héllo\n", 0o640, digest("héllo\n")), "{means:?}");
        place.put("empty", "");
        assert_eq!(read(&place, means, "empty").as_deref(), Ok(""), "{means:?}");
    }
}

#[test]
fn the_workspace_knows_which_directory_it_is_and_stays_with_it() {
    for means in all_means() {
        let place = Place::new();
        place.put("a", "inside");
        let workspace = place.open(means);
        let metadata = fs::metadata(place.inside("")).expect("it is there");
        assert_eq!((workspace.identity().device, workspace.identity().inode), (metadata.dev(), metadata.ino()));
        fs::rename(place.inside(""), place.outside("moved")).expect("both are ours");
        symlink(place.outside(""), place.inside("").to_str().expect("it is text").trim_end_matches('/'))
            .expect("it is ours");
        fs::write(place.outside("a"), "outside").expect("it is ours");
        let found = workspace.read_file(&path("a"), LIMIT).map(|file| file.text);
        assert_eq!(found.as_deref(), Ok("inside"), "{means:?}: the descriptor counts, not the name");
    }
}

#[test]
fn a_workspace_is_a_directory_and_no_link() {
    let place = Place::new();
    place.put("file", "");
    symlink(place.outside(""), place.inside("link")).expect("it is ours");
    for means in all_means() {
        for (at, reason) in [("file", "not_a_directory"), ("link", "symlink"), ("absent", "not_found")] {
            assert_eq!(refusal(Workspace::open_with(&place.inside(at), means)), reason, "{means:?} {at}");
        }
    }
}

/// In a process without `openat2`: the folder of the workspace.
const WITHOUT_OPENAT2: &str = "WORKSPACE_WITHOUT_OPENAT2";

#[test]
fn where_the_kernel_has_no_openat2_or_forbids_it_the_walk_is_taken() {
    if let Some(dir) = std::env::var_os(WITHOUT_OPENAT2) {
        assert_eq!(Workspace::open(Path::new(&dir)).map(|it| it.means()).ok(), Some(Means::Walk));
        assert_eq!(refusal(Workspace::open_with(Path::new(&dir), Means::Openat2)), "unsupported");
        return;
    }
    if !can_trace() {
        eprintln!("strace may not trace here: no call can be forbidden");
        return;
    }
    let place = Place::new();
    for error in ["ENOSYS", "EPERM"] {
        let inject = format!("inject=openat2:error={error}");
        let options = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=openat2", "-e", &inject];
        let test = "where_the_kernel_has_no_openat2_or_forbids_it_the_walk_is_taken";
        let ran = again("strace", &options, module_path!(), test).env(WITHOUT_OPENAT2, place.inside("")).output();
        let ran = ran.expect("it starts");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{error}: {said}");
    }
}

#[test]
fn what_is_not_there_or_no_file_is_named() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "");
        fs::create_dir(place.inside("dir")).expect("it is ours");
        for (at, reason) in [
            ("absent", "not_found"),
            ("dir/absent/more", "not_found"),
            ("file/below", "not_a_directory"),
            ("dir", "directory"),
        ] {
            assert_eq!(refusal(read(&place, means, at)), reason, "{means:?} {at}");
        }
    }
}

#[test]
fn no_link_is_followed_at_any_level_wherever_it_leads() {
    for means in all_means() {
        let place = Place::new();
        place.put("real/deep/file", "inside");
        fs::write(place.outside("file"), "OUTSIDE").expect("it is ours");
        symlink(place.outside("file"), place.inside("absolute")).expect("it is ours");
        symlink("../outside/file", place.inside("relative")).expect("it is ours");
        symlink("real/deep/file", place.inside("within")).expect("it is ours");
        symlink("nowhere", place.inside("dangling")).expect("it is ours");
        symlink(place.outside(""), place.inside("dir")).expect("it is ours");
        symlink("real", place.inside("dir-within")).expect("it is ours");
        symlink("deep", place.inside("real/link")).expect("it is ours");
        symlink("/proc/self/cwd", place.inside("magic")).expect("it is ours");
        for at in [
            "absolute",
            "relative",
            "within",
            "dangling",
            "dir",
            "dir/file",
            "dir-within/deep/file",
            "real/link/file",
            "magic",
            "magic/Cargo.toml",
        ] {
            assert_eq!(refusal(read(&place, means, at)), "symlink", "{means:?} {at}");
        }
    }
}

#[test]
fn a_hard_link_is_refused_whichever_of_its_names_is_asked_for() {
    for means in all_means() {
        let place = Place::new();
        fs::write(place.outside("file"), "OUTSIDE").expect("it is ours");
        fs::hard_link(place.outside("file"), place.inside("linked")).expect("both are on one file system");
        let found = read(&place, means, "linked");
        assert_eq!(found, Err(AccessError::HardLink { links: 2 }), "{means:?}");
    }
}

#[test]
fn pipes_sockets_and_devices_are_told_apart_and_not_opened() {
    for means in all_means() {
        let place = Place::new();
        mknodat(CWD, place.inside("fifo"), FileType::Fifo, Mode::RWXU, 0).expect("anybody may make one");
        let _listener = UnixListener::bind(place.inside("socket")).expect("anybody may make one");
        assert_eq!(refusal(read(&place, means, "fifo")), "fifo", "{means:?}");
        assert_eq!(refusal(read(&place, means, "socket")), "socket", "{means:?}");
        // The null device, where root may make one; else the system's own, which may be mounted where it is.
        let null = rustix::fs::makedev(1, 3);
        if mknodat(CWD, place.inside("device"), FileType::CharacterDevice, Mode::RWXU, null).is_ok() {
            assert_eq!(refusal(read(&place, means, "device")), "device", "{means:?}");
        } else {
            eprintln!("no device can be made here: /dev/null is asked for");
            let reason = refusal(open(Path::new("/dev"), means).read_file(&path("null"), LIMIT));
            assert!(["device", "other_file_system"].contains(&reason), "{means:?}: {reason}");
        }
    }
}

#[test]
fn another_file_system_is_not_entered() {
    for means in all_means() {
        let root = open(Path::new("/"), means);
        // Every Linux has this one mounted.
        for at in ["proc/version", "proc/sys/kernel/ostype", "proc/self/status"] {
            assert_eq!(refusal(root.read_file(&path(at), LIMIT)), "other_file_system", "{means:?} {at}");
        }
        assert_eq!(
            refusal(root.list_files(Some(&path("proc")), Default::default(), &|_| true)),
            "other_file_system",
            "{means:?}"
        );
    }
}

/// In a process that has mounts of its own: the folder of the workspace.
const MOUNTED: &str = "WORKSPACE_MOUNTED";

#[test]
fn a_mount_of_the_same_file_system_is_not_entered() {
    let Some(dir) = std::env::var_os(MOUNTED) else {
        let place = Place::new();
        place.put("file", "");
        fs::create_dir(place.inside("dir")).expect("it is ours");
        fs::write(place.outside("secret"), "OUTSIDE needle").expect("it is ours");
        let script = "mount --bind outside inside/dir && mount --bind outside/secret inside/file && exec \"$@\"";
        let test = "a_mount_of_the_same_file_system_is_not_entered";
        let mut command = again("unshare", &["-rm", "sh", "-c", script, "sh"], module_path!(), test);
        let ran = command.env(MOUNTED, place.inside("")).current_dir(place.inside("..")).output();
        match ran {
            Ok(ran) if String::from_utf8_lossy(&ran.stdout).contains("running 1 test") => {
                assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
            }
            ran => eprintln!("nobody may mount here: {ran:?}"),
        }
        return;
    };
    for means in all_means() {
        let workspace = open(Path::new(&dir), means);
        for at in ["dir/secret", "file"] {
            assert_eq!(refusal(workspace.read_file(&path(at), LIMIT)), "other_file_system", "{means:?} {at}");
            let written = workspace.write_file(&path(at), b"", Expected::Content(digest("OUTSIDE needle")), LIMIT);
            assert_eq!(written.map_err(|err| err.reason), Err(AccessError::OtherFileSystem), "{means:?} {at}");
        }
        assert_eq!(
            refusal(workspace.list_files(Some(&path("dir")), ListBounds::default(), &|_| true)),
            "other_file_system"
        );
        let needle = Literal::new("needle").expect("it can be looked for");
        let found =
            workspace.search_text(&needle, None, SearchBounds::default(), &|_| true).expect("the top can be read");
        assert_eq!(found.matches, [], "{means:?}");
        // Its size and mode are no secret; what is in it is.
        let listing = workspace.list_files(None, ListBounds::default(), &|_| true).expect("the top can be read");
        assert!(listing.files.iter().all(|file| file.path.as_str() == "file"), "{means:?}: {listing:?}");
    }
}

#[test]
fn a_file_that_its_reader_may_not_open_is_denied() {
    for means in all_means() {
        let place = Place::new();
        place.put("secret", "");
        fs::set_permissions(place.inside("secret"), fs::Permissions::from_mode(0o000)).expect("it is ours");
        if rustix::process::geteuid().is_root() {
            // Root may open that one. But not the kernel's files that are only written to.
            let bus = Path::new("/sys/bus/platform");
            if !bus.join("uevent").exists() {
                eprintln!("nothing is forbidden to root here");
                return;
            }
            assert_eq!(refusal(open(bus, means).read_file(&path("uevent"), 1 << 20)), "permission", "{means:?}");
        } else {
            assert_eq!(refusal(read(&place, means, "secret")), "permission", "{means:?}");
        }
    }
}

#[test]
fn a_file_past_the_limit_is_refused_with_both_sizes() {
    for means in all_means() {
        let place = Place::new();
        place.put("exact", "a".repeat(1000));
        place.put("over", "a".repeat(1001));
        fs::File::create(place.inside("sparse")).and_then(|file| file.set_len(1 << 40)).expect("it takes no room");
        assert!(read(&place, means, "exact").is_ok(), "{means:?}");
        assert_eq!(read(&place, means, "over"), Err(AccessError::TooLarge { size: 1001, limit: 1000 }), "{means:?}");
        assert_eq!(
            read(&place, means, "sparse"),
            Err(AccessError::TooLarge { size: 1 << 40, limit: 1000 }),
            "{means:?}"
        );
    }
}

#[test]
fn text_is_utf_8_and_nothing_else() {
    for means in all_means() {
        let place = Place::new();
        place.put("latin1", b"caf\xe9");
        place.put("surrogate", b"ab\xed\xa0\x80");
        place.put("cut", b"ab\xe2\x82");
        for (at, valid_up_to) in [("latin1", 3), ("surrogate", 2), ("cut", 2)] {
            assert_eq!(read(&place, means, at), Err(AccessError::NotUtf8 { valid_up_to }), "{means:?} {at}");
        }
        let found = place.open(means).preimage(&path("latin1"), LIMIT).expect("a preimage may be of any bytes");
        assert_eq!(found.digest(), Some(digest(b"caf\xe9")), "{means:?}");
    }
}

#[test]
fn a_file_that_says_another_size_than_it_has_is_changed_while_read() {
    for means in all_means() {
        // The kernel makes such a file up when it is read.
        let found = open(Path::new("/proc"), means).read_file(&path("version"), LIMIT);
        assert_eq!(refusal(found), "changed", "{means:?}");
    }
}

#[test]
fn the_preimage_is_absent_only_where_nothing_is() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "content");
        symlink("nowhere", place.inside("dangling")).expect("it is ours");
        let workspace = place.open(means);
        for at in ["absent", "absent/below"] {
            assert_eq!(workspace.preimage(&path(at), LIMIT), Ok(Preimage::Absent), "{means:?} {at}");
        }
        let found = workspace.preimage(&path("file"), LIMIT).expect("it is a file");
        assert_eq!(found.digest(), Some(digest("content")), "{means:?}");
        assert_eq!(refusal(workspace.preimage(&path("dangling"), LIMIT)), "symlink", "{means:?}");
        assert_eq!(refusal(workspace.preimage(&path("file/below"), LIMIT)), "not_a_directory", "{means:?}");
    }
}
