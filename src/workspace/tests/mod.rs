//! What others may do in the middle of a write.
