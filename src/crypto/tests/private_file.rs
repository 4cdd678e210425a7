//! Private key files: by ssh-keygen, unprotected, and damaged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{Home, PASSPHRASE, run, set_mode, text_of};
use crate::crypto::private_file::{check_access, private_half};
use crate::crypto::{
    KeyError, Passphrase, PassphraseError, PrivateKeyDefect as Defect, PrivateKeyFile, Signer as _, read_public_key,
};

fn never(_: &str) -> Result<Passphrase, PassphraseError> {
    panic!("an unencrypted key asks for nothing")
}

fn defect_of(path: &Path) -> Defect {
    match PrivateKeyFile::open(path) {
        Err(KeyError::PrivateFile { path: named, defect }) => {
            assert_eq!(named, path, "the error names the file");
            defect
        }
        other => panic!("{path:?} is refused for its contents, not {other:?}"),
    }
}

#[test]
fn a_plain_key_by_ssh_keygen_is_opened_without_asking() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", "");
    let file = PrivateKeyFile::open(&path).expect("it opens");
    assert!(!file.is_encrypted());
    let key = file.unlock(&mut never).expect("it needs no passphrase");
    assert_eq!(key.public_key(), read_public_key(&home.at("id.pub")).expect("its public half"));
    assert!(!format!("{key:?}{file:?}").contains("seed"), "a debug form shows no secret");
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_in_every_cipher_of_ssh_keygen() {
    for cipher in ["aes256-ctr", "aes128-cbc", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com"] {
        let home = Home::new();
        let path = home.ssh_keygen("id", "ed25519", "");
        let changed = run(Command::new("ssh-keygen")
            .args(["-q", "-p", "-a", "2", "-Z", cipher, "-N", PASSPHRASE, "-f"])
            .arg(&path));
        assert!(changed.status.success(), "{changed:?}");
        let file = PrivateKeyFile::open(&path).expect("it opens");
        assert!(file.is_encrypted());
        assert_eq!(file.public_key(), read_public_key(&home.at("id.pub")).expect("its public half"), "{cipher}");
        let key = file.unlock(&mut |_| Ok(Passphrase::new(PASSPHRASE.into()))).expect(cipher);
        assert_eq!(key.public_key(), file.public_key());
    }
}

#[test]
fn a_cipher_that_is_not_read_is_refused_by_name_before_anything_is_asked() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", "");
    let changed =
        run(Command::new("ssh-keygen").args(["-q", "-p", "-Z", "3des-cbc", "-N", PASSPHRASE, "-f"]).arg(&path));
    assert!(changed.status.success(), "{changed:?}");
    assert_eq!(defect_of(&path), Defect::Cipher("3des-cbc".to_owned()));
}

#[test]
fn three_wrong_passphrases_are_enough() {
    let home = Home::new();
    let file = PrivateKeyFile::open(&home.ssh_keygen("id", "ed25519", PASSPHRASE)).expect("it opens");
    let mut prompts = Vec::new();
    let error = file
        .unlock(&mut |prompt| {
            prompts.push(prompt.to_owned());
            Ok(Passphrase::new(b"wrong".to_vec()))
        })
        .expect_err("it stays locked");
    assert!(matches!(error, KeyError::WrongPassphrase { tries: 3, .. }), "{error}");
    assert_eq!(prompts.len(), 3);
    assert!(prompts[0].contains("id\""), "the prompt names the key: {prompts:?}");
}

#[test]
fn the_third_passphrase_may_be_the_right_one_and_no_answer_ends_the_asking() {
    let home = Home::new();
    let file = PrivateKeyFile::open(&home.ssh_keygen("id", "ed25519", PASSPHRASE)).expect("it opens");
    let mut answers = ["no", "nor this", PASSPHRASE].into_iter();
    let opened = file.unlock(&mut |_| Ok(Passphrase::new(answers.next().unwrap_or_default().into())));
    assert!(opened.is_ok());

    let mut asked = 0;
    let error = file.unlock(&mut |_| {
        asked += 1;
        Err(PassphraseError::NotGiven)
    });
    assert!(matches!(error, Err(KeyError::Passphrase { source: PassphraseError::NotGiven, .. })));
    assert_eq!(asked, 1);
}

