//! Somebody changes the workspace all the time while it is used: nothing from outside is ever given, and nothing outside ever changes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use git_boundary::workspace::{
    AccessError, Effect, Expected, ListBounds, Literal, Means, Preimage, SearchBounds, Workspace, WriteError,
};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

use super::{Place, all_below, all_means, digest, path};

const ROUNDS: usize = 10_000;
const INSIDE: &str = "inside needle";
const OUTSIDE: &str = "OUTSIDE needle and more";

/// Runs `change` over and over while `work` is done.
fn meanwhile(change: impl Fn() + Sync, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                change();
            }
        });
        // The other thread ends also when this one fails.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        done.store(true, Ordering::Relaxed);
        if let Err(failure) = result {
            std::panic::resume_unwind(failure);
        }
    });
}

/// `ROUNDS` times, and on until it came out both ways, so that there was a race at all.
fn until_both(mut once: impl FnMut() -> bool) {
    let (mut rounds, mut yes, mut no) = (0, 0, 0);
    while rounds < ROUNDS || yes == 0 || no == 0 {
        rounds += 1;
        if once() { yes += 1 } else { no += 1 }
    }
}

/// Two entries of the workspace that change places: a directory and a link to the one outside, a file and a link to the one outside.
struct Swapped {
    place: Place,
    pairs: Vec<[PathBuf; 2]>,
}

impl Swapped {
    fn new() -> Self {
        let place = Place::new();
        place.put("d/secret", INSIDE);
        place.put("file", INSIDE);
        fs::write(place.outside("secret"), OUTSIDE).expect("it is ours");
        symlink(place.outside(""), place.inside("d-link")).expect("it is ours");
        symlink(place.outside("secret"), place.inside("file-link")).expect("it is ours");
        let pair = |one, other| [place.inside(one), place.inside(other)];
        let pairs = vec![pair("d", "d-link"), pair("file", "file-link")];
        Swapped { pairs, place }
    }

    fn swap(&self) {
        for [one, other] in &self.pairs {
            renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("both are there");
        }
    }

    fn assert_outside_is_as_it_was(&self) {
        assert_eq!(all_below(&self.place.outside("")), [self.place.outside("secret")], "nothing was made outside");
        let text = fs::read_to_string(self.place.outside("secret")).expect("it is ours");
        assert_eq!(text, OUTSIDE, "nothing outside was changed");
    }

    fn race(means: Means, once: impl Fn(&Workspace) -> bool) {
        let swapped = Swapped::new();
        let workspace = swapped.place.open(means);
        meanwhile(|| swapped.swap(), || until_both(|| once(&workspace)));
        swapped.assert_outside_is_as_it_was();
    }
}

#[test]
fn reads_never_give_anything_from_outside() {
    for means in all_means() {
        for at in ["d/secret", "file", "d-link/secret"] {
            Swapped::race(means, |workspace| match workspace.read_file(&path(at), 1000) {
                Ok(found) => {
                    assert_eq!(found.text, INSIDE, "{means:?} {at}");
                    true
                }
                Err(AccessError::Symlink | AccessError::Changed) => false,
                Err(other) => panic!("{means:?} {at}: {other:?}"),
            });
        }
    }
}

#[test]
fn listings_never_show_anything_from_outside() {
    for means in all_means() {
        Swapped::race(means, |workspace| {
            let listing = workspace.list_files(None, ListBounds::default(), &|_| true).expect("the top stays");
            for file in &listing.files {
                assert_eq!(file.size, INSIDE.len() as u64, "{means:?} {file:?}");
            }
            listing.files.len() == 2
        });
    }
}

#[test]
fn searches_never_find_anything_outside() {
    let needle = Literal::new("needle").expect("it can be looked for");
    for means in all_means() {
        Swapped::race(means, |workspace| {
            let found =
                workspace.search_text(&needle, None, SearchBounds::default(), &|_| true).expect("the top stays");
            for it in &found.matches {
                assert_eq!(it.shown, INSIDE, "{means:?} {it:?}");
            }
            found.matches.len() == 2
        });
    }
}

#[test]
fn a_name_that_is_given_and_taken_again_never_lets_a_file_from_outside_be_read() {
    for means in all_means() {
        let place = Place::new();
        fs::write(place.outside("secret"), OUTSIDE).expect("it is ours");
        let workspace = place.open(means);
        let [name, link] = [place.inside("name"), place.inside("link")];
        // A file with one name, then one of outside with two, which has one again at once.
        let change = || {
            fs::write(&name, INSIDE).expect("it is ours");
            fs::hard_link(place.outside("secret"), &link).expect("it is ours");
            fs::rename(&link, &name).expect("it is ours");
            fs::remove_file(&name).expect("it is ours");
        };
        meanwhile(change, || {
            until_both(|| match workspace.read_file(&path("name"), 1000) {
                // Half of what is written so far is of here, too.
                Ok(found) => {
                    assert!(INSIDE.starts_with(&found.text), "{means:?}: {found:?}");
                    true
                }
                Err(AccessError::NotFound | AccessError::HardLink { .. } | AccessError::Changed) => false,
                Err(other) => panic!("{means:?}: {other:?}"),
            });
            let found = workspace.search_text(
                &Literal::new("OUT").expect("it is text"),
                None,
                SearchBounds::default(),
                &|_| true,
            );
            assert_eq!(found.map(|found| found.matches), Ok(vec![]), "{means:?}");
        });
    }
}

