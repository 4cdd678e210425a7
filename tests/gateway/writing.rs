//! What an agent asks for: it waits for an owner, and what is done then is exactly what was approved, once, or nothing is.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::fact::Fact;
use serde_json::{Value, json};

use super::live::Live;
use super::{Gate, refusal, text};
use crate::support::{Work, read};

/// A worktree on a branch of an agent's, with a handoff for `src` to the actor `codex`.
fn asking() -> Gate {
    asking_with("")
}

fn asking_with(policy: &str) -> Gate {
    let gate = Gate::new();
    let work = gate.work();
    work.git("checkout -q -b agent/fix");
    work.commit(&[("src/a.rs", "fn a() {}\n"), ("src/run.sh", "#!/bin/sh\n")]);
    work.sh("git push -q --no-verify origin HEAD:agent/fix && git fetch -q").ok();
    work.boundary("handoff create --to codex --path src Makefile --at HEAD --ref refs/heads/agent/** --key ada-l").ok();
    let policy = match policy {
        "" => String::new(),
        text => {
            std::fs::write(gate.path("gateway.toml"), text).expect("it can be written");
            "--policy ../gateway.toml".to_owned()
        }
    };
    gate.setup(&policy).ok();
    gate
}

fn digest(bytes: &[u8]) -> String {
    git_boundary::codec::canonical::sha256(bytes).to_string()
}

/// A wish to write a file over what is there.
fn wish(path: &str, content: &str, preimage: &str) -> Value {
    json!({ "operation": "workspace.write", "path": path, "content": content, "media_type": "text/plain",
        "preimage": preimage, "reason": "it has to be so" })
}

/// The envelope that an answer names.
#[track_caller]
fn envelope(answer: &Value) -> String {
    let said = text(answer);
    let word = said.split_whitespace().find(|word| word.starts_with("env_"));
    word.unwrap_or_else(|| panic!("it names an envelope: {said}")).to_owned()
}

#[track_caller]
fn content(gate: &Gate, path: &str) -> Option<String> {
    std::fs::read_to_string(gate.work().dir.join(path)).ok()
}

#[test]
fn what_an_owner_approves_is_written_and_nothing_before() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let old = digest(b"fn a() {}\n");
    let asked = live.call("request_action", &wish("src/a.rs", "fn a() { b() }\n", &old));
    let env = envelope(&asked);
    assert!(text(&asked).starts_with("pending\t"), "{asked}");
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("fn a() {}\n"), "nothing is written yet");
    work.boundary("approvals").ok().says("src/a.rs").says("git boundary approve");
    let approved = work.boundary(&format!("approve {env} --key ada-l"));
    approved.ok().says("-fn a() {}").says("+fn a() { b() }").says("replaces").says("session until").says("written");
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("fn a() { b() }\n"), "exactly that is written");
    let told = live.call("action_status", &json!({ "action": env }));
    assert!(text(&told).starts_with("complete\t"), "{told}");
    assert!(text(&told).contains("receipt art_") && text(&told).contains("ledger sha256:"), "{told}");
    work.boundary("approvals").ok().says("Nothing waits");
    // The same approval moves nothing a second time.
    std::fs::write(work.dir.join("src/a.rs"), "fn a() {}\n").expect("it can be written");
    work.boundary(&format!("approve {env} --key ada-l"));
    work.boundary(&format!("settle {env}"));
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("fn a() {}\n"), "an approval is for once");
    live.end().ends_with(7);
    let trace = gate.trace();
    let operations: Vec<&str> =
        trace["accesses"].as_array().expect("a list").iter().filter_map(|one| one["operation"].as_str()).collect();
    assert_eq!(operations, ["request_action", "action_status"], "each call is in the trace: {trace}");
    assert!(!trace.to_string().contains("b()"), "and no content is: {trace}");
    assert_eq!(
        trace["seal"]["actor"].as_str().map(|key| key.starts_with("key_")),
        Some(true),
        "the session names its actor"
    );
}

