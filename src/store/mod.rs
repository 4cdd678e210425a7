//! SHELVES: which ref, note and file each noun lives on (contract, section 3).

mod alone;
pub mod append;
pub mod chains;
pub mod error;
pub mod hints;
pub mod imported;
pub mod index;
pub mod layout;
pub mod local;
pub mod shelf;
pub mod shelves;
mod start;
mod waste;

pub use append::{NewLine, Registrar, append};
pub use error::StoreError;
pub use local::{Dispatching, LocalState, OpenRows};
pub use shelf::Shelf;
pub use shelves::{NoteReading, Shelves, StoredLine};
pub use waste::SPENT;