#[test]
fn any_right_of_group_or_others_refuses_the_key_and_says_how_to_mend_it() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", "");
    for mode in [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o666, 0o777] {
        set_mode(&path, mode);
        let error = PrivateKeyFile::open(&path).expect_err("others can get at it");
        assert!(matches!(error, KeyError::ModeTooOpen { mode: found, .. } if found == mode), "{error}");
        assert!(error.to_string().contains("id\""), "it names the file: {error}");
        assert_eq!(error.remedy(), Some(format!("chmod 600 {path:?}")));
    }
    for mode in [0o600, 0o400, 0o700] {
        set_mode(&path, mode);
        assert!(PrivateKeyFile::open(&path).is_ok(), "{mode:o} is private");
    }
}

#[test]
fn the_file_of_another_user_is_refused_unless_we_are_root() {
    let path = Path::new("/keys/theirs");
    let error = check_access(path, 0o600, 1001, 1000).expect_err("it is not ours");
    assert!(matches!(error, KeyError::ForeignOwner { owner: 1001, user: 1000, .. }), "{error}");
    assert!(check_access(path, 0o600, 0, 1000).is_err(), "root's key is not ours either");
    assert!(check_access(path, 0o600, 1000, 1000).is_ok());
    assert!(check_access(path, 0o600, 1001, 0).is_ok());
    assert!(check_access(path, 0o640, 1001, 0).is_err(), "the mode counts for root too");
}

#[test]
fn a_symbolic_link_is_followed_and_its_target_judged() {
    let home = Home::new();
    let target = home.ssh_keygen("real", "ed25519", "");
    let link = home.at("link");
    symlink(&target, &link).expect("links can be made");
    assert!(PrivateKeyFile::open(&link).is_ok());
    set_mode(&target, 0o644);
    assert!(matches!(PrivateKeyFile::open(&link), Err(KeyError::ModeTooOpen { .. })));
    fs::remove_file(&target).expect("it can be removed");
    let error = PrivateKeyFile::open(&link).expect_err("it dangles");
    assert!(matches!(error, KeyError::Absent { .. }), "{error}");
    assert!(error.to_string().contains("link\" is absent"), "{error}");
}

#[test]
fn what_is_no_regular_file_is_not_read_and_does_not_hang() {
    let home = Home::new();
    let pipe = home.at("pipe");
    assert!(run(Command::new("mkfifo").args(["-m", "600"]).arg(&pipe)).status.success());
    assert!(matches!(PrivateKeyFile::open(&pipe), Err(KeyError::NotAFile { .. })));
    assert!(matches!(PrivateKeyFile::open(&home.at(".")), Err(KeyError::NotAFile { .. })));
    assert!(matches!(PrivateKeyFile::open(Path::new("/dev/null")), Err(KeyError::NotAFile { .. })));
}

#[test]
fn keys_of_other_kinds_and_formats_are_refused_by_name() {
    let home = Home::new();
    assert_eq!(defect_of(&home.ssh_keygen("rsa", "rsa", "")), Defect::Algorithm("ssh-rsa".to_owned()));
    assert_eq!(defect_of(&home.ssh_keygen("locked", "rsa", PASSPHRASE)), Defect::Algorithm("ssh-rsa".to_owned()));
    assert_eq!(defect_of(&home.ssh_keygen("ec", "ecdsa", "")), Defect::Algorithm("ecdsa-sha2-nistp256".to_owned()));
    let pem = home.at("pem");
    let made = run(Command::new("ssh-keygen").args(["-q", "-t", "rsa", "-m", "PEM", "-N", "", "-f"]).arg(&pem));
    assert!(made.status.success(), "{made:?}");
    assert_eq!(defect_of(&pem), Defect::OtherFormat("-----BEGIN RSA PRIVATE KEY-----".to_owned()));
    let putty = home.write("k.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\r\n", 0o600);
    assert_eq!(defect_of(&putty), Defect::OtherFormat("PuTTY-User-Key-File-3: ssh-ed25519".to_owned()));
}

#[test]
fn a_public_key_named_by_mistake_is_told_apart_whatever_its_mode() {
    let home = Home::new();
    home.ssh_keygen("id", "ed25519", "");
    assert_eq!(defect_of(&home.at("id.pub")), Defect::PublicKey);
}

