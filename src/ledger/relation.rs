//! How two checkpoints of one ledger stand to each other.

use super::checkpoint::{Checkpoint, Origin};
use super::consistency::{ConsistencyError, ConsistencyProof};
use super::tree::TreeHead;

/// What became of a ledger between an older and a newer sight of it. Both heads are named wherever something is wrong
/// (contract, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// One and the same head.
    Same,
    /// The newer tree begins with the older one.
    Extends,
    /// Shown: the newer tree at the older size is another tree. The registrar signed two histories.
    Forked {
        /// The head seen first.
        older: TreeHead,
        /// The head it does not lead to.
        newer: TreeHead,
    },
    /// The newer one is shorter.
    RolledBack {
        /// The head seen first.
        older: TreeHead,
        /// The shorter one.
        newer: TreeHead,
    },
}

/// Compares two verified checkpoints of one ledger.
///
/// `proof` goes from the older to the newer size and is made from the tiles that the newer checkpoint came with; it is
/// looked at only when the newer one is larger. That a proof does not verify shows nothing about the registrar (the
/// tiles may be damaged) and is an error; that it verifies from another older root shows the fork.
///
/// # Errors
/// When the checkpoints are of two ledgers, or the proof is absent or does not lead to the newer head.
pub fn relation(
    older: &Checkpoint,
    newer: &Checkpoint,
    proof: Option<&ConsistencyProof>,
) -> Result<Relation, RelationError> {
    if older.origin != newer.origin {
        return Err(RelationError::Origins { older: older.origin, newer: newer.origin });
    }
    let (older, newer) = (older.head, newer.head);
    if newer.size < older.size {
        return Ok(Relation::RolledBack { older, newer });
    }
    if newer.size == older.size {
        return Ok(if newer == older { Relation::Same } else { Relation::Forked { older, newer } });
    }
    let proof = proof.ok_or(RelationError::NoProof { older, newer })?;
    let found = proof.older.size;
    if found != older.size {
        let defect = ConsistencyError::Size { older: found, proof: proof.size, newer: newer.size }.into();
        return Err(RelationError::Proof { older, newer, defect });
    }
    proof.verify(&newer).map_err(|defect| RelationError::Proof { older, newer, defect: defect.into() })?;
    Ok(if proof.older == older { Relation::Extends } else { Relation::Forked { older, newer } })
}

/// Why two checkpoints cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelationError {
    /// They are of two ledgers.
    #[error("{older} and {newer} are two ledgers")]
    Origins {
        /// The first one's.
        older: Origin,
        /// The second one's.
        newer: Origin,
    },
    /// The newer one is larger and no proof is given.
    #[error("nothing shows whether the head of {newer} extends that of {older}")]
    NoProof {
        /// The head seen first.
        older: TreeHead,
        /// The larger one.
        newer: TreeHead,
    },
    /// The proof does not hold.
    #[error("the proof that the head of {newer} extends that of {older} does not hold: {defect}")]
    Proof {
        /// The head seen first.
        older: TreeHead,
        /// The larger one.
        newer: TreeHead,
        /// What is wrong with the proof.
        defect: Box<ConsistencyError>,
    },
}
