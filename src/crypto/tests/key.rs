//! Public key lines, ssh-keygen's and hostile ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Home, run, text_of};
use crate::crypto::{
    PrivateKey, PublicKeyDefect as Defect, Signer as _, parse_public_key, parse_public_line, read_public_key,
    to_openssh,
};
use crate::model::key::PublicKey;

fn some_key() -> PublicKey {
    PrivateKey::from_seed(&[7; 32]).public_key()
}

/// A line with the base64 of these wire strings.
fn line_of(strings: &[&[u8]]) -> String {
    let mut blob = Vec::new();
    for string in strings {
        blob.extend_from_slice(&(string.len() as u32).to_be_bytes());
        blob.extend_from_slice(string);
    }
    format!("ssh-ed25519 {}", STANDARD.encode(blob))
}

#[test]
fn a_line_by_ssh_keygen_is_read_and_written_alike() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", "");
    let line = text_of(&path.with_extension("pub"));
    let (key, comment) = parse_public_line(&line).expect("ssh-keygen's line is read");
    assert_eq!(comment, "made by ssh-keygen");
    assert_eq!(format!("{}\n", to_openssh(&key, comment)), line);
}

#[test]
fn ssh_keygen_reads_our_line_as_the_same_key() {
    let home = Home::new();
    let path = home.write("ours.pub", format!("{}\n", to_openssh(&some_key(), "label")), 0o644);
    let shown = run(std::process::Command::new("ssh-keygen").arg("-l").arg("-f").arg(&path));
    assert!(shown.status.success(), "{shown:?}");
    assert!(String::from_utf8_lossy(&shown.stdout).ends_with("label (ED25519)\n"), "{shown:?}");
}

#[test]
fn a_line_without_comment_or_with_an_empty_one_is_read() {
    let line = to_openssh(&some_key(), "");
    assert_eq!(parse_public_key(&line), Ok(some_key()));
    assert_eq!(parse_public_key(&format!("{line}\n")), Ok(some_key()));
    assert_eq!(parse_public_line(&format!("{line} \n")), Ok((some_key(), "")), "as ssh-keygen -C '' writes it");
}

#[test]
fn a_comment_cannot_start_another_line() {
    let line = to_openssh(&some_key(), "a\nssh-ed25519 AAAA\u{1b}[2J");
    assert_eq!(line.lines().count(), 1);
    assert_eq!(parse_public_line(&line).map(|(_, comment)| comment), Ok("a?ssh-ed25519 AAAA?[2J"));
}

#[test]
fn what_is_not_exactly_one_line_is_refused_by_its_defect() {
    let line = to_openssh(&some_key(), "c");
    for (text, defect) in [
        (String::new(), Defect::Empty),
        ("\n".to_owned(), Defect::Empty),
        (format!("\u{feff}{line}"), Defect::ByteOrderMark),
        (format!("{line}\r\n"), Defect::CarriageReturn),
        (format!("{line}\n\n"), Defect::SeveralLines),
        (format!("{line}\n{line}\n"), Defect::SeveralLines),
        (format!("\n{line}"), Defect::SeveralLines),
        (format!("{line}\0"), Defect::NotText),
        (format!(" {line}"), Defect::Form),
        (format!("restrict {line}"), Defect::Form),
        (format!("# {line}"), Defect::Form),
        ("ssh-ed25519".to_owned(), Defect::Form),
        ("garbage".to_owned(), Defect::Form),
        (line.replace("ssh-ed25519 ", "ssh-ed25519  "), Defect::Blob),
        (line.replace("ssh-ed25519 ", "ssh-ed25519\t"), Defect::NotText),
        ("ssh-ed25519 AAAA c".to_owned(), Defect::Blob),
        ("ssh-ed25519 %%%% c".to_owned(), Defect::Blob),
    ] {
        assert_eq!(parse_public_key(&text), Err(defect), "{text:?}");
    }
}

#[test]
fn keys_of_other_kinds_are_refused_by_name() {
    for (line, name) in [
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ c", "ssh-rsa"),
        ("ecdsa-sha2-nistp256 AAAAE2VjZHNh c", "ecdsa-sha2-nistp256"),
        ("sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1l c", "sk-ssh-ed25519@openssh.com"),
        ("ssh-ed25519-cert-v01@openssh.com AAAAIHNz c", "ssh-ed25519-cert-v01@openssh.com"),
        (&line_of(&[b"ssh-rsa", b"x"]), "ssh-rsa"),
    ] {
        assert_eq!(parse_public_key(line), Err(Defect::Algorithm(name.to_owned())), "{line}");
    }
}

#[test]
fn a_blob_that_is_not_exactly_32_bytes_of_key_is_refused() {
    let key = some_key().0;
    for strings in [&[b"ssh-ed25519", &key[..31]][..], &[b"ssh-ed25519", &key, b"more"], &[b"ssh-ed25519"], &[]] {
        assert_eq!(parse_public_key(&line_of(strings)), Err(Defect::Blob));
    }
    let line = to_openssh(&some_key(), "");
    assert_eq!(parse_public_key(&line[..line.len() - 1]), Err(Defect::Blob), "cut short");
    assert_eq!(parse_public_key(&format!("{line}AAAA")), Err(Defect::Blob), "run on");
}

#[test]
fn a_low_order_key_is_refused_where_it_is_written_down() {
    let mut identity = [0; 32];
    identity[0] = 1;
    assert_eq!(parse_public_key(&line_of(&[b"ssh-ed25519", &identity])), Err(Defect::Point));
}

#[test]
fn a_public_key_file_error_names_the_file() {
    let home = Home::new();
    let path = home.write("latin1.pub", b"ssh-ed25519 \xff\xfe", 0o644);
    let error = read_public_key(&path).expect_err("it is not text");
    assert!(error.to_string().contains("latin1.pub"), "{error}");
    let error = read_public_key(&home.at("gone.pub")).expect_err("it is not there");
    assert!(error.to_string().contains("gone.pub\" is absent"), "{error}");
}
