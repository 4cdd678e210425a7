//! A real ssh-agent.

use std::process::Command;

use super::{Home, PASSPHRASE, RunningAgent, run};
use crate::crypto::{Agent, AgentError, AgentKey, KeyError, Signer as _, read_public_key, verify};

/// What DSSE signs, with bytes that no text has.
const MESSAGE: &[u8] = b"DSSEv1 28 application/vnd.in-toto+json 4 \x00\xff\n{";

#[test]
fn it_lists_ed25519_keys_and_passes_over_others() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    assert_eq!(Agent::at(&agent.socket).identities().expect("it answers"), []);
    agent.add(&home.ssh_keygen("rsa", "rsa", ""));
    agent.add(&home.ssh_keygen("id", "ed25519", ""));
    let listed = Agent::at(&agent.socket).identities().expect("it answers");
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0].public, read_public_key(&home.at("id.pub")).expect("its public half"));
    assert_eq!(listed[0].comment, "made by ssh-keygen");
}

#[test]
fn it_signs_raw_bytes_with_a_plain_64_byte_signature() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    agent.add(&home.ssh_keygen("id", "ed25519", ""));
    let public = read_public_key(&home.at("id.pub")).expect("its public half");
    let key = AgentKey::new(Agent::at(&agent.socket), public);
    for message in [MESSAGE, b"", &[0xa5; 200_000]] {
        let signature = key.sign(message).expect("it signs");
        assert!(verify(&public, message, &signature), "{} bytes", message.len());
    }
}

#[test]
fn a_message_beyond_its_limit_is_refused_before_it_is_sent() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    agent.add(&home.ssh_keygen("id", "ed25519", ""));
    let public = read_public_key(&home.at("id.pub")).expect("its public half");
    for length in [256 * 1024 - 40, 256 * 1024 + 1, 2_000_000] {
        let error = Agent::at(&agent.socket).sign(&public, &vec![0; length]).expect_err("it is too long");
        assert!(matches!(error, AgentError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn a_key_it_does_not_hold_and_a_locked_agent_are_refusals() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    home.ssh_keygen("absent", "ed25519", "");
    let absent = read_public_key(&home.at("absent.pub")).expect("its public half");
    let key = AgentKey::new(Agent::at(&agent.socket), absent);
    let error = key.sign(MESSAGE).expect_err("it does not hold the key");
    assert!(
        matches!(&error, KeyError::Agent(AgentError::Refused { socket, .. }) if *socket == agent.socket),
        "{error}"
    );
    assert!(error.remedy().is_some_and(|remedy| remedy.contains("ssh-add -l")));

    agent.add(&home.ssh_keygen("id", "ed25519", ""));
    let askpass = home.script("askpass", &format!("echo '{PASSPHRASE}'\n"));
    let locked = run(Command::new("ssh-add")
        .arg("-x")
        .env("SSH_AUTH_SOCK", &agent.socket)
        .env("SSH_ASKPASS", askpass)
        .env("SSH_ASKPASS_REQUIRE", "force"));
    assert!(locked.status.success(), "{locked:?}");
    assert_eq!(Agent::at(&agent.socket).identities().expect("a locked agent shows nothing"), []);
}
