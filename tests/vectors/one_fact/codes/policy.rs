//! The policy, and what checkers decided.

use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::diet::DietEntry;
use git_boundary::model::refusal::Code::*;

use super::super::super::gate::parts::digest;
use super::super::make::Shown;
use super::{checked, handed};

pub fn shown() -> Vec<Shown> {
    vec![
        Shown {
            // Without a policy there is nothing that a proposal could be judged by.
            judged: |_| None,
            ..Shown::new(PolicyUnresolved, "no policy is signed", handed(), |world| {
                world.facts(|facts| facts.policies.in_force = None)
            })
        },
        Shown::new(PolicyDigestMismatch, "the checker applied a policy that is not in force", checked(), |world| {
            world.commitment(|it| it.predicate.policy = digest(0x77)).proof(|it, _| it.policy = digest(0x77))
        }),
        Shown::new(PolicyActionForbidden, "nothing carries out this kind of action", handed(), |world| {
            world.proposal(|it| it.predicate.requested_action.as_mut().expect("an action").kind = "git.gc".to_owned())
        }),
        Shown::new(PolicyInputClassForbidden, "the checker read the agent's thoughts", checked(), |world| {
            world.diet(|diet| diet.push(DietEntry { class: "chain_of_thought".to_owned(), digest: digest(0x66) }))
        }),
        Shown::new(PolicyDecisionDenied, "the checker denies", checked(), |world| {
            world.proof(|it, _| it.decision = CheckDecision::Deny)
        }),
        Shown::new(PolicyDecisionAbstained, "the checker could not tell", checked(), |world| {
            world.proof(|it, _| it.decision = CheckDecision::Abstain)
        }),
    ]
}
