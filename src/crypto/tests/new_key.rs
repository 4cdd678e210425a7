//! Key pairs that we write, as OpenSSH sees them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{Home, PASSPHRASE, mode_of, run, text_of};
use crate::crypto::{
    KeyError, PrivateKeyFile, Signer as _, read_private_key, read_public_key, to_openssh, verify, write_new_key,
};

fn stdout_of(command: &mut Command) -> String {
    let ran = run(command);
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).expect("it prints text")
}

#[test]
fn ssh_keygen_reads_both_halves_of_a_new_key() {
    let home = Home::new();
    let path = home.at("deep/er/codex");
    let key = write_new_key(&path, "codex").expect("it is written");
    for half in [&path, &home.at("deep/er/codex.pub")] {
        let shown = stdout_of(Command::new("ssh-keygen").arg("-l").arg("-f").arg(half));
        assert!(shown.starts_with("256 SHA256:") && shown.ends_with(" codex (ED25519)\n"), "{shown}");
    }
    let derived = stdout_of(Command::new("ssh-keygen").arg("-y").arg("-f").arg(&path));
    assert_eq!(derived, format!("{}\n", to_openssh(&key.public_key(), "codex")));
    assert_eq!(text_of(&home.at("deep/er/codex.pub")), derived);
}

#[test]
fn a_new_key_is_private_and_so_are_the_directories_made_for_it() {
    let home = Home::new();
    let path = home.at("a/b/key");
    write_new_key(&path, "c").expect("it is written");
    assert_eq!(mode_of(&path), 0o600);
    assert_eq!(mode_of(&home.at("a/b")), 0o700);
    assert_eq!(mode_of(&home.at("a")), 0o700);
    let left: Vec<_> = fs::read_dir(home.at("a/b")).expect("it lists").collect();
    assert_eq!(left.len(), 2, "no draft is left over: {left:?}");
}

#[test]
fn a_new_key_can_be_opened_signs_and_differs_from_the_next() {
    let home = Home::new();
    let key = write_new_key(&home.at("one"), "").expect("it is written");
    let other = write_new_key(&home.at("two"), "").expect("it is written");
    assert_ne!(key.public_key(), other.public_key());
    let opened = read_private_key(&home.at("one")).expect("it opens");
    assert_eq!(opened.public_key(), key.public_key());
    let signature = opened.sign(b"message").expect("it signs");
    assert!(verify(&key.public_key(), b"message", &signature));
    assert_eq!(read_public_key(&home.at("one.pub")).expect("its public half"), key.public_key());
}

#[test]
fn nothing_is_overwritten_not_even_a_public_half_or_a_dangling_link() {
    let home = Home::new();
    let kept = home.write("private", "mine", 0o600);
    let kept_public = home.write("public.pub", "mine", 0o644);
    symlink(Path::new("nowhere"), home.at("dangling")).expect("links can be made");
    for name in ["private", "public", "dangling"] {
        let error = write_new_key(&home.at(name), "c").expect_err("the name is taken");
        assert!(matches!(error, KeyError::Exists { .. }), "{name}: {error}");
    }
    assert_eq!(text_of(&kept), "mine");
    assert_eq!(text_of(&kept_public), "mine");
    assert!(!home.at("public").exists() && !home.at("nowhere").exists());
}

#[test]
fn of_many_at_once_one_gets_the_name_and_its_halves_agree() {
    let home = Home::new();
    let path = home.at("contested");
    let made: Vec<_> = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8).map(|_| scope.spawn(|| write_new_key(&path, "c").is_ok())).collect();
        tries.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    assert_eq!(made.iter().filter(|won| **won).count(), 1, "{made:?}");
    let held = PrivateKeyFile::open(&path).expect("it opens").public_key();
    assert_eq!(read_public_key(&home.at("contested.pub")).expect("its public half"), held);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let home = Home::new();
    home.write("file", "", 0o600);
    let error = write_new_key(&home.at("file/key"), "c").expect_err("a file is in the way");
    assert!(matches!(&error, KeyError::Unwritable { path, .. } if path.ends_with("file")), "{error}");
}

#[test]
fn a_key_for_machines_is_never_asked_a_passphrase_for() {
    let home = Home::new();
    let locked = home.ssh_keygen("locked", "ed25519", PASSPHRASE);
    let error = read_private_key(&locked).expect_err("nobody is asked");
    assert!(matches!(error, KeyError::Passphrase { .. }), "{error}");
}
