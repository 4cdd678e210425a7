//! Stored lines that were changed, copied, moved or removed: none of it admits anything, and noise blocks nothing.

use std::collections::BTreeMap;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;

use crate::support::{Work, World, read};

/// The line that the hook gets for a push of `HEAD` to `main`.
fn push_line(work: &Work) -> String {
    format!("x {} refs/heads/main {}\n", work.head(), work.oid("origin/main"))
}

/// Every signed line that a push of the proven fix rests on, by kind, with the revision it is noted on.
fn lines_it_rests_on(work: &Work) -> BTreeMap<String, (&'static str, String)> {
    let mut found = BTreeMap::new();
    for rev in ["HEAD", "main"] {
        for line in work.lines(rev) {
            let Some(artifact) = Dsse::parse(line.as_bytes()).ok().as_ref().and_then(read) else { continue };
            let kind = match &artifact {
                Artifact::BoundaryProof(_) => "boundary-proof".to_owned(),
                other => other.kind().map_or_else(String::new, |kind| kind.to_string()),
            };
            found.insert(kind, (rev, line));
        }
    }
    found
}

/// Places all over a line: some in every part of its JSON, and in every part of what is signed.
fn places(line: &str) -> Vec<usize> {
    let mut places: Vec<usize> = (0..10).map(|part| part * (line.len() - 1) / 9).collect();
    for word in ["\"keyid\":\"", "\"sig\":\"", "\"payloadType\":\"", "\"payload\":\""] {
        let start = line.find(word).expect("every line has these") + word.len();
        places.extend([start, start + 7]);
    }
    places
}

/// One byte changed to another printable one.
fn changed(line: &str, at: usize) -> String {
    let mut bytes = line.as_bytes().to_vec();
    bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
    String::from_utf8(bytes).expect("lines are ASCII")
}

#[test]
fn one_byte_changed_behind_the_ledgers_back_admits_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.forget_fetched();
    let push = push_line(work);
    let notes = work.oid(&work.notes_ref());
    let lines = lines_it_rests_on(work);
    let kinds: Vec<&str> = lines.keys().map(String::as_str).collect();
    let wanted = ["baseline", "boundary-proof", "context-receipt", "diet-commitment", "evidence-envelope", "handoff"];
    assert_eq!(kinds, wanted, "every kind that the push rests on is tried");
    for (kind, (rev, line)) in &lines {
        let all = work.lines(rev);
        for at in places(line) {
            let with = |one: &String| if one == line { changed(line, at) } else { one.clone() };
            work.set_lines(rev, &all.iter().map(with).collect::<Vec<_>>());
            let judged = work.later(0).hook(&push);
            assert!([1, 2].contains(&judged.status), "byte {at} of the {kind} admits nothing: {judged}");
            work.git(&format!("update-ref {} {notes}", work.notes_ref()));
            // Else the receipt of this refusal, put back with the ref, would be all that the next one is about.
            work.forget();
        }
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn one_byte_changed_by_a_registrar_who_signs_what_it_changed_admits_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.forget_fetched();
    let push = push_line(work);
    let notes = work.oid(&work.notes_ref());
    for (kind, (_, line)) in &lines_it_rests_on(work) {
        for at in places(line) {
            work.rebuild_ledger(|_, one| if one == line { changed(line, at) } else { one.to_owned() });
            // A push leaves out what the destination has; history as a whole rests on its baseline too.
            let judged = match kind.as_str() {
                "baseline" => work.later(0).boundary("verify HEAD --ref main"),
                _ => work.later(0).hook(&push),
            };
            assert_eq!(judged.status, 1, "byte {at} of the {kind} admits nothing, and nothing is missing: {judged}");
            work.git(&format!("update-ref {} {notes}", work.notes_ref()));
            work.forget();
        }
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_ledger_that_was_written_anew_is_noticed_by_who_saw_the_old_one() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    let second = world.joined("second");
    second.git("switch -q agent/fix");
    let (_, line) = lines_it_rests_on(work).remove("boundary-proof").expect("the push rests on it");
    work.rebuild_ledger(|_, one| if one == line { changed(&line, 40) } else { one.to_owned() });
    work.git("push -q --force --no-verify origin refs/notes/boundary/*");
    second.git("fetch -q");
    second.boundary("verify origin/agent/fix").ends_with(2).says("does not extend the");
}

#[test]
fn a_ledger_that_went_back_is_noticed_by_readers_and_writers() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let before = work.oid(&work.notes_ref());
    work.check("allow");
    work.boundary("verify HEAD --ref main").ok();
    work.forget_fetched();
    for put_back in [format!("update-ref {} {before}", work.notes_ref()), format!("update-ref -d {}", work.notes_ref())]
    {
        let kept = work.oid(&work.notes_ref());
        work.git(&put_back);
        work.push("origin agent/fix:main").undecided();
        let refused = work.boundary("check begin --input diff --key reviewer-bot");
        assert!([2, 129].contains(&refused.status), "nothing is entered where a fork would come of it: {refused}");
        work.boundary("baseline main").ends_with(2).says("rolled back");
        work.git(&format!("update-ref {} {kept}", work.notes_ref()));
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_ledger_that_went_back_here_goes_on_from_what_was_published_and_never_forks() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let before = work.oid(&work.notes_ref());
    work.check("allow");
    let published = work.oid(&work.notes_ref());
    work.boundary("verify HEAD --ref main").ok();
    for put_back in [format!("update-ref {} {before}", work.notes_ref()), format!("update-ref -d {}", work.notes_ref())]
    {
        work.git(&put_back);
        work.boundary("baseline main").ok();
        work.git(&format!("merge-base --is-ancestor {published} {}", work.notes_ref()));
    }
    work.push("origin agent/fix:main").accepted();
    work.git("push -q --no-verify origin refs/notes/boundary/*");
    let second = world.joined("second");
    second.boundary("verify origin/main").ok().never_says("parts from");
}

#[test]
fn a_trust_chain_that_went_back_is_an_error_that_names_both_versions() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust show").ok();
    let before = work.oid("refs/boundary/trust~1");
    work.git(&format!("update-ref refs/boundary/trust {before}"));
    for name in work.refs().into_keys().filter(|name| name.starts_with("refs/boundary-remote/")) {
        work.git(&format!("update-ref -d {name}"));
    }
    work.boundary("trust show").ends_with(2).says("is at version 2; version 3 was seen before");
}

