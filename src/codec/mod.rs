//! BYTES: how nouns become signed lines and come back. One writer, one reader.

pub mod artifact;
pub mod canonical;
pub mod change_list;
pub mod dsse;
pub mod in_toto;
pub mod junit;
pub mod strict;
pub mod test_result;
pub mod treeship;
