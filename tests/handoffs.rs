//! Handoffs as their owners and holders meet them: who may give, prolong and end one, which of several is worked under, and what the
//! program says of them.

use crate::support::World;

#[test]
fn who_is_no_owner_gives_prolongs_and_ends_no_handoff_and_is_told_so() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role person,actor --new-key").ok();
    work.boundary("key new stranger").ok();
    let id = work.hand_out();
    let before = work.refs();
    for key in ["grace", "codex", "reviewer-bot", "stranger"] {
        for command in [
            "handoff create --to codex --path src/**".to_owned(),
            format!("handoff renew {id}"),
            format!("handoff revoke {id}"),
        ] {
            let refused = work.boundary(&format!("{command} --key {key}")).ends_with(129);
            work.follow(&refused.says("is not trusted as owner").says("--key <owner>"));
        }
    }
    assert_eq!(before, work.refs(), "what is refused on the command line writes nothing");
    work.boundary("handoff list").ok().says(&id).says("live");
}

#[test]
fn an_owner_whose_key_was_revoked_ends_no_handoff() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role owner --new-key").ok();
    let id = work.hand_out();
    work.boundary("trust revoke grace").ok();
    work.boundary(&format!("handoff revoke {id} --key grace")).ends_with(129).says("not trusted as owner");
}
