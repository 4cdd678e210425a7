//! NEXT: what to type after a refusal where the finding itself knows nothing nearer.

use super::judge::CREATE_HANDOFF;
use crate::model::refusal::Code;
use crate::model::typed::typed_ref;

const CHECK: &str = "git boundary check run <proposal> --input diff --key <checker> -- <command>";
const FETCH: &str = "git fetch";
const PROPOSE: &str = "git boundary propose --key <holder>";
const RENEW: &str = "git boundary handoff renew <handoff> --key <owner>";

/// The command that goes with a code's sentence. Names and keys are left open: whoever follows a printed command as it stands signs as
/// nobody.
pub fn usual_command(code: Code, reference: &str) -> String {
    match code {
        Code::IdentitySignatureInvalid | Code::SnapshotHeadMoved | Code::EvidenceReferenceUnresolved => FETCH,
        Code::IdentityKeyUntrusted => "git boundary trust add <key> --role <role> --key <owner>",
        Code::IdentityKeyRevoked => "git boundary key new <label>",
        Code::IdentityNotIndependent | Code::PolicyDigestMismatch | Code::EvidenceBoundaryMissing => CHECK,
        Code::EvidenceBoundaryInvalid | Code::PolicyDecisionDenied | Code::PolicyDecisionAbstained => CHECK,
        Code::SnapshotUnavailable => "git boundary doctor",
        Code::SourceRevisionUnknown
        | Code::SourceHandoffMissing
        | Code::AuthorityLeaseRevoked
        | Code::AuthorityActionOutOfScope => CREATE_HANDOFF,
        Code::SourceHandoffStale | Code::AuthorityLeaseMissing | Code::AuthorityLeaseExpired => RENEW,
        Code::SourceHistoryDiverged => "git rebase <pinned commit>",
        Code::AuthorityHolderMismatch | Code::ContextReceiptMissing | Code::ContextReceiptMismatch => PROPOSE,
        Code::ApprovalRejected | Code::EvidenceDigestMismatch => PROPOSE,
        Code::PolicyUnresolved => "git boundary policy sign --key <owner>",
        Code::PolicyActionForbidden | Code::PolicyInputClassForbidden => {
            return format!("git boundary policy explain {}", typed_ref(reference));
        }
        Code::ApprovalMissing
        | Code::ApprovalExpired
        | Code::ApprovalParamsDrifted
        | Code::ApprovalAlreadyConsumed
        | Code::ApprovalPrincipalMismatch => "git boundary approve <proposal> --key <owner>",
        Code::EvidenceContradicted => "git boundary contradict <artifact> --resolve --key <owner>",
        Code::EvidenceCompletionUnsupported
        | Code::ResultReceiptMissing
        | Code::ResultReceiptMismatch
        | Code::ResultIncomplete => "git boundary show <proposal>",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_comes_with_a_command_that_signs_as_nobody() {
        for code in Code::ALL {
            let command = usual_command(code, "refs/heads/main");
            assert!(command.starts_with("git "), "{code}: {command}");
            let key = command.split("--key ").nth(1);
            assert!(key.is_none_or(|key| key.starts_with('<')), "{code}: {command}");
        }
        let explain = usual_command(Code::PolicyActionForbidden, "refs/heads/$(x)");
        assert!(
            explain.ends_with(" 'refs/heads/$(x)'") || explain.ends_with(" <ref>"),
            "no shell acts on it: {explain}"
        );
    }
}
