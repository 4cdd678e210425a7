//! What a key may be called, and what a name can never mean.

use std::path::PathBuf;

use super::Home;
use crate::crypto::{KeyEnvironment, KeyError, Keyring, Label, LabelDefect};

fn environment(pairs: &[(&str, &str)]) -> KeyEnvironment {
    KeyEnvironment::read(&|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
}

#[test]
fn labels_that_could_leave_the_directory_or_mislead_are_refused() {
    for (text, defect) in [
        ("", LabelDefect::Empty),
        (&"x".repeat(65), LabelDefect::TooLong),
        ("../up", LabelDefect::Slash),
        ("a/b", LabelDefect::Slash),
        ("a\\b", LabelDefect::Slash),
        (".", LabelDefect::First('.')),
        ("..", LabelDefect::First('.')),
        (".hidden", LabelDefect::First('.')),
        ("-rf", LabelDefect::First('-')),
        ("~root", LabelDefect::First('~')),
        ("a\nb", LabelDefect::Control),
        ("a\0", LabelDefect::Control),
        ("a\u{9b}2J", LabelDefect::Control),
        (" a", LabelDefect::Space),
        ("a ", LabelDefect::Space),
        ("codex.pub", LabelDefect::Pub),
        ("codex.PUB", LabelDefect::Pub),
        ("key_00", LabelDefect::LooksLikeAKey),
        ("key::x", LabelDefect::LooksLikeAKey),
        ("ssh-ed25519", LabelDefect::LooksLikeAKey),
    ] {
        let refused = Label::new(text);
        assert!(
            matches!(&refused, Err(KeyError::BadLabel { defect: found, .. }) if *found == defect),
            "{text:?}: {refused:?}"
        );
        assert!(Home::new().keyring().new_key(text).is_err(), "{text:?}");
    }
    for text in ["codex", "owner-2", "Änne K", &"x".repeat(64)] {
        assert_eq!(Label::new(text).expect(text).as_str(), text);
    }
}

#[test]
fn a_bare_word_is_a_label_and_never_a_file_of_the_current_directory() {
    let home = Home::new();
    // Tests run in the crate's directory, where this file is.
    let error = home.keyring().find("Cargo.toml").expect_err("there is no such label");
    assert!(matches!(error, KeyError::NoSuchLabel { file_here: true, .. }), "{error}");
    assert!(error.remedy().is_some_and(|remedy| remedy.contains("./Cargo.toml")));
}

#[test]
fn other_kinds_of_keys_as_text_are_refused_by_name() {
    let home = Home::new();
    for spec in ["ssh-rsa AAAAB3Nza c", "key::ssh-rsa AAAAB3Nza c", "key::garbage", "ssh-ed25519 AAAA"] {
        let error = home.keyring().find(spec).expect_err("it is no key for us");
        assert!(matches!(error, KeyError::PublicText { .. }), "{spec}: {error}");
    }
}

#[test]
fn an_unknown_id_and_no_name_at_all_are_errors() {
    let home = Home::new();
    let error = home.keyring().find("key_00000000000000000000000000000000").expect_err("there is none");
    assert!(matches!(error, KeyError::NoSuchId { .. }), "{error}");
    assert!(matches!(home.keyring().find(""), Err(KeyError::Nothing)));
    assert!(matches!(home.keyring().find("key_0"), Err(KeyError::BadLabel { .. })));
}

#[test]
fn the_directory_of_keys_follows_xdg_and_ignores_relative_places() {
    for (pairs, dir) in [
        (&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")][..], Some("/x/git-boundary/keys")),
        (&[("XDG_CONFIG_HOME", "rel"), ("HOME", "/h")], Some("/h/.config/git-boundary/keys")),
        (&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")], Some("/h/.config/git-boundary/keys")),
        (&[("XDG_CONFIG_HOME", "/x")], Some("/x/git-boundary/keys")),
        (&[("HOME", "rel")], None),
        (&[], None),
    ] {
        assert_eq!(environment(pairs).keys_dir(), dir.map(PathBuf::from), "{pairs:?}");
    }
}

#[test]
fn without_a_home_paths_still_work_and_labels_say_why_not() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", "");
    let ring = Keyring::from_env(&environment(&[]));
    assert!(ring.find(&path.display().to_string()).is_ok());
    assert!(matches!(ring.find("codex"), Err(KeyError::NoHome)));
    assert!(matches!(ring.new_key("codex"), Err(KeyError::NoHome)));
    assert!(matches!(ring.find("~/id"), Err(KeyError::NoHome)));
    assert!(ring.list().keys.is_empty() && ring.discover_user_key().is_empty());
}

#[test]
fn the_home_of_another_user_is_not_expanded() {
    let error = Home::new().keyring().find("~root/.ssh/id_ed25519").expect_err("it is not ours");
    assert!(matches!(error, KeyError::OtherHome { .. }), "{error}");
}
