//! ssh-keygen and git verify by the keys that trust holds, and trust takes keys from the file that they read.

use crate::support::World;

#[test]
fn git_verifies_a_commit_by_the_exported_signers() {
    let world = World::new();
    let work = &world.work;
    let key = work.home.key_path("ada-l");
    work.git("config gpg.format ssh");
    work.git(&format!("config user.signingkey {}", key.display()));
    work.sh("git boundary trust export-allowed-signers > ../signers").ok();
    work.git("config gpg.ssh.allowedSignersFile ../signers");
    work.git("commit -q --allow-empty -S -m signed");
    work.try_git("verify-commit HEAD").ok().says("Good \"git\" signature for ada-l");
    work.sh("git boundary trust export-allowed-signers --role checker > ../signers").ok();
    assert_ne!(work.try_git("verify-commit HEAD").status, 0, "who is no checker is not in the checkers' file");
}

#[test]
fn ssh_keygen_verifies_within_the_validity_that_trust_gives() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add codex --role actor --valid-from 2026-06-06T00:00:00Z --valid-until 2027-06-06T00:00:00Z")
        .ok();
    work.sh("git boundary trust export-allowed-signers > ../signers").ok();
    let key = work.home.key_path("codex");
    work.write("said", "what was said\n");
    work.sh(&format!("ssh-keygen -q -Y sign -f {} -n git said", key.display())).ok();
    let verify = |time: &str| {
        let options = format!("-f ../signers -I codex -n git -s said.sig -O verify-time={time}");
        work.sh(&format!("ssh-keygen -q -Y verify {options} < said")).status
    };
    assert_eq!(verify("20261212Z"), 0, "it is valid between the two");
    assert_ne!(verify("20260505Z"), 0, "and not before");
    assert_ne!(verify("20280505Z"), 0, "and not after");
}

#[test]
fn the_keys_of_an_allowed_signers_file_are_added_by_their_principals() {
    let world = World::new();
    let work = &world.work;
    work.sh("ssh-keygen -q -t ed25519 -N '' -f ../grace && ssh-keygen -q -t ed25519 -N '' -f ../linus").ok();
    work.sh("ssh-keygen -q -t ed25519 -N '' -f ../barbara").ok();
    work.sh("{ printf 'barbara@example.com '; cat ../barbara.pub; printf 'grace@example.com namespaces=\"git\",valid-before=\"20301212Z\" '; cat ../grace.pub; \
         printf '# nobody\\n*@example.com cert-authority '; cat ../linus.pub; } > ../signers")
        .ok();
    let ran = work.boundary("trust import-allowed-signers ../signers --role person").ok();
    ran.says("grace@example.com").says("left: line 4").says("pattern");
    let shown = work.boundary("trust show --json").ok().json();
    assert_eq!(shown["version"], 4, "all keys of a file come in one version");
    let grace =
        shown["keys"].as_array().expect("a list").iter().find(|key| key["label"] == "grace@example.com").cloned();
    let grace = grace.expect("the key is trusted");
    assert_eq!(grace["valid_until"], "2030-12-12T00:00:00Z", "its end goes along");
    assert_eq!(grace["roles"][0], "person", "it has the role that was named");
}
