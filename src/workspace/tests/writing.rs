//! What others may do in the middle of a write, at the moments that matter.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{LIMIT, Place, all_means};
use crate::workspace::read::digest;
use crate::workspace::write::Moment;
use crate::workspace::{AccessError, Effect, Expected, Means, WriteError, Written};

impl Place {
    /// Writes "new" to `d/file`, while `others` act at `moment`.
    fn write(
        &self,
        means: Means,
        expected: Expected,
        moment: Moment,
        others: &dyn Fn(),
    ) -> Result<Written, WriteError> {
        let path = "d/file".parse().expect("it is canonical");
        self.open(means).write_observed(&path, b"new", expected, LIMIT, &mut |at| {
            if at == moment {
                others();
            }
        })
    }
}

fn old() -> Expected {
    Expected::Content(digest(b"old"))
}

fn nothing(reason: AccessError) -> Result<Written, WriteError> {
    Err(WriteError { reason, effect: Effect::Nothing, kept: None })
}

fn replace_by_rename(path: &Path, text: &str) {
    let other = path.with_extension("other");
    fs::write(&other, text).expect("it is ours");
    fs::rename(&other, path).expect("it is ours");
}

#[test]
fn nothing_is_prepared_where_something_else_is_seen_at_once() {
    for means in all_means() {
        for expected in [old(), Expected::Absent] {
            let place = Place::new();
            place.put("ws/d/file", "mine");
            let prepared = || panic!("{means:?}: it came to the point of placing the content");
            assert!(place.write(means, expected, Moment::Complete, &prepared).is_err(), "{means:?}");
        }
    }
}

#[test]
fn an_edit_while_the_content_is_brought_to_the_disk_is_seen_before_anything_is_moved() {
    for means in all_means() {
        for expected in [old(), Expected::Absent] {
            let place = Place::new();
            if expected == old() {
                place.put("ws/d/file", "old");
            }
            let path = "d/file".parse().expect("it is canonical");
            let written = place.open(means).write_observed(&path, b"new", expected, LIMIT, &mut |at| match at {
                Moment::Complete => replace_by_rename(&place.at("ws/d/file"), "mine"),
                Moment::Verified | Moment::Placed => panic!("{means:?}: the edit was not seen"),
            });
            assert_eq!(written.map_err(|err| (err.effect, err.kept)), Err((Effect::Nothing, None)), "{means:?}");
            assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("mine", 1), "{means:?}");
        }
    }
}

#[test]
fn an_edit_just_before_the_exchange_is_put_back_and_the_write_refused() {
    for means in all_means() {
        let (expected, found) = (Some(digest(b"old")), Some(digest(b"mine")));
        let place = Place::new();
        // As an editor does that writes a new file.
        place.put("ws/d/file", "old");
        let edit = || replace_by_rename(&place.at("ws/d/file"), "mine");
        let written = place.write(means, old(), Moment::Verified, &edit);
        assert_eq!(written, nothing(AccessError::PreimageDiffers { expected, found }), "{means:?}");
        assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("mine", 1), "{means:?}");
        // And as one that writes into the file.
        place.put("ws/d/file", "old");
        let edit = || place.put("ws/d/file", "mine");
        let written = place.write(means, old(), Moment::Verified, &edit);
        assert_eq!(written, nothing(AccessError::PreimageDiffers { expected, found }), "{means:?}");
        assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("mine", 1), "{means:?}");
        // And as one that hides it: the same size and the same time.
        place.put("ws/d/file", "old");
        let edit = || {
            let file = fs::File::options().write(true).open(place.at("ws/d/file")).expect("it is ours");
            let time = file.metadata().and_then(|it| it.modified()).expect("the system tells it");
            place.put("ws/d/file", "odd");
            file.set_modified(time).expect("it is ours");
        };
        let written = place.write(means, old(), Moment::Verified, &edit);
        let found = Some(digest(b"odd"));
        assert_eq!(written, nothing(AccessError::PreimageDiffers { expected, found }), "{means:?}");
        assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("odd", 1), "{means:?}");
        // And one that comes to the same size and content in another file.
        place.put("ws/d/file", "old");
        let edit = || replace_by_rename(&place.at("ws/d/file"), "old");
        assert_eq!(place.write(means, old(), Moment::Verified, &edit), nothing(AccessError::Changed), "{means:?}");
        assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("old", 1), "{means:?}");
    }
}

#[test]
fn a_link_or_directory_in_the_place_of_the_target_is_put_back() {
    for means in all_means() {
        let place = Place::new();
        place.put("outside", "old");
        place.put("ws/d/file", "old");
        let edit = || {
            fs::remove_file(place.at("ws/d/file")).expect("it is ours");
            symlink(place.at("outside"), place.at("ws/d/file")).expect("it is ours");
        };
        assert_eq!(place.write(means, old(), Moment::Verified, &edit), nothing(AccessError::Symlink), "{means:?}");
        assert!(place.at("ws/d/file").is_symlink(), "{means:?}");
        assert_eq!((place.text("outside").as_str(), place.names("ws/d").len()), ("old", 1), "{means:?}");

        fs::remove_file(place.at("ws/d/file")).expect("it is ours");
        place.put("ws/d/file", "old");
        let edit = || {
            fs::remove_file(place.at("ws/d/file")).expect("it is ours");
            fs::create_dir(place.at("ws/d/file")).expect("it is ours");
        };
        assert_eq!(place.write(means, old(), Moment::Verified, &edit), nothing(AccessError::Directory), "{means:?}");
        assert_eq!(place.names("ws/d"), ["file"], "{means:?}");
    }
}

