//! Key files as people have them, and as they should not.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use git_boundary::crypto::{KeyError, Signer as _, key_id, read_private_key, read_public_key};

use super::cast::Who;
use super::vector::{Vector, all_come_to_what_they_expect};

pub fn vectors() -> Vec<Vector> {
    [public(), private()].concat()
}

fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&u32::try_from(bytes.len()).expect("short").to_be_bytes());
    out.extend_from_slice(bytes);
}

fn blob(kind: &str, key: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    string(&mut out, kind.as_bytes());
    string(&mut out, key);
    out
}

fn line(kind: &str, key: &[u8]) -> String {
    format!("{kind} {} somebody\n", STANDARD.encode(blob(kind, key)))
}

fn public() -> Vec<Vector> {
    let good = line("ssh-ed25519", &Who::Codex.key().0);
    let one = |name: &str, expect: &str, about: &str, body: Vec<u8>| {
        let expect =
            if expect.starts_with("key_") { expect.to_owned() } else { format!("the public key file …: {expect}") };
        Vector::new(format!("key-files/public-{name}.pub"), expect, about, body)
    };
    let text = |name: &str, expect: &str, about: &str, body: String| one(name, expect, about, body.into_bytes());
    let replaced = |name: &str, expect: &str, about: &str, from: &str, to: &str| {
        text(name, expect, about, good.replacen(from, to, 1))
    };
    let id = Who::Codex.name();
    let key = Who::Codex.key().0;
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut second_spelling = [0xff; 32];
    (second_spelling[0], second_spelling[31]) = (0xee, 0x7f);
    let mut off_the_curve = [0; 32];
    off_the_curve[0] = 2;
    let point = "its point is none that a key can have (off the curve, badly encoded, or of low order)";
    let no_blob = "its base64 part is not an Ed25519 key";
    vec![
        text("valid", &id, "as ssh-keygen writes it", good.clone()),
        replaced("valid-without-a-comment", &id, "the comment is optional", " somebody", ""),
        text("valid-without-a-newline", &id, "as it stands in an authorized_keys line", good.trim_end().to_owned()),
        text("empty", "it is empty", "nothing", String::new()),
        text("byte-order-mark", "it begins with a byte order mark", "saved by an editor", format!("\u{feff}{good}")),
        replaced(
            "carriage-return",
            "it has carriage returns (CRLF line endings)",
            "line endings were converted",
            "\n",
            "\r\n",
        ),
        text("two-lines", "it has more than one line", "two keys", format!("{good}{good}")),
        replaced(
            "control-character",
            "it has control characters or is not UTF-8 text",
            "an escape sequence in the comment",
            "somebody",
            "\u{1b}[2Jsomebody",
        ),
        one(
            "not-utf-8",
            "it has control characters or is not UTF-8 text",
            "a byte that is no text",
            [good.trim_end().as_bytes(), b"\xff\n"].concat(),
        ),
        text(
            "rsa",
            "it is a key of type \"ssh-rsa\", and only ssh-ed25519 is accepted",
            "another algorithm",
            line("ssh-rsa", &[3; 40]),
        ),
        text(
            "ecdsa",
            "it is a key of type \"ecdsa-sha2-nistp256\", and only ssh-ed25519 is accepted",
            "another algorithm",
            line("ecdsa-sha2-nistp256", &[3; 40]),
        ),
        text(
            "security-key",
            "it is a key of type \"sk-ssh-ed25519@openssh.com\", and only ssh-ed25519 is accepted",
            "its signatures are of another form",
            line("sk-ssh-ed25519@openssh.com", &key),
        ),
        text(
            "rsa-inside",
            "it is a key of type \"ssh-rsa\", and only ssh-ed25519 is accepted",
            "says one algorithm and holds another",
            format!("ssh-ed25519 {}\n", STANDARD.encode(blob("ssh-rsa", &[3; 40]))),
        ),
        replaced("bad-base64", no_blob, "a character of no alphabet", "AAAA", "AA*A"),
        text("31-bytes", no_blob, "a byte is missing", line("ssh-ed25519", &key[..31])),
        text("33-bytes", no_blob, "a byte too many", line("ssh-ed25519", &[&key[..], &[0]].concat())),
        text(
            "trailing-bytes",
            no_blob,
            "something behind the key",
            format!("ssh-ed25519 {}\n", STANDARD.encode([blob("ssh-ed25519", &key), vec![0]].concat())),
        ),
        text("small-order", point, "under it one signature is good for every message", line("ssh-ed25519", &neutral)),
        text(
            "second-spelling-of-a-point",
            point,
            "y = p + 1, which many read as 1",
            line("ssh-ed25519", &second_spelling),
        ),
        text("off-the-curve", point, "no point at all", line("ssh-ed25519", &off_the_curve)),
        text(
            "with-options",
            "it is not of the form \"ssh-ed25519 AAAA… comment\"",
            "a line of authorized_keys",
            format!("restrict {good}"),
        ),
        text("private-key", "it has more than one line", "the wrong half", private_file(&whole(Who::Codex))),
    ]
}

