//! Finding keys in files and agents.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{Home, PASSPHRASE, RunningAgent, run, set_mode, text_of};
use crate::crypto::{KeyEnvironment, KeyError, key_id, read_public_key, to_openssh, verify};

const KEYS: &str = ".config/git-boundary/keys";

#[test]
fn a_new_key_is_found_by_label_id_path_and_public_key() {
    let home = Home::new();
    let ring = home.keyring();
    let made = ring.new_key("codex").expect("it is made");
    let path = home.at(KEYS).join("codex");
    assert_eq!(made.path.as_deref(), Some(path.as_path()));
    let line = to_openssh(&made.public, "any comment");
    for spec in [
        "codex".to_owned(),
        made.id.to_string(),
        path.display().to_string(),
        format!("{}.pub", path.display()),
        format!("~/{KEYS}/codex"),
        format!("~/{KEYS}/codex.pub"),
        line.clone(),
        format!("key::{line}"),
    ] {
        let signer = ring.find(&spec).expect(&spec);
        assert_eq!(signer.public_key(), made.public, "{spec}");
        let signature = signer.sign(b"message").expect("it signs");
        assert!(verify(&made.public, b"message", &signature), "{spec}");
        assert_eq!(ring.find_public(&spec).expect(&spec), made.public, "{spec}");
    }
}

#[test]
fn the_same_forms_find_a_key_that_only_the_agent_has() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    let public = read_public_key(&home.at("id.pub")).expect("its public half");
    agent.add(&path);
    fs::remove_file(&path).expect("the private half goes");
    fs::create_dir_all(home.at(KEYS)).expect("directories can be made");
    fs::copy(home.at("id.pub"), home.at(KEYS).join("held.pub")).expect("it can be copied");
    let ring = home.keyring_with(&agent);
    let line = to_openssh(&public, "");
    for spec in [
        "held".to_owned(),
        key_id(&public).to_string(),
        path.display().to_string(),
        format!("{}.pub", path.display()),
        line.clone(),
        format!("key::{line}"),
    ] {
        let signer = ring.find(&spec).expect(&spec);
        assert!(verify(&public, b"message", &signer.sign(b"message").expect("it signs")), "{spec}");
    }
}

#[test]
fn an_encrypted_key_is_used_from_the_agent_without_asking() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    agent.add(&path);
    let locked = run(Command::new("ssh-keygen").args(["-q", "-p", "-N", PASSPHRASE, "-f"]).arg(&path));
    assert!(locked.status.success(), "{locked:?}");
    let spec = path.display().to_string();
    let signer = home.keyring_with(&agent).find(&spec).expect("the agent has it");
    assert!(signer.sign(b"message").is_ok());

    let error = home.keyring().find(&spec).expect_err("nobody can be asked");
    assert!(matches!(error, KeyError::Passphrase { .. }), "{error}");
    assert!(error.remedy().is_some_and(|remedy| remedy.starts_with("ssh-add ")), "{error}");
}

#[test]
fn an_agent_that_is_gone_does_not_bar_the_way_to_the_file() {
    let home = Home::new();
    let path = home.ssh_keygen("id", "ed25519", PASSPHRASE);
    let askpass = home.script("askpass", &format!("echo '{PASSPHRASE}'\n"));
    let environment = KeyEnvironment {
        ssh_auth_sock: Some(home.at("gone")),
        ssh_askpass: Some(askpass.into()),
        askpass_require: Some(crate::crypto::AskpassRequire::Force),
        ..home.environment()
    };
    let ring = crate::crypto::Keyring::from_env(&environment);
    assert!(ring.find(&path.display().to_string()).is_ok());
    let silent = ring.without_prompts().find(&path.display().to_string());
    assert!(matches!(silent, Err(KeyError::Passphrase { .. })), "{silent:?}");
}

#[test]
fn a_missing_file_is_a_cannot_sign_that_names_it() {
    let home = Home::new();
    let ring = home.keyring();
    let error = ring.find("~/gone").expect_err("it is not there");
    assert!(error.to_string().starts_with("cannot sign: the key file"), "{error}");
    assert!(error.to_string().contains("gone\" is absent"), "{error}");
    assert!(matches!(ring.find("~/gone.pub"), Err(KeyError::Absent { path }) if path == home.at("gone.pub")));
    assert!(matches!(ring.find("gone"), Err(KeyError::NoSuchLabel { file_here: false, .. })));
}

#[test]
fn a_known_public_key_without_its_private_half_says_where_it_was_looked_for() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    fs::remove_file(&path).expect("the private half goes");
    let spec = format!("{}.pub", path.display());
    assert!(home.keyring().find_public(&spec).is_ok(), "it can still be named");
    let error = home.keyring().find(&spec).expect_err("nothing can sign");
    assert!(error.to_string().contains("id\"") && error.to_string().contains("SSH_AUTH_SOCK is not set"), "{error}");
    let error = home.keyring_with(&agent).find(&spec).expect_err("the agent does not have it");
    assert!(error.to_string().contains(&format!("{:?}", agent.socket)), "{error}");
}

#[test]
fn halves_that_do_not_belong_together_are_refused() {
    let home = Home::new();
    let path = home.ssh_keygen("a", "ed25519", "");
    let other = home.ssh_keygen("b", "ed25519", "");
    fs::copy(other.with_extension("pub"), home.at("a.pub")).expect("it can be copied");
    for spec in [path.display().to_string(), format!("{}.pub", path.display())] {
        let error = home.keyring().find(&spec).expect_err("they are two keys");
        assert!(matches!(error, KeyError::PairMismatch { .. }), "{error}");
        assert!(home.keyring().find_public(&spec).is_err(), "which of the two is meant is not guessed");
    }
}

