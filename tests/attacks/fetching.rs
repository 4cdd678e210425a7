//! What anybody can push beside the boundary's refs, so that fetches stop or bring something else.

use crate::support::{Work, World};

/// What `init` wrote for trust and policy once.
const FORMER: &str = "+refs/boundary/*:refs/boundary-remote/origin/*";

/// Somebody with nothing but push rights.
fn push(work: &Work, name: &str) {
    work.git(&format!("push -q --no-verify origin main:{name}"));
}

/// The clone as it was set up before.
fn set_up_before(work: &Work) {
    for name in ["trust", "policy"] {
        let spec = format!("+refs/boundary/{name}*:refs/boundary-remote/origin/{name}*");
        work.git(&format!("config --fixed-value --unset remote.origin.fetch {spec}"));
    }
    work.git(&format!("config --add remote.origin.fetch {FORMER}"));
}

#[test]
fn a_ref_that_looks_like_fetched_notes_stops_no_fetch_and_no_join() {
    for below in [true, false] {
        let world = World::new();
        let work = &world.work;
        work.proven_fix();
        let name = if below { format!("/{}", work.registrar_id()) } else { String::new() };
        push(work, &format!("refs/boundary/notes{name}"));
        work.git("fetch -q");
        let clone = world.joined("elsewhere");
        clone.git("fetch -q");
        work.push("origin agent/fix:main").accepted();
        clone.git("fetch -q --prune");
        clone.boundary("verify origin/main").ok();
    }
}

#[test]
fn a_clone_that_was_set_up_before_is_mended_and_told_what_stops_it() {
    for mend in ["init", "doctor --repair"] {
        let world = World::new();
        let work = &world.work;
        work.proven_fix();
        set_up_before(work);
        work.git("fetch -q");
        let name = format!("refs/boundary/notes/{}", work.registrar_id());
        push(work, &name);
        assert_ne!(work.try_git("fetch -q").status, 0, "two refs lead to one name");
        work.boundary("doctor").ends_with(1).says(&name).says("git boundary doctor --repair");
        work.boundary(mend);
        work.git("fetch -q");
        work.boundary("doctor").ok();
        assert!(!work.git("config --get-all remote.origin.fetch").contains(FORMER), "the old refspec is gone");
    }
}

#[test]
fn what_such_a_fetch_left_behind_is_named_and_taken_away() {
    for mend in ["init", "doctor --repair"] {
        let world = World::new();
        let work = &world.work;
        work.proven_fix();
        set_up_before(work);
        for name in work.refs().into_keys().filter(|name| name.starts_with("refs/boundary-remote/origin/notes/")) {
            work.git(&format!("update-ref -d {name}"));
        }
        work.git("update-ref refs/boundary-remote/origin/notes main");
        assert_ne!(work.try_git("fetch -q").status, 0, "a file stands where a directory has to be");
        work.boundary("doctor").ends_with(1).says("refs/boundary-remote/origin/notes blocks");
        work.boundary(mend);
        work.git("fetch -q");
        work.boundary("doctor").ok();
    }
}

#[test]
fn a_chain_is_read_only_where_a_remotes_own_is_fetched_to() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let (trust, policy) = (work.oid("refs/boundary/trust"), work.oid("refs/boundary/policy"));
    for name in work.refs().into_keys().filter(|name| name.ends_with("/trust") || name.ends_with("/policy")) {
        work.git(&format!("update-ref -d {name}"));
    }
    for place in ["trustx", "trust-", "policy-", "elsewhere"] {
        work.git(&format!("update-ref refs/boundary-remote/origin/{place}/trust {trust}"));
        work.git(&format!("update-ref refs/boundary-remote/origin/{place}/policy {policy}"));
    }
    work.boundary("verify main").ends_with(2).says("receipts are not fetched");
    work.git("fetch -q");
    work.boundary("verify main").ok();
}

#[test]
fn a_remote_that_is_renamed_is_still_the_one_that_was_fetched_from() {
    let world = World::new();
    let clone = world.joined("elsewhere");
    clone.git("remote rename origin upstream");
    clone.boundary("verify upstream/main").ok();
}