#[test]
fn a_new_file_is_made_with_its_directories_and_a_program_stays_one() {
    let gate = asking();
    let work = gate.work();
    work.sh("chmod 755 src/run.sh").ok();
    let mut live = Live::launched(&gate, "--key codex");
    let new = envelope(&live.call("request_action", &wish("src/new/deep/b.rs", "b\n", "absent")));
    let run =
        envelope(&live.call("request_action", &wish("src/run.sh", "#!/bin/sh\nexit 0\n", &digest(b"#!/bin/sh\n"))));
    work.boundary(&format!("approve {new} --key ada-l")).ok().says("the file is made");
    work.boundary(&format!("approve {run} --key ada-l")).ok();
    assert_eq!(content(&gate, "src/new/deep/b.rs").as_deref(), Some("b\n"));
    work.sh("test -x src/run.sh && test \"$(cat src/run.sh)\" = '#!/bin/sh\nexit 0'").ok();
    // Bytes that are no text, as base64.
    let mut bytes = wish("src/x.bin", "AP/+", "absent");
    bytes["encoding"] = json!("base64");
    let raw = envelope(&live.call("request_action", &bytes));
    work.boundary(&format!("approve {raw} --key ada-l")).ok().says("\\xff").says("can't be printed");
    assert_eq!(std::fs::read(work.dir.join("src/x.bin")).expect("it is there"), [0, 0xff, 0xfe]);
}

#[test]
fn the_same_wish_again_is_no_second_permission() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let asked = wish("src/b.rs", "b\n", "absent");
    let first = envelope(&live.call("request_action", &asked));
    let again = live.call("request_action", &asked);
    assert!(text(&again).starts_with("asked for before") && envelope(&again) == first, "{again}");
    work.boundary(&format!("approve {first} --key ada-l")).ok();
    std::fs::remove_file(work.dir.join("src/b.rs")).expect("it is there");
    let after = live.call("request_action", &asked);
    assert!(text(&after).contains("complete\t") && envelope(&after) == first, "what was done is told: {after}");
    assert_eq!(content(&gate, "src/b.rs"), None, "and not done again");
    // Under another name it is another wish, which waits again.
    let mut other = asked.clone();
    other["key"] = json!("two");
    let second = live.call("request_action", &other);
    assert!(text(&second).starts_with("pending\t") && envelope(&second) != first, "{second}");
}

#[test]
fn what_an_owner_rejects_is_never_written() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    work.boundary(&format!("reject {env} --key ada-l --reason no")).ok();
    let told = live.call("action_status", &json!({}));
    assert!(text(&told).starts_with("rejected\t"), "{told}");
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("approval.rejected");
    work.boundary("settle");
    assert_eq!(content(&gate, "src/b.rs"), None);
}

#[test]
fn what_is_there_is_looked_at_again_when_it_is_written() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let old = digest(b"fn a() {}\n");
    let stale = live.call("request_action", &wish("src/a.rs", "x\n", &digest(b"else\n")));
    assert_eq!(refusal(&stale), "snapshot.head_moved", "a preimage that is not there is refused at once");
    let taken = live.call("request_action", &wish("src/a.rs", "x\n", "absent"));
    assert_eq!(refusal(&taken), "snapshot.head_moved");
    let env = envelope(&live.call("request_action", &wish("src/a.rs", "x\n", &old)));
    std::fs::write(work.dir.join("src/a.rs"), "a person's edit\n").expect("it can be written");
    let refused = work.boundary(&format!("approve {env} --key ada-l"));
    refused.ends_with(1).says("nothing was signed").says("another difference would be written");
    work.boundary(&format!("settle {env}")).ends_with(1).says("nothing was written");
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("a person's edit\n"), "an edit is never lost");
    // Nor is signed what can't be shown: the bytes that wait are gone.
    std::fs::write(work.dir.join("src/a.rs"), "fn a() {}\n").expect("it can be written");
    let blob = work.sh("printf 'x\\n' | git hash-object --stdin").ok().stdout.trim().to_owned();
    let object = work.git_file(&format!("objects/{}/{}", &blob[..2], &blob[2..]));
    std::fs::rename(&object, gate.path("kept")).expect("it is loose");
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("nothing was signed").says("not here whole");
    std::fs::rename(gate.path("kept"), &object).expect("it can go back");
    work.boundary(&format!("approve {env} --key ada-l")).ok().says("written");
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("x\n"));
}