#[test]
fn a_target_that_vanishes_or_appears_at_the_last_moment_refuses() {
    for means in all_means() {
        let place = Place::new();
        place.put("ws/d/file", "old");
        let edit = || fs::remove_file(place.at("ws/d/file")).expect("it is ours");
        let reason = AccessError::PreimageDiffers { expected: Some(digest(b"old")), found: None };
        assert_eq!(place.write(means, old(), Moment::Verified, &edit), nothing(reason), "{means:?}");
        assert!(place.names("ws/d").is_empty(), "{means:?}");

        let edit = || place.put("ws/d/file", "mine");
        let reason = AccessError::PreimageDiffers { expected: None, found: Some(digest(b"mine")) };
        assert_eq!(place.write(means, Expected::Absent, Moment::Verified, &edit), nothing(reason), "{means:?}");
        assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("mine", 1), "{means:?}");
    }
}

#[test]
fn a_directory_that_is_taken_away_takes_no_content_with_it() {
    for means in all_means() {
        for moment in [Moment::Complete, Moment::Verified, Moment::Placed] {
            let place = Place::new();
            place.put("ws/d/file", "old");
            let edit = || {
                fs::rename(place.at("ws/d"), place.at("taken")).expect("it is ours");
                fs::create_dir(place.at("ws/d")).expect("it is ours");
            };
            assert_eq!(place.write(means, old(), moment, &edit), nothing(AccessError::Changed), "{means:?}");
            assert_eq!((place.text("taken/file").as_str(), place.names("taken").len()), ("old", 1), "{means:?}");
            assert!(place.names("ws/d").is_empty(), "{means:?}");

            let place = Place::new();
            let edit = || {
                fs::rename(place.at("ws/d"), place.at("taken")).expect("it is ours");
                symlink(place.at("taken"), place.at("ws/d")).expect("it is ours");
            };
            assert_eq!(place.write(means, Expected::Absent, moment, &edit), nothing(AccessError::Changed), "{means:?}");
            assert!(place.names("taken").is_empty(), "{means:?}");
        }
    }
}

#[test]
fn what_is_changed_at_once_after_the_write_is_never_called_written() {
    for means in all_means() {
        for expected in [old(), Expected::Absent] {
            let place = Place::new();
            if expected == old() {
                place.put("ws/d/file", "old");
            }
            let edit = || place.put("ws/d/file", "other");
            let written = place.write(means, expected, Moment::Placed, &edit);
            let error = WriteError { reason: AccessError::Changed, effect: Effect::Undetermined, kept: None };
            assert_eq!(written, Err(error), "{means:?}");
            assert_eq!((place.text("ws/d/file").as_str(), place.names("ws/d").len()), ("other", 1), "{means:?}");
        }
    }
}

#[test]
fn two_edits_around_the_exchange_lose_nothing() {
    for means in all_means() {
        let place = Place::new();
        place.put("ws/d/file", "old");
        let workspace = place.open(means);
        let path = "d/file".parse().expect("it is canonical");
        let written = workspace.write_observed(&path, b"new", old(), LIMIT, &mut |at| match at {
            Moment::Complete => {}
            Moment::Verified => replace_by_rename(&place.at("ws/d/file"), "first"),
            Moment::Placed => replace_by_rename(&place.at("ws/d/file"), "second"),
        });
        let err = written.expect_err("it took out what was not expected");
        let kept = err.kept.expect("the other one is kept");
        let mut texts = [place.text("ws/d/file"), place.text(&format!("ws/{kept}"))];
        texts.sort();
        assert_eq!(texts, ["first", "second"], "{means:?}");
        place.sweep(means);
        assert_eq!(place.names("ws/d").len(), 2, "{means:?}: a sweep leaves what it does not know");
    }
}

#[test]
fn a_temporary_file_that_somebody_takes_away_or_links_is_noticed() {
    let temporary = |place: &Place| {
        let names = place.names("ws/d");
        place.at("ws/d").join(names.iter().find(|name| name.starts_with(".git-boundary-tmp-")).expect("it is there"))
    };
    for means in all_means() {
        for expected in [old(), Expected::Absent] {
            let place = Place::new();
            if expected == old() {
                place.put("ws/d/file", "old");
            }
            let before = place.names("ws/d");
            let edit = || fs::remove_file(temporary(&place)).expect("it is ours");
            let err = place.write(means, expected, Moment::Verified, &edit).expect_err("there is nothing to place");
            assert_eq!(err, nothing(AccessError::Changed).expect_err("it is one"), "{means:?}");
            assert_eq!(place.names("ws/d"), before, "{means:?}");

            let edit = || fs::hard_link(temporary(&place), place.at("linked")).expect("it is ours");
            let err = place.write(means, expected, Moment::Verified, &edit).expect_err("it has another name");
            assert_eq!(err.effect, Effect::Undetermined, "{means:?}");
        }
    }
}