#[test]
fn one_byte_changed_in_trust_or_policy_admits_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.forget_fetched();
    let push = push_line(work);
    let fetched = work.refs().into_keys().filter(|name| name.starts_with("refs/boundary-remote/"));
    for name in fetched {
        work.git(&format!("update-ref -d {name}"));
    }
    for reference in ["refs/boundary/trust", "refs/boundary/policy"] {
        let tip = work.oid(reference);
        for file in work.note_files(reference) {
            let line = work.git(&format!("cat-file blob {reference}:{file}"));
            for at in places(&line) {
                work.set_note_file(reference, &file, Some(format!("{}\n", changed(&line, at)).as_bytes()));
                let judged = work.later(0).hook(&push);
                assert!(
                    [1, 2, 128].contains(&judged.status),
                    "byte {at} of {file} in {reference} admits nothing: {judged}"
                );
                work.git(&format!("update-ref {reference} {tip}"));
            }
        }
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_line_that_is_gone_from_under_its_ledger_entry_leaves_the_answer_open() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let mut lines = work.lines("HEAD");
    lines.retain(|line| {
        let artifact = Dsse::parse(line.as_bytes()).ok().as_ref().and_then(read);
        !matches!(artifact, Some(Artifact::BoundaryProof(_)))
    });
    work.set_lines("HEAD", &lines);
    // Else what was published of it has the line.
    work.forget_fetched();
    let stopped = work.push("origin agent/fix:main").undecided().says("is gone");
    stopped.says("git boundary doctor").followed_in(work);
    work.boundary("verify HEAD --ref main").ends_with(2).says("undecided");
}

#[test]
fn a_good_line_copied_with_a_bad_signature_blocks_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    for rev in ["HEAD", "main"] {
        let copies: Vec<Dsse> = work.stored(rev, |_| true).into_iter().map(with_a_bad_signature).collect();
        assert!(!copies.is_empty(), "there is something to copy");
        // Once as its registrar enters it, once as anybody's `git notes append` leaves it.
        work.record(rev, &copies);
        let mut lines = work.lines(rev);
        lines.extend(copies.iter().map(|copy| String::from_utf8(copy.line()).expect("lines are text")));
        work.set_lines(rev, &lines);
    }
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok().says("set aside");
}