#[test]
fn a_wish_ends_with_its_session() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    live.end().ends_with(7);
    work.boundary("approvals").ok().says("Nothing waits");
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("nothing was signed").says("to its end");
    assert_eq!(content(&gate, "src/b.rs"), None);
    // Nor does another session know of it.
    let mut other = Live::launched(&gate, "--key codex");
    let told = other.call("action_status", &json!({ "action": env }));
    assert_eq!(refusal(&told), "unknown_action");
}

#[test]
fn the_policy_denies_or_makes_wait_whatever_the_agent_says() {
    let gate = asking();
    let mut live = Live::launched(&gate, "--key codex");
    let mut build = wish("src/Makefile", "all:\n", "absent");
    build["reason"] = json!("harmless documentation");
    build["media_type"] = json!("text/markdown");
    assert_eq!(refusal(&live.call("request_action", &build)), "policy.action_forbidden");
    assert_eq!(refusal(&live.call("request_action", &wish("src/.env", "x\n", "absent"))), "policy.action_forbidden");
    let told = live.call("action_status", &json!({}));
    assert!(text(&told).starts_with("nothing was asked for"), "a denied wish leaves nothing to approve: {told}");
    live.end().ends_with(7);

    let gate = asking_with("read = [\":/\"]\nwrite = [\"src\"]\nautomation = \"approval_required\"\n");
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &build));
    gate.work().boundary("approvals").ok().says("build: build scripts");
    gate.work().boundary(&format!("approve {env} --key ada-l")).ok().says("class").says("build");
    assert_eq!(content(&gate, "src/Makefile").as_deref(), Some("all:\n"));
    assert_eq!(refusal(&live.call("request_action", &wish("doc.md", "x\n", "absent"))), "policy.action_forbidden");
}

#[test]
fn what_nothing_here_does_is_never_taken_for_something_near_it() {
    let gate = asking();
    let mut live = Live::launched(&gate, "--key codex");
    for operation in [
        "workspace.delete",
        "workspace.rename",
        "shell.run",
        "network.fetch",
        "package.install",
        "cloud.apply",
        "WORKSPACE.WRITE",
        "workspace.write ",
        "",
    ] {
        let mut asked = wish("src/b.rs", "b\n", "absent");
        asked["operation"] = json!(operation);
        asked["command"] = json!("rm -rf src");
        let answer = live.call("request_action", &asked);
        assert_eq!(refusal(&answer), "policy.action_forbidden", "{operation:?}: {answer}");
    }
    let mut more = wish("src/b.rs", "b\n", "absent");
    more["mode"] = json!("0755");
    assert_eq!(refusal(&live.call("request_action", &more)), "invalid_arguments", "an unknown field is refused");
    let cases = [
        ("path", json!("../x")),
        ("path", json!("src/.git/config")),
        ("path", json!("/etc/passwd")),
        ("preimage", json!("sha256:0")),
        ("media_type", json!("text")),
        ("encoding", json!("utf-16")),
        ("content", json!(7)),
        ("reason", json!("x".repeat(3000))),
    ];
    for (field, value) in cases {
        let mut asked = wish("src/b.rs", "b\n", "absent");
        asked[field] = value.clone();
        let answer = live.call("request_action", &asked);
        assert_eq!(answer["isError"], true, "{field} {value}: {answer}");
    }
    gate.work().sh("test -z \"$(git for-each-ref refs/boundary-writes/)\"").ok();
}