#[test]
fn a_pipe_that_takes_the_place_of_a_file_never_holds_a_reader() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", INSIDE);
        mknodat(CWD, place.inside("fifo"), FileType::Fifo, Mode::RWXU, 0).expect("anybody may make one");
        let [file, fifo] = [place.inside("file"), place.inside("fifo")];
        let change = || renameat_with(CWD, &file, CWD, &fifo, RenameFlags::EXCHANGE).expect("both are there");
        let workspace = place.open(means);
        meanwhile(change, || {
            until_both(|| match workspace.read_file(&path("file"), 1000) {
                Ok(found) => {
                    assert_eq!(found.text, INSIDE, "{means:?}");
                    true
                }
                Err(AccessError::Fifo | AccessError::Changed) => false,
                Err(other) => panic!("{means:?}: {other:?}"),
            });
        });
    }
}

#[test]
fn a_file_that_is_rewritten_is_never_given_half() {
    for means in all_means() {
        let place = Place::new();
        let contents = ["a".repeat(20_000), "b".repeat(20_000)];
        place.put("file", &contents[0]);
        let workspace = place.open(means);
        let change =
            || contents.iter().for_each(|content| fs::write(place.inside("file"), content).expect("it is ours"));
        meanwhile(change, || {
            for _ in 0..ROUNDS / 10 {
                match workspace.read_file(&path("file"), 1 << 20) {
                    // What a writer that writes in place has done so far is content too, but only at one moment of it.
                    Ok(found) => {
                        let first = found.text.chars().next().unwrap_or('a');
                        assert!(found.text.chars().all(|it| it == first), "{means:?}: two contents in one");
                    }
                    Err(reason) => assert_eq!(reason, AccessError::Changed, "{means:?}"),
                }
            }
        });
    }
}

#[test]
fn writes_never_change_anything_outside() {
    for means in all_means() {
        for at in ["d/secret", "file", "d/new", "d/deep/er/new"] {
            let swapped = Swapped::new();
            let workspace = swapped.place.open(means);
            meanwhile(
                || swapped.swap(),
                || {
                    for round in 0..300 {
                        let preimage = workspace.preimage(&path(at), 1000);
                        let expected = match preimage.as_ref().map(Preimage::digest) {
                            Ok(Some(found)) => Expected::Content(found),
                            Ok(None) => Expected::Absent,
                            Err(_) => continue,
                        };
                        let bytes = format!("round {round} needle");
                        match workspace.write_file(&path(at), bytes.as_bytes(), expected, 1000) {
                            Ok(written) => assert_eq!(written.size, bytes.len() as u64),
                            // Both changes were met by one of the others': what could not go back is kept and named.
                            Err(WriteError { kept: Some(kept), .. }) => {
                                assert_eq!(at, "file", "{means:?}: in a directory nothing changes places");
                                assert!(
                                    matches!(swapped.place.temporaries().as_slice(), [one] if one.ends_with(&kept))
                                );
                                fs::remove_file(swapped.place.inside(&kept)).expect("it is ours");
                            }
                            Err(_) => {}
                        }
                    }
                },
            );
            swapped.assert_outside_is_as_it_was();
            assert!(swapped.place.temporaries().is_empty(), "{means:?} {at}: {:?}", swapped.place.temporaries());
        }
    }
}

#[test]
fn two_writers_of_one_preimage_never_both_succeed() {
    for means in all_means() {
        let place = Place::new();
        place.put("file", "0");
        for round in 0..100 {
            let before = place.text("file");
            let expected = Expected::Content(digest(&before));
            let write = |who: &str| {
                let bytes = format!("{round} {who}");
                place.open(means).write_file(&path("file"), bytes.as_bytes(), expected, 1000).map(|_| bytes)
            };
            let [one, other] = thread::scope(|scope| {
                let one = scope.spawn(|| write("one"));
                let other = write("other");
                [one.join().expect("it ends"), other]
            });
            let text = place.text("file");
            assert!(place.temporaries().is_empty(), "{means:?} {round}");
            match (one, other) {
                (Ok(bytes), Err(err)) | (Err(err), Ok(bytes)) => {
                    assert_eq!((&text, err.kept), (&bytes, None), "{means:?} {round}");
                }
                // The first one saw the second one in its place, before that one went back.
                (Err(one), Err(other)) => {
                    let unsure = [&one, &other].into_iter().any(|err| err.effect == Effect::Undetermined);
                    assert!(text == before || unsure, "{means:?} {round}: {one:?} {other:?} {text:?}");
                }
                (Ok(_), Ok(_)) => panic!("{means:?} {round}: one preimage was replaced twice"),
            }
        }
    }
}
