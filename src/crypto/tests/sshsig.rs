//! SSH signatures, against ssh-keygen and git in both directions.

use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Home, RunningAgent, run, run_with, text_of};
use crate::crypto::{
    PrivateKeyFile, Signer, SshsigError, parse_public_key, read_public_key, sign_sshsig, verify_sshsig,
};

const PAYLOAD: &[u8] = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nmessage\n";

fn signed_by_ssh_keygen(key: &Path, options: &[&str]) -> String {
    let made = run_with(Command::new("ssh-keygen").args(["-Y", "sign", "-q", "-f"]).arg(key).args(options), PAYLOAD);
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).expect("it is armored")
}

fn unlocked(key: &Path) -> Box<dyn Signer> {
    let file = PrivateKeyFile::open(key).expect("it opens");
    Box::new(file.unlock(&mut |_| panic!("it is not encrypted")).expect("it needs no passphrase"))
}

/// The binary contents with a change, in armor again.
fn edit(armored: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let body: String = armored.lines().filter(|line| !line.starts_with('-')).collect();
    let mut bytes = STANDARD.decode(body).expect("it is base64");
    change(&mut bytes);
    format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", STANDARD.encode(bytes))
}

/// Replaces one SSH string by another in the binary contents.
fn replace(armored: &str, from: &[u8], to: &[u8]) -> String {
    let string = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    edit(armored, |bytes| {
        let (from, to) = (string(from), string(to));
        let at = bytes.windows(from.len()).rposition(|here| here == from).expect("it is in there");
        bytes.splice(at..at + from.len(), to);
    })
}

#[test]
fn signatures_by_ssh_keygen_verify_with_either_hash() {
    let home = Home::new();
    let key = home.ssh_keygen("id", "ed25519", "");
    let public = read_public_key(&home.at("id.pub")).expect("its public half");
    for hash in ["hashalg=sha256", "hashalg=sha512"] {
        let armored = signed_by_ssh_keygen(&key, &["-n", "git", "-O", hash]);
        assert_eq!(verify_sshsig(armored.as_bytes(), PAYLOAD), Ok(public), "{hash}");
        assert_eq!(verify_sshsig(armored.trim_end().as_bytes(), PAYLOAD), Ok(public), "as a commit header holds it");
        assert_eq!(verify_sshsig(armored.as_bytes(), b"other"), Err(SshsigError::Signature));
    }
}

#[test]
fn our_signature_is_the_very_text_of_ssh_keygen_and_passes_its_checks() {
    let home = Home::new();
    let key = home.ssh_keygen("id", "ed25519", "");
    let ours = sign_sshsig(&*unlocked(&key), PAYLOAD).expect("it signs");
    assert_eq!(ours, signed_by_ssh_keygen(&key, &["-n", "git"]), "Ed25519 has one signature for one message");
    let signature = home.write("sig", &ours, 0o644);
    let allowed = home.write("allowed", format!("me {}", text_of(&home.at("id.pub"))), 0o644);
    let verified = run_with(
        Command::new("ssh-keygen")
            .args(["-Y", "verify", "-n", "git", "-I", "me", "-f"])
            .arg(allowed)
            .arg("-s")
            .arg(&signature),
        PAYLOAD,
    );
    assert!(verified.status.success(), "{verified:?}");
    let checked = run_with(
        Command::new("ssh-keygen").args(["-Y", "check-novalidate", "-n", "git", "-s"]).arg(&signature),
        PAYLOAD,
    );
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn a_commit_that_git_signed_verifies_with_a_file_and_with_an_agent() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let key = home.ssh_keygen("id", "ed25519", "");
    let public = read_public_key(&home.at("id.pub")).expect("its public half");
    agent.add(&key);
    let git = |arguments: &[&str]| {
        let ran = run(Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "gpg.format=ssh"])
            .args(arguments)
            .current_dir(home.at("."))
            .env("SSH_AUTH_SOCK", &agent.socket)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1"));
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).expect("it prints text")
    };
    git(&["init", "-q", "r"]);
    let literal = format!("user.signingkey=key::{}", text_of(&home.at("id.pub")).trim());
    let file = format!("user.signingkey={}", key.display());
    for setting in [file, literal] {
        git(&["-C", "r", "-c", &setting, "commit", "-q", "-S", "--allow-empty", "-m", "subject"]);
        let commit = git(&["-C", "r", "cat-file", "commit", "HEAD"]);
        let (before, rest) = commit.split_once("gpgsig ").expect("it is signed");
        let end =
            rest.find("\n ").map(|_| rest.find("-----END SSH SIGNATURE-----\n").expect("it ends")).expect("it goes on");
        let end = end + "-----END SSH SIGNATURE-----\n".len();
        let armored = rest[..end].replace("\n ", "\n");
        let payload = format!("{before}{}", rest[end..].strip_prefix(" \n").unwrap_or(&rest[end..]));
        assert_eq!(verify_sshsig(armored.as_bytes(), payload.as_bytes()), Ok(public));
    }
}