#[test]
fn without_an_actors_key_an_agent_may_only_look() {
    let gate = asking();
    let mut live = Live::launched(&gate, "");
    assert_eq!(refusal(&live.call("request_action", &wish("src/b.rs", "b\n", "absent"))), "no_actor");
    live.end().ends_with(7);
    gate.work().boundary("gateway launch generic --key ada-l").ends_with(129).says("not trusted as an actor");
    gate.work().boundary("gateway launch generic --key nobody").ends_with(128);
}

#[test]
fn scope_and_lease_hold_for_writes_as_for_pushes() {
    let gate = asking_with("read = [\":/\"]\nwrite = [\":/\"]\n");
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let outside = live.call("request_action", &wish("doc.md", "x\n", "absent"));
    assert_eq!(refusal(&outside), "authority.action_out_of_scope", "{outside}");
    let again = live.call("request_action", &wish("doc.md", "x\n", "absent"));
    assert_eq!(refusal(&again), "authority.action_out_of_scope", "it is told again, and not decided again: {again}");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    let handoff = work.boundary("handoff list --json").ok().json_lines()[0]["id"].as_str().expect("an id").to_owned();
    work.boundary(&format!("handoff revoke {handoff} --reason stop --key ada-l")).ok();
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("authority.lease_revoked");
    assert_eq!(content(&gate, "src/b.rs"), None);
}

#[test]
fn another_branch_in_the_worktree_is_another_place() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    work.git("checkout -q -b other");
    work.boundary(&format!("approve {env} --key ada-l"))
        .ends_with(1)
        .says("snapshot.head_moved")
        .says("refs/heads/other");
    assert_eq!(content(&gate, "src/b.rs"), None);
    work.git("checkout -q agent/fix");
    work.boundary(&format!("settle {env}")).ok().says("written");
}

#[test]
fn an_approval_is_for_the_bytes_that_were_shown_and_for_nothing_else() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let one = envelope(&live.call("request_action", &wish("src/one", "one\n", "absent")));
    let two = envelope(&live.call("request_action", &wish("src/two", "two\n", "absent")));
    work.boundary(&format!("approve {one} --key ada-l")).ok();
    assert_eq!(content(&gate, "src/two"), None, "the other one still waits");
    // The first one's approval in the second one's note approves nothing there.
    let commits = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    let of = |path: &str| {
        let is_it = |oid: &&str| work.try_git(&format!("cat-file -e {oid}:{path}")).status == 0;
        commits.lines().find(is_it).expect("it is kept").to_owned()
    };
    let approval = work.stored(&of("src/one"), |artifact| matches!(artifact, Artifact::Approval(_)));
    work.record(&of("src/two"), &approval);
    work.boundary(&format!("settle {two}")).ends_with(2).says("waits for an owner");
    assert_eq!(content(&gate, "src/two"), None, "nothing is written by another's approval");
}

#[test]
fn an_agent_that_was_changed_meanwhile_gets_nothing_written() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    work.sh("echo '# more' >> ../client").ok();
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("policy.digest_mismatch").says("client");
    assert_eq!(content(&gate, "src/b.rs"), None);
}

#[test]
fn bytes_that_wait_outlast_garbage_collection_and_are_sent_nowhere() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "kept\n", "absent")));
    work.git("gc -q --prune=now");
    work.git("reflog expire --expire=now --all");
    work.git("prune --expire=now");
    work.boundary(&format!("approve {env} --key ada-l")).ok().says("+kept");
    assert_eq!(content(&gate, "src/b.rs").as_deref(), Some("kept\n"));
    work.boundary("sync").ok();
    let there = gate.world.server.refs();
    assert!(there.iter().all(|(name, _)| !name.contains("boundary-writes")), "what waits stays here: {there:?}");
    drop(live);
}

