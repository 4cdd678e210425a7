//! The 38 refusal codes, ranked, and the nine checks that raise them (contract, section 7).

use std::fmt;
use std::str::FromStr;

use super::id::text_serde;

macro_rules! codes {
    ($($rank:literal $code:ident $name:literal $check:ident, $when:literal, $safe:literal;)*) => {
        /// Why something is refused. Declared in order of rank: the first of several is the primary one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $when] $code,)*
        }

        impl Code {
            /// All codes by rank.
            pub const ALL: [Code; 38] = [$(Code::$code),*];

            /// 1 is the most fundamental.
            pub fn rank(self) -> u8 {
                match self { $(Code::$code => $rank,)* }
            }

            /// The stable name, `<group>.<reason>`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$code => $name,)* }
            }

            /// The check that raises it.
            pub fn check(self) -> Check {
                match self { $(Code::$code => Check::$check,)* }
            }

            /// When it is raised.
            pub fn when(self) -> &'static str {
                match self { $(Code::$code => $when,)* }
            }

            /// What is safe to do next, as a sentence. The command that goes with it depends on the case.
            pub fn safe_next_action(self) -> &'static str {
                match self { $(Code::$code => $safe,)* }
            }
        }
    };
}

codes! {
    1 IdentitySignatureInvalid "identity.signature_invalid" Identity, "with bad lines set aside a requirement is unmet, and one of them claims its place", "Fetch the receipts again and have the artifact recorded anew by its signer.";
    2 IdentityKeyUntrusted "identity.key_untrusted" Identity, "a needed key is in no accepted domain, or not in that role", "Ask an owner to add the key to the trust document in the role it needs.";
    3 IdentityKeyRevoked "identity.key_revoked" Identity, "the key was revoked or out of validity at that time", "Sign again with a key that is valid now.";
    4 IdentityNotIndependent "identity.not_independent" Identity, "checker and actor share a raw key or a domain", "Have the work checked with a key of another domain.";
    5 SnapshotUnavailable "snapshot.unavailable" Snapshot, "objects or refs needed to judge are absent (shallow, partial, not fetched)", "Fetch what is missing and try again.";
    6 SourceRevisionUnknown "source.revision_unknown" Source, "a pinned or observed revision is no commit, in a complete and fetched clone", "Ask the owner for a handoff that pins a commit of this repository.";
    7 SourceHandoffMissing "source.handoff_missing" Source, "the proposal names no handoff though the rule wants one, or no live handoff has this ref in scope", "Ask the owner for a handoff.";
    8 SourceHandoffStale "source.handoff_stale" Source, "the pinned revision is no longer where the base stands", "Refresh the base and have the handoff renewed at the revision that is there now.";
    9 SourceHistoryDiverged "source.history_diverged" Source, "the tip does not descend from the pinned commit", "Rebase the work onto the pinned commit and propose it again.";
    10 SnapshotHeadMoved "snapshot.head_moved" Snapshot, "the destination's old value is not the one judged, and the tip does not contain it or an approval binds it", "Fetch, bring the destination's commits into the work and propose it again.";
    11 AuthorityLeaseMissing "authority.lease_missing" Authority, "the handoff gives this actor no lease", "Ask the owner to renew the handoff with a lease.";
    12 AuthorityLeaseExpired "authority.lease_expired" Authority, "outside the lease", "Ask the owner to renew the handoff.";
    13 AuthorityLeaseRevoked "authority.lease_revoked" Authority, "an owner revoked the handoff", "Ask the owner for a new handoff.";
    14 AuthorityHolderMismatch "authority.holder_mismatch" Authority, "another key holds the handoff", "Propose under a handoff of your own: ask an owner for one, or use the key of yours that holds this one.";
    15 AuthorityActionOutOfScope "authority.action_out_of_scope" Authority, "repository, ref, path or operation is outside the scope, anywhere in the range", "Leave what is out of scope out of every commit, or ask the owner for a wider handoff.";
    16 PolicyUnresolved "policy.unresolved" Policy, "no signed policy for this digest", "Fetch the policy, or have an owner sign one.";
    17 PolicyDigestMismatch "policy.digest_mismatch" Policy, "a policy not in force or accepted was applied", "Have the work checked again under the policy in force.";
    18 PolicyActionForbidden "policy.action_forbidden" Policy, "the policy denies the action, or no executor supports it", "Choose an action that the policy permits.";
    19 PolicyInputClassForbidden "policy.input_class_forbidden" Policy, "a diet class is not permitted, or a required one is absent", "Check again over the permitted and required input classes.";
    20 PolicyDecisionDenied "policy.decision_denied" Policy, "a deny stands, or the decision is partial", "Mend what the checker denied in a later commit and have that checked by the same domain.";
    21 PolicyDecisionAbstained "policy.decision_abstained" Policy, "an abstention stands", "Give the checker what it lacked and have it decide again.";
    22 ApprovalMissing "approval.missing" Approval, "an approval is needed at release and none exists", "Have the owner approve the proposal, or a listed person propose the change as their own.";
    23 ApprovalRejected "approval.rejected" Approval, "the owner rejected this action", "Change the work and propose it again.";
    24 ApprovalExpired "approval.expired" Approval, "the approval is out of time", "Ask the owner to approve again.";
    25 ApprovalParamsDrifted "approval.params_drifted" Approval, "the action or its parameters changed after approval", "Ask the owner to approve the action as it is now.";
    26 ApprovalAlreadyConsumed "approval.already_consumed" Approval, "another action used the approval, or this ref, old and new already has its work receipt", "Propose the action anew and have it approved.";
    27 ApprovalPrincipalMismatch "approval.principal_mismatch" Approval, "wrong approver, principal, lease or registrar", "Have the right owner approve for the right actor and registrar.";
    28 ContextReceiptMissing "context.receipt_missing" Context, "a commit that needs cover has no proposal for this action, or a draft no context receipt", "Propose the work under the key that holds the handoff.";
    29 ContextReceiptMismatch "context.receipt_mismatch" Context, "other content was delivered, or to another actor, or the draft's digest differs", "Prepare and propose again, so that what was delivered is what is bound.";
    30 EvidenceBoundaryMissing "evidence.boundary_missing" Evidence, "too few counting proofs for this commit, and none claims the empty place", "Have an independent checker check the proposal.";
    31 EvidenceBoundaryInvalid "evidence.boundary_invalid" Evidence, "a proof fails one of the five checks in a way no other code names, or its anchor is too weak", "Have the proposal checked again: begin, then decide.";
    32 EvidenceReferenceUnresolved "evidence.reference_unresolved" Evidence, "a referenced artifact is not found", "Fetch the receipts, or record the missing artifact again.";
    33 EvidenceDigestMismatch "evidence.digest_mismatch" Evidence, "an artifact is other than its digest", "Record the artifact again under its own digest.";
    34 EvidenceContradicted "evidence.contradicted" Evidence, "an open material contradiction stands", "Resolve the contradiction, or propose work that it does not touch.";
    35 EvidenceCompletionUnsupported "evidence.completion_unsupported" Evidence, "a completion is claimed on the actor's word or a bare work receipt", "Add independently signed evidence about the work receipt.";
    36 ResultReceiptMissing "result.receipt_missing" Result, "no work receipt for the action's result", "Let the registrar that acted settle the action.";
    37 ResultReceiptMismatch "result.receipt_mismatch" Result, "the work receipt names another actor or action", "Settle the action that was proposed.";
    38 ResultIncomplete "result.incomplete" Result, "the work receipt's disposition is not complete", "Dispatch the action again, or supersede it.";
}

