//! Agents that answer with anything but what they should.

use std::io::Read as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Home;
use crate::crypto::{Agent, AgentError, PrivateKey, Signer as _};

/// An agent that reads one request and then does `answer` with the connection.
fn hostile(home: &Home, answer: impl FnOnce(&mut dyn std::io::Write) + Send + 'static) -> (PathBuf, JoinHandle<()>) {
    let socket = home.at("socket");
    let listener = UnixListener::bind(&socket).expect("a socket can be bound");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody connects");
        let mut length = [0; 4];
        stream.read_exact(&mut length).expect("a frame begins");
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut body).expect("a frame ends");
        answer(&mut stream);
    });
    (socket, server)
}

fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes(), body].concat()
}

fn string(bytes: &[u8]) -> Vec<u8> {
    frame(bytes)
}

fn listing(answer: &[u8]) -> Result<usize, AgentError> {
    let home = Home::new();
    let answer = answer.to_vec();
    let (socket, server) = hostile(&home, move |out| out.write_all(&answer).expect("it can answer"));
    let listed = Agent::at(&socket).identities();
    server.join().expect("the server ends");
    listed.map(|keys| keys.len())
}

fn signing(answer: Vec<u8>) -> AgentError {
    let home = Home::new();
    let (socket, server) = hostile(&home, move |out| out.write_all(&answer).expect("it can answer"));
    let error = Agent::at(&socket).sign(&PrivateKey::from_seed(&[7; 32]).public_key(), b"message");
    server.join().expect("the server ends");
    error.expect_err("a hostile answer is no signature")
}

fn is_nonsense<T>(answer: &Result<T, AgentError>) -> bool {
    matches!(answer, Err(AgentError::Nonsense { .. }))
}

#[test]
fn impossible_frame_lengths_are_refused_without_reading_them() {
    assert!(is_nonsense(&listing(&[0, 0, 0, 0])));
    assert!(is_nonsense(&listing(&[0xff, 0xff, 0xff, 0xff, 12])));
    assert!(is_nonsense(&listing(&[0, 4, 0, 1, 12])));
}

#[test]
fn a_connection_that_breaks_off_is_an_error_that_names_the_socket() {
    for answer in [&b""[..], &[0, 0], &[0, 0, 0, 9, 12]] {
        let broken = listing(answer);
        assert!(
            matches!(&broken, Err(AgentError::Unreachable { socket, .. }) if socket.ends_with("socket")),
            "{broken:?}"
        );
    }
    let absent = Agent::at(Path::new("/nowhere/agent")).identities().expect_err("nobody listens");
    assert!(absent.to_string().contains("/nowhere/agent"), "{absent}");
}

#[test]
fn malformed_lists_are_nonsense() {
    let count = |n: u32| n.to_be_bytes();
    for body in [
        [&[12][..], &count(u32::MAX)].concat(),
        [&[12][..], &count(1)].concat(),
        [&[12][..], &count(1), &string(b"blob")].concat(),
        [&[12][..], &count(1), &[0xff; 4]].concat(),
        [&[12][..], &count(0), b"more"].concat(),
        vec![12],
        vec![99],
    ] {
        assert!(is_nonsense(&listing(&frame(&body))), "{body:?}");
    }
    assert!(matches!(listing(&frame(&[5])), Err(AgentError::Refused { .. })));
}

#[test]
fn blobs_that_are_no_sound_key_are_passed_over() {
    let weak = [string(b"ssh-ed25519"), string(&[0; 32])].concat();
    let short = [string(b"ssh-ed25519"), string(&[1; 31])].concat();
    let keys: Vec<u8> =
        [weak, short, Vec::new()].iter().flat_map(|blob| [string(blob), string(b"c")].concat()).collect();
    assert_eq!(listing(&frame(&[&[12, 0, 0, 0, 3][..], &keys].concat())).expect("the list is well-formed"), 0);
}

#[test]
fn malformed_signatures_are_nonsense() {
    let tagged = |name: &[u8], bytes: &[u8]| [string(name), string(bytes)].concat();
    for body in [
        vec![14],
        vec![12, 0, 0, 0, 0],
        [&[14][..], &string(&tagged(b"ssh-ed25519", &[0; 63]))].concat(),
        [&[14][..], &string(&tagged(b"ssh-rsa", &[0; 64]))].concat(),
        [&[14][..], &string(&tagged(b"ssh-ed25519", &[0; 64])), b"more"].concat(),
        [&[14][..], &string(&[&tagged(b"ssh-ed25519", &[0; 64])[..], b"more"].concat())].concat(),
    ] {
        let error = signing(frame(&body));
        assert!(matches!(error, AgentError::Nonsense { .. }), "{body:?}: {error}");
    }
}

#[test]
fn a_signature_by_another_key_or_over_other_bytes_is_not_passed_on() {
    let ours = PrivateKey::from_seed(&[7; 32]);
    let theirs = PrivateKey::from_seed(&[8; 32]);
    for signature in [theirs.sign(b"message"), ours.sign(b"massage")] {
        let blob = [string(b"ssh-ed25519"), string(&signature.expect("a key in memory signs"))].concat();
        let error = signing(frame(&[&[14][..], &string(&blob)].concat()));
        assert!(matches!(error, AgentError::WrongSignature { .. }), "{error}");
    }
}

#[test]
fn silence_ends() {
    let home = Home::new();
    let socket = home.at("socket");
    // It accepts nothing and says nothing; the system completes the connection all the same.
    let _listener = UnixListener::bind(&socket).expect("a socket can be bound");
    let error = Agent::at(&socket).with_patience(Duration::from_millis(50)).identities();
    assert!(matches!(error, Err(AgentError::Silent { .. })), "{error:?}");
}

#[test]
fn an_answer_that_drips_ends_too() {
    let home = Home::new();
    let (socket, server) = hostile(&home, |out| {
        let mut answer = frame(&[12; 1000]).into_iter();
        // Each byte comes well within the patience for one read; it ends when we hang up or have heard enough.
        while let Some(byte) = answer.next()
            && answer.len() > 900
            && out.write_all(&[byte]).is_ok()
        {
            thread::sleep(Duration::from_millis(10));
        }
    });
    let error = Agent::at(&socket).with_patience(Duration::from_millis(100)).identities();
    assert!(matches!(error, Err(AgentError::Silent { .. })), "{error:?}");
    server.join().expect("the server ends");
}