#[test]
fn a_commit_that_stands_for_a_write_is_no_proposal_of_a_push() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    work.boundary(&format!("approve {env} --key ada-l")).ok();
    let commit = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    let pushed = work.push(&format!("origin {commit}:refs/heads/agent/fix"));
    pushed.refused("context.receipt_missing");
    work.boundary(&format!("verify --ref refs/heads/agent/fix origin/agent/fix..{commit}"))
        .ends_with(1)
        .says("context.receipt_missing");
    work.boundary(&format!("submit {env}")).ends_with(129).says("git boundary approve");
    drop(live);
}

#[test]
fn a_write_that_was_cut_short_is_settled_by_what_the_worktree_holds() {
    let gate = asking();
    let work = gate.work();
    if work.sh("command -v strace").status != 0 {
        eprintln!("strace is not here: nothing was killed in the middle of a write");
        return;
    }
    let mut live = Live::launched(&gate, "--key codex");
    let mut killed = 0;
    for moment in (1..16).chain((16..200).step_by(5)) {
        let path = format!("src/{moment}");
        let env = envelope(&live.call("request_action", &wish(&path, "b\n", "absent")));
        let calls = "renameat2,rename,renameat,linkat,unlinkat,unlink,fsync,fdatasync";
        let command = format!(
            "strace -qq -o /dev/null -e inject={calls}:signal=KILL:when={moment} git-boundary approve {env} --key ada-l --no-publish"
        );
        let ran = work.sh(&command);
        if ran.status == 0 {
            break;
        }
        killed += 1;
        let half = content(&gate, &path);
        assert!(half.is_none() || half.as_deref() == Some("b\n"), "call {moment}: all of it or nothing: {half:?}");
        if work.boundary(&format!("settle {env}")).status == 2 {
            // It was killed before it was signed.
            work.boundary(&format!("approve {env} --key ada-l --no-publish")).ok();
        }
        let told = live.call("action_status", &json!({ "action": env }));
        let state = text(&told).split('\t').next().unwrap_or_default().to_owned();
        let expected = if state == "complete" { Some("b\n") } else { None };
        assert!(["complete", "expired"].contains(&state.as_str()), "call {moment}: it came to its end: {told}");
        assert_eq!(content(&gate, &path).as_deref(), expected, "call {moment}: as it is told: {told}");
        // Whatever became of it, nothing brings it about once more.
        drop(std::fs::remove_file(work.dir.join(&path)));
        work.boundary(&format!("settle {env}"));
        assert_eq!(content(&gate, &path), None, "call {moment}: an approval is for once");
    }
    assert!(killed > 10, "it was killed at each call that changes something: {killed}");
    live.end().ends_with(7);
    let left = work.sh("find . -name '.git-boundary-tmp-*'").ok().stdout;
    gate.requests("");
    work.boundary("gateway launch generic").ends_with(7);
    let after = work.sh("find . -name '.git-boundary-tmp-*'").ok().stdout;
    assert_eq!(after, "", "what kills left is swept away by the next launch: {left}");
}

#[test]
fn a_killed_server_loses_no_wish() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    live.kill_server();
    // The client ends with its server, and with both the session.
    live.end().ends_with(7);
    work.boundary("gateway doctor").ok();
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("over");
    let trace = gate.trace();
    assert_eq!(trace["accesses"][0]["outcome"], "ok", "what was answered is in the trace: {trace}");
    assert_eq!(content(&gate, "src/b.rs"), None);
}

/// A copy of the wish in the note of a commit, changed and signed by a key, recorded there as well. Gives its id.
#[track_caller]
fn forged(work: &Work, commit: &str, key: &str, change: impl Fn(&mut Envelope)) -> String {
    let stored = work.stored(commit, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))).remove(0);
    let Some(Artifact::EvidenceEnvelope(it)) = read(&stored) else { panic!("a proposal was asked for") };
    let Statement { mut predicate, subject } = *it;
    change(&mut predicate);
    let line = sign_statement(&Statement { predicate, subject }, &work.key(key)).expect("it signs");
    work.record(commit, std::slice::from_ref(&line));
    git_boundary::model::id::ArtifactId::of(&line.digest()).to_string()
}

