//! JUDGEMENT, pure: a verdict is a function of gathered facts and a clock reading, and of nothing else (contract, section 7).

pub mod case;
pub mod checks;
pub mod clock;
pub mod decisions;
pub mod docket;
pub mod facts;
pub mod handoffs;
pub mod judge;
pub mod next;
pub mod open;
pub mod order;
pub mod outbox;
pub mod policy_check;
pub mod proof;
pub mod result;
pub mod rule;
pub mod scope;
mod tried;
pub mod verdict;
pub mod write;
