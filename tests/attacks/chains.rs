//! Chains of trust and policy as somebody else may serve them.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::policy::PolicyVersion;
use git_boundary::store::chains;

use crate::support::{Work, World, now, read};

/// What somebody else may have put where a fetch from another remote would.
const ELSEWHERE: &str = "refs/boundary-remote/elsewhere/policy";

#[test]
fn a_chain_is_read_no_further_than_its_first_bad_line() {
    let world = World::new();
    let work = &world.work;
    work.git("remote add elsewhere ../elsewhere.git");
    let line = [vec![b'x'; (1 << 20) - 1], b"\n".to_vec()].concat();
    let blob = work.home.run(&work.dir, "git", &["hash-object", "-w", "--stdin"], &line).ok().stdout;
    let absent = "ab".repeat(20);
    let file =
        |version| format!("100644 blob {}\t{version}.json\n", if version == 1 { blob.trim_end() } else { &absent });
    let tree: String = (1..=70).map(file).collect();
    let tree = work.home.run(&work.dir, "git", &["mktree", "--missing"], tree.as_bytes()).ok().stdout;
    let commit = work.git(&format!("commit-tree -m huge {}", tree.trim_end()));
    work.git(&format!("update-ref refs/boundary-remote/elsewhere/trust {commit}"));
    work.git(&format!("update-ref refs/boundary-remote/elsewhere/policy {commit}"));
    // Beside the chain that verifies it is nobody's business.
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    for name in work.refs().into_keys().filter(|name| name.ends_with("/trust") && !name.contains("/elsewhere/")) {
        work.git(&format!("update-ref -d {name}"));
    }
    let shown = work.boundary("trust show");
    assert_ne!(shown.status, 0, "there is no chain to show: {shown}");
    shown.says("trust version 1");
}

/// One more version after the first `kept` ones, signed by a key of one's own.
fn policy_by(work: &Work, label: &str, kept: usize) {
    work.git("remote add elsewhere ../elsewhere.git");
    let (repository, own) = (work.open(), work.id("refs/boundary/policy"));
    let lines = chains::read_lines(&repository, "refs/boundary/policy", &own).expect("the policy is a chain");
    let last = Dsse::parse(&lines[kept - 1]).expect("a version is a line");
    let Some(Artifact::Policy(last)) = read(&last) else { panic!("a version is a policy") };
    let policy = last.predicate.policy;
    let mut tip = None;
    let mut add = |version: usize, line: &[u8]| {
        let made = chains::next_commit(&repository, ELSEWHERE, (tip, &[]), version as u64, line, now())
            .expect("it is written");
        let added = chains::advance(&repository, ELSEWHERE, tip, made, now());
        assert!(added.is_ok(), "a ref takes any line: {added:?}");
        tip = Some(work.id(ELSEWHERE));
    };
    for (place, line) in lines[..kept].iter().enumerate() {
        add(place + 1, line);
    }
    let previous = Some(Dsse::parse(&lines[kept - 1]).expect("a version is a line").digest());
    let version = kept as u64 + 1;
    let predicate = PolicyVersion { policy, previous, repository: work.repository_id(), version };
    let statement = Statement { predicate, subject: None };
    add(kept + 1, &sign_statement(&statement, &work.key(label)).expect("a key in memory signs").line());
}

#[test]
fn a_policy_by_an_owner_who_is_one_no_more_makes_no_two_histories() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add former --role owner --new-key").ok();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    work.proven_fix();
    work.boundary("trust revoke former").ok();
    policy_by(work, "former", 1);
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_policy_by_an_owner_who_is_one_no_more_is_ended_by_the_next_one() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add former --role owner --new-key").ok();
    work.boundary("trust revoke former").ok();
    work.proven_fix();
    policy_by(work, "former", 1);
    // It may have been signed while its owner was one: then the one before is no longer in force.
    work.push("origin agent/fix:main").refused("policy.unresolved").says("revoked");
    work.boundary("policy sign").ok();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_owner_who_makes_two_histories_of_the_policy_can_be_revoked_and_that_ends_them() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add rogue --role owner --new-key").ok();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    work.proven_fix();
    policy_by(work, "rogue", 1);
    work.boundary("verify main").ends_with(2).says("two histories");
    work.boundary("trust revoke rogue").ok();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_policy_by_somebody_who_never_was_an_owner_is_none() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    policy_by(work, "codex", 1);
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn whoever_saw_nothing_but_a_former_owners_policy_still_takes_the_one_in_force() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add former --role owner --new-key").ok();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    work.boundary("trust revoke former").ok();
    work.proven_fix();
    policy_by(work, "former", 1);
    let (honest, late) = (work.oid("refs/boundary/policy"), work.oid(ELSEWHERE));
    for name in work.refs().into_keys().filter(|name| name.ends_with("/policy")) {
        work.git(&format!("update-ref -d {name}"));
    }
    std::fs::remove_file(work.git_file("boundary/seen/policy")).expect("it was seen");
    work.git(&format!("update-ref {ELSEWHERE} {late}"));
    work.push("origin agent/fix:main").refused("policy.unresolved").says("revoked");
    work.git(&format!("update-ref refs/boundary/policy {honest}"));
    work.push("origin agent/fix:main").accepted();
}