fn session_of(envelope: &mut Envelope) -> &mut git_boundary::model::digest::Digest {
    let action = envelope.requested_action.as_mut().expect("it asks for something");
    &mut action.write.as_mut().expect("a file").session
}

#[test]
fn a_wish_in_the_name_of_another_clones_session_is_nobodys() {
    let gate = asking();
    let work = gate.work();
    let other = gate.world.joined("other");
    other.git("checkout -q -b agent/fix origin/agent/fix");
    let client = gate.path("client");
    let line = format!(
        "gateway setup generic --program {} --argument {{mcp}} --argument {} --argument {}",
        client.display(),
        gate.path("requests").display(),
        gate.path("answers").display()
    );
    other.boundary(&line).ok();
    // A session of the other clone is open, and a wish of one here that is over is put in its name.
    let mut live = Live::launched(&gate, "--key codex");
    let first = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    let commit = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    live.end().ends_with(7);
    let there = Live::launched_in(&gate, &other, "--key codex");
    let session = other.stored("HEAD", |artifact| matches!(artifact, Artifact::Session(_))).remove(0).digest();
    other.boundary("sync").ok();
    work.boundary("sync").ok();
    let id = forged(work, &commit, "codex", |envelope| {
        *session_of(envelope) = session;
        envelope.version += 1;
    });
    work.boundary(&format!("approve {id} --key ada-l")).ends_with(1).says("nothing was signed");
    work.boundary("settle");
    assert!(
        !work.dir.join("src/b.rs").exists() && !other.dir.join("src/b.rs").exists(),
        "nothing is written anywhere: {first}"
    );
    drop(there);
}

#[test]
fn a_wish_by_another_actor_than_the_sessions_is_refused() {
    let gate = asking();
    let work = gate.work();
    work.boundary("trust add helper --role actor --new-key").ok();
    let mut live = Live::launched(&gate, "--key codex");
    envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    let commit = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    let helper = work.key_id("helper");
    let id = forged(work, &commit, "helper", |envelope| {
        envelope.bindings.actor = Fact::known(helper, "key", git_boundary::model::time::Timestamp(0));
    });
    work.boundary(&format!("approve {id} --key ada-l")).ends_with(1).says("authority.holder_mismatch");
    assert_eq!(content(&gate, "src/b.rs"), None);
}

#[test]
fn other_bytes_than_were_asked_for_are_not_what_an_owner_approves() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    let commit = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    let id = forged(work, &commit, "codex", |envelope| {
        let write = envelope.requested_action.as_mut().and_then(|action| action.write.as_mut()).expect("a file");
        write.content = git_boundary::codec::canonical::sha256(b"harmless\n");
        envelope.version += 1;
    });
    work.boundary(&format!("approve {id} --key ada-l")).ends_with(1).says("evidence.digest_mismatch");
    let id = forged(work, &commit, "codex", |envelope| {
        let write = envelope.requested_action.as_mut().and_then(|action| action.write.as_mut()).expect("a file");
        write.path = "src/a.rs".parse().expect("a path");
        envelope.version += 2;
    });
    let refused = work.boundary(&format!("approve {id} --key ada-l"));
    refused.ends_with(1).says("nothing was signed").says("touches src/b.rs as well");
    assert_eq!(content(&gate, "src/b.rs"), None);
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("fn a() {}\n"));
}

