//! JUDGEMENT: pure rules over gathered facts. Imports the model and verified types, touches nothing outside.

pub mod policy_check;
pub mod rule;
pub mod scope;