/// What an OpenSSH private key file holds (PROTOCOL.key), before it is encoded.
struct Whole {
    cipher: &'static str,
    derivation: &'static str,
    options: Vec<u8>,
    count: u32,
    public: Vec<u8>,
    checks: [u32; 2],
    seed: [u8; 32],
    shown: [u8; 32],
    padding: Vec<u8>,
}

fn whole(who: Who) -> Whole {
    let key = who.key().0;
    Whole {
        cipher: "none",
        derivation: "none",
        options: Vec::new(),
        count: 1,
        public: blob("ssh-ed25519", &key),
        checks: [7, 7],
        seed: [who as u8; 32],
        shown: key,
        padding: vec![1, 2, 3, 4, 5],
    }
}

fn private_bytes(it: &Whole) -> Vec<u8> {
    let mut out = b"openssh-key-v1\0".to_vec();
    string(&mut out, it.cipher.as_bytes());
    string(&mut out, it.derivation.as_bytes());
    string(&mut out, &it.options);
    out.extend_from_slice(&it.count.to_be_bytes());
    string(&mut out, &it.public);
    let mut secret = Vec::new();
    it.checks.iter().for_each(|check| secret.extend_from_slice(&check.to_be_bytes()));
    string(&mut secret, b"ssh-ed25519");
    string(&mut secret, &it.shown);
    string(&mut secret, &[it.seed, it.shown].concat());
    string(&mut secret, b"");
    secret.extend_from_slice(&it.padding);
    string(&mut out, &secret);
    out
}

fn private_file(it: &Whole) -> String {
    let encoded = STANDARD.encode(private_bytes(it));
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(70).map(|line| std::str::from_utf8(line).expect("base64 is text")).collect();
    format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n", lines.join("\n"))
}