#[test]
fn verify_tells_which_files_are_as_approved_and_covers_nothing_by_it() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    // Before it is approved and carried out a commit of the same bytes is nothing special.
    work.commit(&[("src/b.rs", "b\n")]);
    let before = work.boundary("verify HEAD~1..HEAD --json").json();
    assert!(before["commits"][0]["written"].is_null(), "{before}");
    work.git("reset -q --hard HEAD~1");
    work.boundary(&format!("approve {env} --key ada-l")).ok();
    work.commit(&[("src/b.rs", "b\n"), ("src/c.rs", "c\n")]);
    let after = work.boundary("verify HEAD~1..HEAD --json");
    after.ends_with(1);
    let after = work.boundary("verify HEAD~1..HEAD --json").json();
    let one = &after["commits"][0];
    assert_eq!((&one["written"]["of"], &one["status"]), (&json!(2), &json!("refused")), "{after}");
    assert_eq!(one["written"]["files"].as_array().map(Vec::len), Some(1), "{after}");
    let file = &one["written"]["files"][0];
    assert_eq!(
        (&file["path"], &file["owner"], &file["listed"]),
        (&json!("src/b.rs"), &json!("ada-l"), &json!(true)),
        "{after}"
    );
    // Nor was a program approved where a file was.
    work.git("update-index --chmod=+x src/b.rs");
    work.git("commit -q --amend --no-edit");
    let run = work.boundary("verify HEAD~1..HEAD --json").json();
    assert!(run["commits"][0]["written"].is_null(), "{run}");
    work.git("update-index --chmod=-x src/b.rs");
    work.git("commit -q --amend --no-edit");
    // The same bytes at another path were approved nowhere.
    work.git("mv src/b.rs src/d.rs");
    work.git("commit -q -m moved");
    let moved = work.boundary("verify HEAD~1..HEAD --json").json();
    assert!(moved["commits"][0]["written"].is_null(), "{moved}");
    // Another clone tells the same from the notes alone.
    work.boundary("sync").ok();
    work.sh("git push -q --no-verify origin HEAD:agent/fix").ok();
    let other = gate.world.joined("other");
    let there =
        other.boundary("verify --ref refs/heads/agent/fix origin/agent/fix~2..origin/agent/fix~1 --json").json();
    assert_eq!(there["commits"][0]["written"]["files"][0]["path"], "src/b.rs", "{there}");
    drop(live);
}

#[test]
fn a_write_goes_into_a_bundle_that_verifies() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    work.boundary(&format!("approve {env} --key ada-l")).ok();
    live.end().ends_with(7);
    work.sh(&format!("git boundary export {env} > ../write.json")).ok();
    let verified = work.boundary("verify --bundle ../write.json");
    verified.ok().says("whether the bytes that were approved are those that were written");
    // The session that asked carries it as well.
    let session = gate.session();
    work.boundary(&format!("gateway trace {session} --output ../session.json")).ok();
    work.boundary("verify --bundle ../session.json").ok();
}

#[test]
fn all_of_a_difference_is_shown_and_what_hides_in_it_is_named() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let long: String = (0..1000).map(|line| format!("line {line}\n")).collect::<String>() + "the last one";
    let env = envelope(&live.call("request_action", &wish("src/long", &long, "absent")));
    work.boundary(&format!("approve {env} --key ada-l"))
        .ok()
        .says("+line 0\n")
        .says("+the last one")
        .says("no newline at the end");
    let hidden = "a\u{202e}b\r\n\\u{202e}\nplain\n";
    let env = envelope(&live.call("request_action", &wish("src/hidden", hidden, "absent")));
    let shown = work.boundary(&format!("approve {env} --key ada-l")).ok().said();
    assert_eq!(
        shown.matches("can't be printed").count(),
        1,
        "of two lines that look alike the one that hides something: {shown}"
    );
    drop(live);
}

#[test]
fn another_repository_inside_the_worktree_is_written_to_by_nobody() {
    let gate = asking();
    gate.work().sh("mkdir -p src/nested/deep && git init -q src/nested").ok();
    let mut live = Live::launched(&gate, "--key codex");
    let refused = live.call("request_action", &wish("src/nested/deep/x", "x\n", "absent"));
    assert_eq!(refusal(&refused), "policy.action_forbidden", "{refused}");
}

