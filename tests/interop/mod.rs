//! The other party's own code reads what we write, and we read what it writes.

mod in_toto;
mod openssh;
mod treeship;