fn private() -> Vec<Vector> {
    let good = private_file(&whole(Who::Codex));
    let one = |name: &str, expect: &str, about: &str, body: String| {
        let expect = if expect.starts_with("key_") {
            expect.to_owned()
        } else {
            format!("the private key … is not usable: {expect}")
        };
        Vector::new(format!("key-files/private-{name}.key"), expect, about, body)
    };
    let made = |name: &str, expect: &str, about: &str, edit: &dyn Fn(&mut Whole)| {
        let mut it = whole(Who::Codex);
        edit(&mut it);
        one(name, expect, about, private_file(&it))
    };
    let id = Who::Codex.name();
    let damaged = "its contents are damaged";
    let bcrypt = |rounds: u32| {
        let mut options = Vec::new();
        string(&mut options, &[9; 16]);
        options.extend_from_slice(&rounds.to_be_bytes());
        options
    };
    let mut neutral = [0; 32];
    neutral[0] = 1;
    vec![
        one("valid", &id, "as ssh-keygen writes it", good.clone()),
        one("mode-0644", "…", "others can read it", good.clone())
            .given("mode", "644")
            .expecting("the private key … has mode 0644: others than its owner can get at it, so it is not used"),
        one("empty", "it is empty", "nothing", String::new()),
        one("byte-order-mark", "it begins with a byte order mark", "saved by an editor", format!("\u{feff}{good}")),
        one(
            "carriage-return",
            "it has carriage returns (CRLF line endings)",
            "line endings were converted",
            good.replace('\n', "\r\n"),
        ),
        one("public-key", "it holds a public key", "the wrong half", line("ssh-ed25519", &Who::Codex.key().0)),
        one("not-a-key", "it is no OpenSSH private key", "a note to self", "hunter2\n".to_owned()),
        one(
            "pem",
            "it is in another format, \"-----BEGIN PRIVATE KEY-----\", and only OpenSSH private keys are read",
            "PKCS #8",
            "-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----\n".to_owned(),
        ),
        one(
            "putty",
            "it is in another format, \"PuTTY-User-Key-File-3: ssh-ed25519\", and only OpenSSH private keys are read",
            "PuTTY's",
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n".to_owned(),
        ),
        one("cut-short", damaged, "no last line", good.lines().take(3).collect::<Vec<_>>().join("\n")),
        one("bad-base64", damaged, "a character of no alphabet", good.replacen("b3BlbnNz", "b3*lbnNz", 1)),
        one(
            "other-magic",
            damaged,
            "another container in the same armour",
            good.replacen("b3BlbnNzaC1rZXktdjE", "b3BlbnNzaC1rZXktdjI", 1),
        ),
        made("two-keys", "it holds 2 keys where exactly one is expected", "which of the two?", &|it| it.count = 2),
        made("no-key", "it holds 0 keys where exactly one is expected", "none at all", &|it| it.count = 0),
        made("rsa", "it is a key of type \"ssh-rsa\", and only ssh-ed25519 is accepted", "another algorithm", &|it| {
            it.public = blob("ssh-rsa", &[3; 40])
        }),
        made(
            "small-order",
            "its public key is none that a key can have (off the curve, badly encoded, or of low order)",
            "a public key that anybody signs for",
            &|it| it.public = blob("ssh-ed25519", &neutral),
        ),
        made(
            "unknown-cipher",
            "it is encrypted with \"rot13\", which is not supported",
            "a cipher that there is not",
            &|it| (it.cipher, it.derivation, it.options) = ("rot13", "bcrypt", bcrypt(16)),
        ),
        made(
            "many-rounds",
            "it asks for 4294967295 key derivation rounds, more than are ever needed",
            "hours for one passphrase",
            &|it| (it.cipher, it.derivation, it.options) = ("aes256-ctr", "bcrypt", bcrypt(u32::MAX)),
        ),
        made("checks-differ", damaged, "the two check numbers are not the same", &|it| it.checks = [7, 8]),
        made(
            "other-public-half",
            "…",
            "it shows Claude's public key and holds Codex's secret: a signature would give the secret away",
            &|it| {
                (it.public, it.shown) = (blob("ssh-ed25519", &Who::Claude.key().0), Who::Claude.key().0);
            },
        )
        .expecting("the private key … is not usable: its …"),
        made("other-public-key-in-front", "…", "the clear part shows another key than the secret part", &|it| {
            it.public = blob("ssh-ed25519", &Who::Claude.key().0)
        })
        .expecting("the private key … is not usable: its …"),
    ]
}

#[test]
fn every_key_file_is_read_as_it_deserves() {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    all_come_to_what_they_expect("key-files", |vector| {
        let path = dir.path().join(vector.path.rsplit('/').next().expect("a name"));
        fs::write(&path, &vector.body).expect("it can be written");
        let mode = vector.given.get("mode").map_or(0o600, |mode| u32::from_str_radix(mode, 8).expect("octal"));
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("modes can be set");
        let read: Result<_, KeyError> = match vector.path.ends_with(".pub") {
            true => read_public_key(&path),
            false => read_private_key(&path).map(|key| key.public_key()),
        };
        read.map_or_else(|error| error.to_string(), |key| key_id(&key).to_string())
    });
}