#[test]
fn another_namespace_is_another_purpose() {
    let home = Home::new();
    let key = home.ssh_keygen("id", "ed25519", "");
    let armored = signed_by_ssh_keygen(&key, &["-n", "file"]);
    assert_eq!(verify_sshsig(armored.as_bytes(), PAYLOAD), Err(SshsigError::Namespace("file".to_owned())));
    let renamed = replace(&armored, b"file", b"git");
    assert_eq!(verify_sshsig(renamed.as_bytes(), PAYLOAD), Err(SshsigError::Signature), "the name is signed");
}

#[test]
fn signatures_of_other_kinds_are_refused_by_name() {
    let home = Home::new();
    for (kind, name) in [("rsa", "ssh-rsa"), ("ecdsa", "ecdsa-sha2-nistp256")] {
        let armored = signed_by_ssh_keygen(&home.ssh_keygen(kind, kind, ""), &["-n", "git"]);
        assert_eq!(verify_sshsig(armored.as_bytes(), PAYLOAD), Err(SshsigError::Algorithm(name.to_owned())));
    }
}

#[test]
fn edited_fields_are_refused_by_their_defect() {
    let home = Home::new();
    let good = signed_by_ssh_keygen(&home.ssh_keygen("id", "ed25519", ""), &["-n", "git"]);
    let other = home.ssh_keygen("other", "ed25519", "");
    let other = parse_public_key(&text_of(&other.with_extension("pub"))).expect("its public half");
    let ours = read_public_key(&home.at("id.pub")).expect("its public half");
    for (name, armored, defect) in [
        ("hash", replace(&good, b"sha512", b"sha384"), SshsigError::Hash("sha384".to_owned())),
        ("hash swapped", replace(&good, b"sha512", b"sha256"), SshsigError::Signature),
        ("key swapped", replace(&good, &ours.0, &other.0), SshsigError::Signature),
        ("weak key", replace(&good, &ours.0, &[0; 32]), SshsigError::Signature),
        ("empty namespace", replace(&good, b"git", b""), SshsigError::Namespace(String::new())),
        ("version 0", edit(&good, |bytes| bytes[9] = 0), SshsigError::Version(0)),
        ("version 2", edit(&good, |bytes| bytes[9] = 2), SshsigError::Version(2)),
        ("magic", edit(&good, |bytes| bytes[0] = b'X'), SshsigError::Malformed),
        ("more", edit(&good, |bytes| bytes.push(0)), SshsigError::Malformed),
        ("cut", edit(&good, |bytes| bytes.truncate(90)), SshsigError::Malformed),
        ("nothing", edit(&good, Vec::clear), SshsigError::Armor),
        ("long length", edit(&good, |bytes| bytes[10] = 0xff), SshsigError::Malformed),
        ("last bit", edit(&good, |bytes| *bytes.last_mut().expect("it has bytes") ^= 0x80), SshsigError::Signature),
    ] {
        assert_eq!(verify_sshsig(armored.as_bytes(), PAYLOAD), Err(defect), "{name}");
    }
    let reserved = edit(&good, |bytes| {
        let at = bytes.windows(7).position(|here| here == b"\0\0\0\x03git").expect("it is in there") + 7;
        bytes.splice(at..at + 4, *b"\0\0\0\x01x");
    });
    assert_eq!(verify_sshsig(reserved.as_bytes(), PAYLOAD), Err(SshsigError::Reserved));
}

#[test]
fn armor_that_is_not_exactly_armor_is_refused() {
    let home = Home::new();
    let good = signed_by_ssh_keygen(&home.ssh_keygen("id", "ed25519", ""), &["-n", "git"]);
    for (name, text) in [
        ("empty", String::new()),
        ("crlf", good.replace('\n', "\r\n")),
        ("bom", format!("\u{feff}{good}")),
        ("preamble", format!("x\n{good}")),
        ("trailing text", format!("{good}x")),
        ("twice", format!("{good}{good}")),
        ("no end", good.replace("-----END SSH SIGNATURE-----\n", "")),
        ("indented", good.replace('\n', "\n ")),
        ("blank line", good.replacen('\n', "\n\n", 1)),
        ("pgp", good.replace("SSH SIGNATURE", "PGP SIGNATURE")),
        ("huge", good.replacen('\n', &format!("\n{}\n", "A".repeat(9_000)), 1)),
    ] {
        assert_eq!(verify_sshsig(text.as_bytes(), PAYLOAD), Err(SshsigError::Armor), "{name}");
    }
    assert_eq!(verify_sshsig(b"-----BEGIN SSH SIGNATURE-----\n\xff", PAYLOAD), Err(SshsigError::Armor));
}
