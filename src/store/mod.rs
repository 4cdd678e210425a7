//! SHELVES: which ref, note and file each noun lives on (contract, section 3).

mod alone;
pub mod append;
pub mod arrivals;
pub mod carried;
pub mod chains;
pub mod cosigned;
pub mod error;
pub mod extends;
pub mod fork;
pub mod hints;
pub mod imported;
pub mod index;
pub mod layout;
pub mod local;
pub mod pending;
pub mod shelf;
pub mod shelves;
mod start;
pub mod unite;
mod waste;

pub use append::{NewLine, Registrar, append};
pub use cosigned::Cosigned;
pub use error::StoreError;
pub use local::{Dispatching, LocalState, OpenRows, Received, ReceivedUpdate, Used};
pub use shelf::Shelf;
pub use shelves::{NoteReading, Shelves, StoredLine};
pub use waste::SPENT;