#[test]
fn a_stranger_who_records_a_wish_first_does_not_become_who_acts() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    let commit = work.git("for-each-ref --format=%(objectname) refs/boundary-writes/");
    let lines: Vec<String> = work.lines(&commit).into_iter().filter(|line| line.starts_with("{\"payload\"")).collect();
    std::fs::write(gate.path("lines"), lines.join("\n") + "\n").expect("it can be written");
    // An unlisted clone records the same proposal, an hour before it was made.
    let other = gate.world.joined("other");
    work.git(&format!("push -q --no-verify origin {commit}:refs/heads/spare"));
    other.git("fetch -q origin");
    other.later(-3600).boundary("import ../lines").ok();
    other.boundary("sync").ok();
    work.boundary("sync").ok();
    work.boundary(&format!("approve {env} --key ada-l")).ok().says("written");
    drop(live);
}

#[test]
fn two_wishes_of_one_moment_are_two() {
    let gate = asking();
    let mut live = Live::launched(&gate, "--key codex");
    let mut asked = wish("src/b.rs", "b\n", "absent");
    let mut envelopes = Vec::new();
    for key in ["one", "two", "three"] {
        asked["key"] = json!(key);
        envelopes.push(envelope(&live.call("request_action", &asked)));
    }
    envelopes.sort();
    envelopes.dedup();
    assert_eq!(envelopes.len(), 3, "each is an envelope of its own, whatever second they are of: {envelopes:?}");
    let told = live.call("action_status", &json!({}));
    assert_eq!(text(&told).matches("pending\t").count(), 3, "{told}");
    // The first that is carried out leaves the others without what they were to replace.
    gate.work().boundary(&format!("approve {} --key ada-l", envelopes[0])).ok();
    gate.work().boundary(&format!("approve {} --key ada-l", envelopes[1])).ends_with(1).says("nothing was signed");
}

#[test]
fn a_file_that_became_a_program_meanwhile_is_not_replaced_as_one() {
    let gate = asking();
    let work = gate.work();
    let mut live = Live::launched(&gate, "--key codex");
    let asked = wish("src/a.rs", "#!/bin/sh\n", &digest(b"fn a() {}\n"));
    let env = envelope(&live.call("request_action", &asked));
    work.sh("chmod 755 src/a.rs").ok();
    work.boundary(&format!("approve {env} --key ada-l")).ends_with(1).says("permission to run");
    assert_eq!(content(&gate, "src/a.rs").as_deref(), Some("fn a() {}\n"));
}

#[test]
fn what_was_claimed_for_a_session_whose_state_is_lost_is_not_said_to_have_been_left_alone() {
    let gate = asking();
    let work = gate.work();
    if work.sh("command -v strace").status != 0 {
        eprintln!("strace is not here: nothing was killed in the middle of a write");
        return;
    }
    let mut live = Live::launched(&gate, "--key codex");
    let env = envelope(&live.call("request_action", &wish("src/b.rs", "b\n", "absent")));
    // Killed as soon as the file has its name.
    work.sh(&format!(
        "strace -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=KILL:when=1 git-boundary approve {env} --key ada-l --no-publish"
    ));
    // Who settles it has no state of the session, and can't look.
    work.with("XDG_STATE_HOME", gate.path("nothing")).boundary(&format!("settle {env}"));
    let said = work.boundary(&format!("read {env}")).said();
    assert!(!said.contains("settled expired"), "nobody looked at the worktree: {said}");
    work.boundary(&format!("settle {env}"));
    let told = live.call("action_status", &json!({ "action": env }));
    let written = content(&gate, "src/b.rs").is_some();
    let state = if written { "complete" } else { "expired" };
    assert!(text(&told).starts_with(&format!("{state}\t")), "and who looks tells what is there: {told}");
}

#[test]
fn a_ledger_that_is_not_here_keeps_no_wish_from_its_owner() {
    let gate = asking();
    gate.work().boundary("trust add lost --role registrar --new-key").ok();
    let mut live = Live::launched(&gate, "--key codex");
    let asked = live.call("request_action", &wish("src/b.rs", "b\n", "absent"));
    assert!(text(&asked).starts_with("pending\t"), "{asked}");
    gate.work().boundary(&format!("approve {} --key ada-l", envelope(&asked))).ok().says("written");
}
