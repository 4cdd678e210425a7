//! Cosigned checkpoints: a third domain's word that a ledger had an entry before another one came.

use crate::support::{Work, World};

/// A world whose rule wants witnessed proofs, and a clone whose registrar is listed in a domain of its own.
fn with_witness() -> (World, Work) {
    let world = World::new();
    world.work.policy(&[(", strength = \"self\"", ", strength = \"witnessed\"")]);
    let witness = world.joined("witness");
    let joined = witness.boundary("init --json").ok().json();
    let key = joined["registrar_key"].as_str().expect("it has a registrar").to_owned();
    let line = format!("git boundary trust add '{key}' --role registrar --label witness --domain notary");
    world.work.sh(&line).ok();
    witness.git("fetch -q");
    witness.boundary("init").ok();
    world.work.git("fetch -q");
    (world, witness)
}

fn cosign(world: &World, witness: &Work) {
    witness.git("fetch -q");
    witness.boundary("checkpoint cosign").ok().says("Cosigned: ").says("sent to origin");
    world.work.git("fetch -q");
}

/// The same with a proof for which the witness cosigned in time.
fn witnessed() -> (World, Work) {
    let (world, witness) = with_witness();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    cosign(&world, &witness);
    work.boundary("check decide allow --key reviewer-bot").ok();
    (world, witness)
}

#[test]
fn a_proof_is_witnessed_when_a_third_domain_cosigned_between_commitment_and_verdict() {
    let (world, _witness) = witnessed();
    let work = &world.work;
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok().says("anchor strength            witnessed");
}

#[test]
fn a_cosignature_that_came_too_late_or_too_early_witnesses_nothing() {
    let (world, witness) = with_witness();
    let work = &world.work;
    work.proposed_fix();
    cosign(&world, &witness);
    work.check("allow");
    cosign(&world, &witness);
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid").says("witnessed");
}

#[test]
fn a_witness_in_the_domain_of_a_party_is_none() {
    let (world, witness) = with_witness();
    let work = &world.work;
    let second = world.joined("second");
    let key = second.boundary("init --json").ok().json()["registrar_key"].as_str().expect("a key").to_owned();
    work.sh(&format!("git boundary trust add '{key}' --role registrar --label near --domain reviewer-bot")).ok();
    second.git("fetch -q");
    second.boundary("init").ok();
    work.git("fetch -q");
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    cosign(&world, &second);
    work.boundary("check decide allow --key reviewer-bot").ok();
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid");
    drop(witness);
}

#[test]
fn a_witness_that_nobody_listed_is_told_so_and_one_revoked_counts_no_more() {
    let (world, witness) = with_witness();
    let work = &world.work;
    let stranger = world.joined("stranger");
    stranger.boundary("checkpoint cosign").ends_with(129).says("is not listed").says("--role registrar");
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    cosign(&world, &witness);
    work.boundary("check decide allow --key reviewer-bot").ok();
    work.boundary("trust revoke witness").ok();
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid");
}

#[test]
fn a_forged_cosignature_is_none_and_harms_nobody() {
    let (world, witness) = with_witness();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    let own = work.notes_ref();
    let id = own.rsplit('/').next().expect("a name").to_owned();
    let note = work.git(&format!("cat-file blob {own}:ledger/checkpoint"));
    let size = note.lines().nth(1).expect("a size").to_owned();
    let reference = witness.notes_ref();
    // Signed by the registrar alone; under another size; with a cosignature of nobody.
    for (name, text) in [
        (size.clone(), format!("{note}\n")),
        ("1".to_owned(), format!("{note}\n")),
        (size.clone(), format!("{note}\n— git-boundary/witness/{id} AAAAAAAAAAAA\n")),
        (size.clone(), "nothing at all".to_owned()),
    ] {
        witness.set_note_file(&reference, &format!("cosigned/{id}/{name}"), Some(text.as_bytes()));
        witness.git(&format!("push -q --no-verify origin +{reference}"));
        work.git("fetch -q");
        let shown = work.boundary("checkpoint show --json").ok().json_lines();
        assert!(shown.iter().all(|one| one["cosigned"] == serde_json::json!([])), "nothing of it counts: {shown:?}");
    }
    work.boundary("check decide allow --key reviewer-bot").ok();
    work.push("origin agent/fix:main").refused("evidence.boundary_invalid");
}

#[test]
fn a_ledger_that_went_another_way_is_not_cosigned() {
    let (world, witness) = with_witness();
    let work = &world.work;
    work.proposed_fix();
    cosign(&world, &witness);
    let mut first = true;
    work.rebuild_ledger(|_, line| if std::mem::take(&mut first) { format!("{line} ") } else { line.to_owned() });
    work.git(&format!("push -q --no-verify origin +{}", work.notes_ref()));
    witness.git("fetch -q");
    witness.boundary("checkpoint cosign").says("passed over").says("does not extend").never_says("Cosigned");
}