impl Code {
    /// Whether it says that something is not there. Not raised where facts are incomplete: what was not looked at is not absent.
    pub fn is_absence(self) -> bool {
        matches!(
            self,
            Code::SourceHandoffMissing
                | Code::AuthorityLeaseMissing
                | Code::ApprovalMissing
                | Code::ContextReceiptMissing
                | Code::EvidenceBoundaryMissing
                | Code::EvidenceReferenceUnresolved
                | Code::ResultReceiptMissing
        )
    }
}

/// The nine checks, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Owner approvals.
    Approval,
    /// Lease, holder and scope.
    Authority,
    /// Context delivery.
    Context,
    /// Boundary proofs and referenced artifacts.
    Evidence,
    /// Signatures, keys and independence.
    Identity,
    /// The policy and the checkers' decisions.
    Policy,
    /// Work receipts.
    Result,
    /// The refs and objects judged.
    Snapshot,
    /// The pinned revision.
    Source,
}

impl Check {
    /// All nine in order.
    pub const ALL: [Check; 9] = [
        Check::Approval,
        Check::Authority,
        Check::Context,
        Check::Evidence,
        Check::Identity,
        Check::Policy,
        Check::Result,
        Check::Snapshot,
        Check::Source,
    ];

    /// The word stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Check::Approval => "approval",
            Check::Authority => "authority",
            Check::Context => "context",
            Check::Evidence => "evidence",
            Check::Identity => "identity",
            Check::Policy => "policy",
            Check::Result => "result",
            Check::Snapshot => "snapshot",
            Check::Source => "source",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Code {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Code::ALL.into_iter().find(|code| code.name() == text).ok_or_else(|| format!("{text:?} is no refusal code"))
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Check::ALL.into_iter().find(|check| check.name() == text).ok_or_else(|| format!("{text:?} is no check"))
    }
}

text_serde!(Code);
text_serde!(Check);

#[cfg(test)]
mod tests {
    use super::{Check, Code};

    #[test]
    fn ranks_count_up_without_a_gap_and_order_the_enum() {
        for (place, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(code.rank()), place + 1, "{code} stands out of rank");
        }
        assert!(Code::ALL.is_sorted(), "the derived order is the rank");
    }

    #[test]
    fn a_codes_group_is_its_check() {
        for code in Code::ALL {
            assert_eq!(code.name().split('.').next(), Some(code.check().name()), "{code}");
        }
    }

    #[test]
    fn checks_run_in_alphabetical_order_as_the_contract_lists_them() {
        let names: Vec<_> = Check::ALL.iter().map(|check| check.name()).collect();
        assert!(names.is_sorted(), "{names:?}");
    }
}