#[test]
fn damaged_files_are_refused_by_their_defect() {
    let home = Home::new();
    let good = text_of(&home.ssh_keygen("id", "ed25519", ""));
    let cut = &good[..good.len() / 2];
    for (name, bytes, defect) in [
        ("empty", Vec::new(), Defect::Empty),
        ("bom", [b"\xef\xbb\xbf", good.as_bytes()].concat(), Defect::ByteOrderMark),
        ("crlf", good.replace('\n', "\r\n").into(), Defect::CarriageReturn),
        ("garbage", vec![0xff; 500], Defect::NotAKey),
        ("text", b"hello\n".to_vec(), Defect::NotAKey),
        ("preamble", format!("note\n{good}").into(), Defect::NotAKey),
        ("cut", cut.into(), Defect::Damaged),
        (
            "hollow",
            b"-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n".to_vec(),
            Defect::Damaged,
        ),
        ("huge", vec![b'A'; 70_000], Defect::TooLarge(65_536)),
    ] {
        assert_eq!(defect_of(&home.write(name, bytes, 0o600)), defect, "{name}");
    }
}

mod edited {
    //! Files whose binary contents were changed by a byte.

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;
    use crate::model::key::PublicKey;

    fn edit(text: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
        let body: String = text.lines().filter(|line| !line.starts_with('-')).collect();
        let mut bytes = STANDARD.decode(body).expect("ssh-keygen writes base64");
        change(&mut bytes);
        let encoded = STANDARD.encode(bytes);
        let lines: Vec<&str> = encoded.as_bytes().chunks(70).map(|l| std::str::from_utf8(l).expect("ASCII")).collect();
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n", lines.join("\n"))
    }

    fn position(bytes: &[u8], wanted: &[u8], nth: usize) -> usize {
        bytes.windows(wanted.len()).enumerate().filter(|(_, at)| *at == wanted).nth(nth).expect("it is in there").0
    }

    #[test]
    fn a_seed_under_another_public_key_is_refused() {
        let home = Home::new();
        let path = home.ssh_keygen("id", "ed25519", "");
        let public = read_public_key(&home.at("id.pub")).expect("its public half").0;
        let swapped = edit(&text_of(&path), |bytes| {
            // The seed stands right before the third copy of the public key.
            let at = position(bytes, &public, 2) - 32;
            bytes[at..at + 32].copy_from_slice(&[7; 32]);
        });
        let path = home.write("swapped", swapped, 0o600);
        let refused = PrivateKeyFile::open(&path).and_then(|file| file.unlock(&mut never));
        assert!(matches!(refused, Err(KeyError::PrivateFile { defect: Defect::Damaged, .. })), "{refused:?}");
    }

    #[test]
    fn a_pair_of_two_keys_gives_no_private_key_even_if_it_was_read() {
        use ssh_key::private::{Ed25519Keypair, KeypairData};
        let (ours, theirs) = (Ed25519Keypair::from_seed(&[7; 32]), Ed25519Keypair::from_seed(&[8; 32]));
        let shown = PublicKey(theirs.public.0);
        let mixed = Ed25519Keypair { public: theirs.public, private: ours.private };
        let opened = ssh_key::PrivateKey::new(KeypairData::from(mixed), "").expect("nothing is checked here");
        let refused = private_half(Path::new("/k"), &shown, &opened);
        assert!(matches!(refused, Err(KeyError::PrivateFile { defect: Defect::Mismatch, .. })), "{refused:?}");
    }

    #[test]
    fn two_keys_in_one_file_are_refused() {
        let home = Home::new();
        let path = home.ssh_keygen("id", "ed25519", "");
        let doubled = edit(&text_of(&path), |bytes| {
            let at = position(bytes, b"none\0\0\0\0\0\0\0\x01", 0) + 11;
            bytes[at] = 2;
        });
        assert_eq!(defect_of(&home.write("two", doubled, 0o600)), Defect::SeveralKeys(2));
    }

    #[test]
    fn a_file_that_asks_for_endless_rounds_is_refused_unopened() {
        let home = Home::new();
        let path = home.ssh_keygen("id", "ed25519", PASSPHRASE);
        let slow = edit(&text_of(&path), |bytes| {
            let at = position(bytes, b"bcrypt", 0) + 6 + 4 + 4 + 16;
            bytes[at..at + 4].copy_from_slice(&u32::MAX.to_be_bytes());
        });
        assert_eq!(defect_of(&home.write("slow", slow, 0o600)), Defect::Rounds(u32::MAX));
    }

    #[test]
    fn a_low_order_public_key_in_a_private_file_is_refused() {
        let home = Home::new();
        let path = home.ssh_keygen("id", "ed25519", "");
        let public = read_public_key(&home.at("id.pub")).expect("its public half").0;
        let weak = edit(&text_of(&path), |bytes| {
            let at = position(bytes, &public, 0);
            bytes[at..at + 32].copy_from_slice(&[0; 32]);
        });
        assert_eq!(defect_of(&home.write("weak", weak, 0o600)), Defect::Point);
    }
}