#[test]
fn heads_are_shown_with_who_cosigned_them_and_the_own_one_as_it_is_signed() {
    let (world, witness) = with_witness();
    let work = &world.work;
    work.proposed_fix();
    cosign(&world, &witness);
    work.boundary("checkpoint show").ok().says("witness").says("ENTRIES");
    let note = work.boundary("checkpoint sign").ok().stdout;
    let stored = work.git(&format!("cat-file blob {}:ledger/checkpoint", work.notes_ref()));
    assert_eq!(note.trim_end(), stored.trim_end(), "the note is given out as it stands");
    work.boundary("checkpoint show nobody").ends_with(129);
    witness.boundary("checkpoint cosign").ok().says("cosigned already");
    let audit = work.boundary("audit --json").ok().json();
    assert_eq!(audit["set_aside"], serde_json::json!([]), "a cosignature is no line of a note");
    work.git(&format!(
        "fsck --strict {}",
        witness.notes_ref().replace("refs/notes/boundary", "refs/boundary-remote/origin/notes")
    ));
}

#[test]
fn a_witnessed_proof_stays_witnessed_in_a_bundle_and_a_forged_word_of_a_witness_is_a_defect() {
    let (world, _witness) = witnessed();
    let work = &world.work;
    work.boundary("export HEAD --ref main --output ../witnessed").ok();
    let root = world.trust_root();
    let verify = |file: &str| work.boundary(&format!("verify --bundle ../{file} --ref main --trust-root {root}"));
    verify("witnessed").ok().says("witnessed");
    let path = work.home.root().join("witnessed");
    let text = std::fs::read_to_string(&path).expect("it was written");
    let start = text.find("\"cosigned\":[{").expect("the cosignature is carried") + "\"cosigned\":[".len();
    let end = start + text[start..].find("}],\"entries\"").expect("the list ends") + 1;
    let cosigned = &text[start..end];
    let without = text.replace(cosigned, "");
    std::fs::write(work.home.root().join("without"), &without).expect("it can be written");
    verify("without").ends_with(1).says("evidence.boundary_invalid");
    let mark = cosigned.find("git-boundary/witness/").expect("a cosignature names its witness");
    let at = start + mark + cosigned[mark..].find(' ').expect("a signature follows") + 10;
    let mut forged = text.clone().into_bytes();
    forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
    std::fs::write(work.home.root().join("forged"), &forged).expect("it can be written");
    verify("forged").ends_with(1).says("the cosignature of witness");
}

#[test]
fn cosignatures_outlast_a_clone_that_was_put_back() {
    let (world, witness) = with_witness();
    world.work.proposed_fix();
    let before = witness.oid(&witness.notes_ref());
    cosign(&world, &witness);
    let reference = witness.notes_ref();
    witness.git(&format!("update-ref {reference} {before}"));
    witness.boundary("sync").ok();
    assert!(
        witness.note_files(&reference).iter().any(|path| path.starts_with("cosigned/")),
        "what was cosigned comes back with the rest"
    );
}

#[test]
fn a_server_lets_cosignatures_come_and_not_go() {
    let (world, witness) = with_witness();
    let world = world.guard();
    world.work.proposed_fix();
    cosign(&world, &witness);
    let reference = witness.notes_ref();
    let file =
        witness.note_files(&reference).into_iter().find(|path| path.starts_with("cosigned/")).expect("it is there");
    let honest = witness.oid(&reference);
    witness.set_note_file(&reference, &file, None);
    let gone = witness.push(&format!("--no-verify origin +{reference}"));
    assert_eq!(gone.before, gone.after, "what was cosigned stays: {}", gone.ran);
    witness.git(&format!("update-ref {reference} {honest}"));
    witness.set_note_file(&reference, "cosigned/key_nobody/7", Some(b"x"));
    let odd = witness.push(&format!("--no-verify origin +{reference}"));
    assert_eq!(odd.before, odd.after, "nor is there anything else: {}", odd.ran);
}

#[test]
fn a_cosignature_that_only_the_remote_has_comes_back_to_its_witness() {
    let (world, witness) = with_witness();
    let work = &world.work;
    let own = witness.notes_ref();
    let before = witness.oid(&own);
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot").ok();
    cosign(&world, &witness);
    let files = |work: &Work| work.note_files(&own).into_iter().filter(|path| path.starts_with("cosigned/")).count();
    let all = files(&witness);
    assert!(all > 0, "a cosignature is a file");
    // A backup of the witness's clone is put back, and it goes on from there.
    witness.git(&format!("update-ref {own} {before}"));
    witness.forget();
    work.boundary("check decide allow --key reviewer-bot").ok();
    witness.git(&format!("update-ref -d refs/boundary-remote/origin/notes/{}", witness.registrar_id()));
    witness.git("fetch -q origin +refs/notes/boundary/*:refs/kept/*");
    witness.git(&format!(
        "fetch -q origin {}:refs/boundary-remote/origin/notes/{}",
        work.notes_ref(),
        work.registrar_id()
    ));
    witness.boundary("checkpoint cosign --no-publish").ok();
    witness.boundary("sync").ok();
    assert!(files(&witness) > all, "both are there: {:?}", witness.note_files(&own));
    assert_eq!(world.server.refs()[&own], witness.oid(&own), "and at the remote");
    work.git("fetch -q");
    work.push("origin agent/fix:main").accepted();
}