#[test]
fn a_dangling_link_is_an_error_and_not_an_agent_key() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    agent.add(&path);
    fs::remove_file(&path).expect("the private half goes");
    symlink(home.at("nowhere"), &path).expect("links can be made");
    let error = home.keyring_with(&agent).find(&path.display().to_string()).expect_err("the link dangles");
    assert!(matches!(error, KeyError::Absent { .. }), "{error}");
}

#[test]
fn the_list_shows_files_and_agent_and_what_is_wrong() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let ring = home.keyring_with(&agent);
    ring.new_key("zoe").expect("it is made");
    let both = ring.new_key("anna").expect("it is made");
    agent.add(both.path.as_deref().expect("it has a file"));
    home.ssh_keygen(&format!("{KEYS}/locked"), "ed25519", PASSPHRASE);
    home.ssh_keygen(&format!("{KEYS}/rsa"), "rsa", "");
    let open = home.ssh_keygen(&format!("{KEYS}/open"), "ed25519", "");
    set_mode(&open, 0o644);
    home.write(&format!("{KEYS}/notes\u{7}"), "x", 0o600);
    home.write(&format!("{KEYS}/.hidden"), "x", 0o600);
    agent.add(&home.ssh_keygen("elsewhere", "ed25519", ""));

    let list = ring.list();
    let shown: Vec<_> = list
        .keys
        .iter()
        .map(|key| {
            (key.label.as_ref().map_or("-", |label| label.as_str()), key.encrypted, key.in_agent, key.can_sign())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("anna", false, true, true),
            ("locked", true, false, true),
            ("zoe", false, false, true),
            ("-", false, true, true)
        ]
    );
    assert_eq!(list.keys[0].comment, "anna");
    assert_eq!(list.keys[3].comment, "made by ssh-keygen");
    let defects: Vec<_> = list.defects.iter().map(ToString::to_string).collect();
    assert_eq!(defects.len(), 3, "{defects:?}");
    for named in ["rsa", "open\" has mode 0644", "notes\\u{7}"] {
        assert!(defects.iter().any(|defect| defect.contains(named)), "{named}: {defects:?}");
    }
}

#[test]
fn an_agent_that_does_not_answer_is_in_the_list_of_defects() {
    let home = Home::new();
    let environment = KeyEnvironment { ssh_auth_sock: Some(home.at("gone")), ..home.environment() };
    let list = crate::crypto::Keyring::from_env(&environment).list();
    assert!(list.keys.is_empty());
    assert!(matches!(&list.defects[..], [KeyError::Agent(_)]), "{list:?}");
    assert!(home.keyring().list().defects.is_empty(), "no directory yet is no defect");
}

#[test]
fn a_label_that_is_taken_keeps_its_key() {
    let home = Home::new();
    let ring = home.keyring();
    let first = ring.new_key("codex").expect("it is made");
    let error = ring.new_key("codex").expect_err("the label is taken");
    assert!(matches!(error, KeyError::Exists { .. }), "{error}");
    assert_eq!(ring.find_public("codex").expect("it is still there"), first.public);
}

#[test]
fn the_users_own_keys_are_hinted_at_with_the_usual_one_first() {
    let home = Home::new();
    assert!(home.keyring().discover_user_key().is_empty());
    home.ssh_keygen(".ssh/a_work", "ed25519", PASSPHRASE);
    home.ssh_keygen(".ssh/id_rsa", "rsa", "");
    home.ssh_keygen(".ssh/id_ed25519", "ed25519", "");
    let lonely = home.ssh_keygen(".ssh/lonely", "ed25519", "");
    fs::remove_file(lonely).expect("the private half goes");
    let found = home.keyring().discover_user_key();
    let paths: Vec<_> = found.iter().filter_map(|key| key.path.clone()).collect();
    assert_eq!(paths, [home.at(".ssh/id_ed25519"), home.at(".ssh/a_work")]);
    assert!(found[1].encrypted && found[0].label.is_none());
}

#[test]
fn a_public_key_in_a_file_of_any_name_is_taken_as_git_takes_it() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    agent.add(&path);
    let odd = home.write("signing-key.txt", text_of(&home.at("id.pub")), 0o644);
    let ring = home.keyring_with(&agent);
    assert!(ring.find(&odd.display().to_string()).is_ok());
}

#[test]
fn a_key_that_is_open_in_its_file_does_not_depend_on_the_agent() {
    let (home, agent) = (Home::new(), RunningAgent::start());
    let path = home.ssh_keygen("id", "ed25519", "");
    agent.add(&path);
    let signer = home.keyring_with(&agent).find(&path.display().to_string()).expect("it is found");
    drop(agent);
    assert!(signer.sign(b"message").is_ok(), "the file signs");
}

#[test]
fn of_two_labels_with_one_key_an_id_means_the_one_that_can_sign() {
    let home = Home::new();
    let ring = home.keyring();
    let made = ring.new_key("zoe").expect("it is made");
    fs::copy(home.at(KEYS).join("zoe.pub"), home.at(KEYS).join("anna.pub")).expect("it can be copied");
    assert!(ring.find(&made.id.to_string()).is_ok());
    assert!(ring.find(&to_openssh(&made.public, "")).is_ok());
    assert!(matches!(ring.find("anna"), Err(KeyError::NoPrivateHalf { .. })));
}