#[test]
fn a_bad_copy_alone_is_refused_as_a_bad_signature() {
    for (kind, rev) in [("evidence-envelope", "HEAD"), ("boundary-proof", "HEAD"), ("handoff", "main")] {
        let world = World::new();
        let work = &world.work;
        work.proven_fix();
        work.forget_fetched();
        let line = lines_it_rests_on(work).remove(kind).expect("the push rests on it").1;
        let bad = with_a_bad_signature(Dsse::parse(line.as_bytes()).expect("it is one"));
        let bad = String::from_utf8(bad.line()).expect("lines are text");
        work.rebuild_ledger(|_, one| if one == line { bad.clone() } else { one.to_owned() });
        let refused = work.push("origin agent/fix:main").refused("identity.signature_invalid");
        refused.says(kind.split('-').next().expect("it has a name"));
        assert!(work.lines(rev).contains(&bad), "the bad line is what stands there");
    }
}

#[test]
fn noise_in_a_note_blocks_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    for rev in ["HEAD", "main"] {
        let mut lines = work.lines(rev);
        for noise in ["", "reviewed, looks good", "{\"payload\":1}", "\u{1b}[2J", "null", "[[[[", "{\"hint\":\"x\"}"] {
            lines.insert(lines.len() / 2, noise.to_owned());
        }
        work.set_lines(rev, &lines);
    }
    work.push("origin agent/fix:main").accepted();
    let verified = work.boundary("verify origin/main").ok();
    assert!(!verified.said().contains('\u{1b}'), "strangers' bytes never reach a terminal raw: {verified}");
}

#[test]
fn a_line_moved_to_another_commits_note_speaks_for_neither() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let first = work.head();
    work.commit(&[("src/main.rs", "fn main() { other() }\n")]);
    let second = work.head();
    // Its registrar moves the lines, ledger and all.
    let moved = work.stored(&first, |artifact| {
        matches!(artifact, Artifact::EvidenceEnvelope(_) | Artifact::ContextReceipt(_) | Artifact::BoundaryProof(_))
    });
    work.record(&second, &moved);
    work.push("origin agent/fix:main")
        .refused("identity.signature_invalid")
        .says("not about the commit it is noted on");
}

#[test]
fn a_line_moved_behind_the_ledgers_back_speaks_for_neither() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let first = work.head();
    let lines = work.lines(&first);
    work.commit(&[("src/main.rs", "fn main() { other() }\n")]);
    let second = work.head();
    work.set_lines(&second, &lines);
    work.push(&format!("origin {second}:refs/heads/agent/fix")).refused("identity.signature_invalid");
    work.set_lines(&first, &[]);
    work.push(&format!("origin {first}:refs/heads/agent/fix")).undecided();
}

#[test]
fn what_an_unlisted_registrar_gets_wrong_is_ignored() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    let stranger = world.joined("stranger");
    stranger.git("switch -q agent/fix");
    stranger.boundary("check begin --input diff --key reviewer-bot").ok();
    stranger.set_lines("HEAD", &["all wrong".to_owned()]);
    stranger.git("push -q --no-verify origin refs/notes/boundary/*");
    work.git("fetch -q");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_unlisted_registrar_may_carry_lines_that_count() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let other = world.joined("other");
    other.git("switch -q agent/fix");
    other.check("allow");
    work.git("fetch -q");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn notes_that_other_people_append_stay_readable_and_clean() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let name = work.notes_ref().trim_start_matches("refs/notes/").to_owned();
    work.git(&format!("notes --ref={name} append -m hello HEAD"));
    let shown = work.git(&format!("notes --ref={name} show HEAD"));
    assert!(shown.ends_with("hello"), "git's own notes commands read and write beside us");
    work.push("origin agent/fix:main").accepted();
    work.git("fsck --strict --no-dangling");
}

fn with_a_bad_signature(mut line: Dsse) -> Dsse {
    for signature in &mut line.signatures {
        signature.sig[3] ^= 1;
    }
    line
}
