//! One entry in the index's files: fixed width, so that its place is arithmetic, and with a check against files that a crash of the
//! machine left half written.

use super::Indexed;
use crate::ledger::Entry;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// Bytes of one record.
pub const WIDTH: usize = 128;
/// Where the check stands.
const CHECK: usize = WIDTH - 8;

/// The bytes of the record at `place` of its file; `None` for an entry that annotates nothing, which no question finds.
pub fn encode(place: u64, one: &Indexed) -> Option<[u8; WIDTH]> {
    let annotated = one.entry.annotated?;
    let mut bytes = [0; WIDTH];
    let oid = annotated.as_bytes();
    bytes[..oid.len()].copy_from_slice(oid);
    bytes[32..40].copy_from_slice(&one.index.to_be_bytes());
    bytes[40..48].copy_from_slice(&one.entry.at.0.to_be_bytes());
    bytes[48..80].copy_from_slice(&one.entry.artifact.0);
    bytes[80..112].copy_from_slice(&one.entry.line.0);
    bytes[112] = oid.len() as u8;
    let check = check(place, &bytes);
    bytes[CHECK..].copy_from_slice(&check.to_be_bytes());
    Some(bytes)
}

/// What a record says; `None` when it is not the one that was written at this place.
pub fn decode(place: u64, bytes: &[u8]) -> Option<Indexed> {
    let bytes: &[u8; WIDTH] = bytes.try_into().ok()?;
    if number(&bytes[CHECK..]) != check(place, bytes) {
        return None;
    }
    let digest = |from: usize| bytes[from..from + 32].try_into().ok().map(Digest);
    let entry = Entry {
        artifact: digest(48)?,
        line: digest(80)?,
        annotated: Some(Oid::from_bytes(bytes.get(..usize::from(bytes[112]))?)?),
        at: Timestamp(number(&bytes[40..48]) as i64),
    };
    entry.check().ok()?;
    Some(Indexed { entry, index: number(&bytes[32..40]) })
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Mixes a word at a time. It tells accidents, not enemies: who can write here can write the pinned trust root as well.
fn check(place: u64, bytes: &[u8; WIDTH]) -> u64 {
    let words = bytes[..CHECK].chunks_exact(8).map(number);
    words.fold(place ^ 0x9e37_79b9_7f4a_7c15, |mixed, word| {
        (mixed ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Indexed {
        let annotated = Oid::from_bytes(&[7; 20]);
        let entry = Entry { artifact: Digest([1; 32]), line: Digest([2; 32]), annotated, at: Timestamp(1_000) };
        Indexed { entry, index: 77 }
    }

    #[test]
    fn a_record_comes_back_as_it_was_for_both_lengths_of_ids() {
        for length in [20, 32] {
            let annotated = Oid::from_bytes(&vec![9; length]);
            let one = Indexed { entry: Entry { annotated, ..one().entry }, index: 3 };
            let bytes = encode(5, &one).expect("it annotates something");
            assert_eq!(decode(5, &bytes), Some(one), "what was kept is what was verified");
        }
    }

    #[test]
    fn a_record_with_any_byte_changed_or_at_another_place_is_none() {
        let good = encode(5, &one()).expect("it annotates something");
        assert_eq!(decode(6, &good), None, "a record belongs to its place");
        for at in 0..WIDTH {
            let mut bytes = good;
            bytes[at] ^= 1;
            assert_eq!(decode(5, &bytes), None, "byte {at} is covered by the check");
        }
        assert_eq!(decode(0, &[0; WIDTH]), None, "a block of zeros, as a crash leaves it, is no record");
    }
}
