//! Roots and frontiers.

use crate::ledger::hash;
use crate::ledger::tests::{Oracle, defined_root, leaves};
use crate::ledger::tree::{Frontier, TreeHead, root_of};
use crate::model::hex;

#[test]
fn roots_are_those_that_treeship_computes() {
    let vectors: serde_json::Value = serde_json::from_str(include_str!("../../../fixtures/treeship.json")).unwrap();
    let cases = vectors["merkle_rfc9162_sha256"].as_array().unwrap();
    assert_eq!(cases.len(), 8, "the vectors are all there");
    for case in cases {
        let count = case["leaves"].as_u64().unwrap();
        let root = hex::encode(&root_of((0..count).map(|i| format!("leaf-{i}"))));
        // Treeship has no root for an empty tree; RFC 9162 has.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(root, case["root_hex"].as_str().unwrap_or(empty), "{count} leaves");
    }
}

#[test]
fn a_frontier_has_the_defined_root_at_every_size() {
    let all = leaves(600);
    let oracle = Oracle::of(600);
    let mut frontier = Frontier::default();
    for size in 0..=600 {
        let root = frontier.root();
        assert_eq!(root, defined_root(&all[..size as usize]), "size {size}");
        assert_eq!(root, tlog_tiles::tlog::tree_hash(size, &oracle).unwrap().0, "size {size}");
        assert_eq!(frontier.head(), TreeHead { size, root });
        assert_eq!(frontier.edge().len(), size.count_ones() as usize);
        if size < 600 {
            frontier.push_leaf_hash(all[size as usize]);
        }
    }
}

#[test]
fn a_leaf_cannot_pass_for_a_node() {
    let (left, right) = (hash::leaf(b"a"), hash::leaf(b"b"));
    let forged = hash::leaf(&[&left[..], &right].concat());
    assert_ne!(forged, root_of(["a", "b"]), "leaves and nodes are hashed apart");
}

#[test]
fn a_frontier_survives_being_written_down_at_every_size() {
    let mut frontier = Frontier::default();
    for leaf in leaves(70) {
        let text = serde_json::to_string(&frontier).unwrap();
        assert_eq!(serde_json::from_str::<Frontier>(&text).unwrap(), frontier);
        frontier.push_leaf_hash(leaf);
    }
}

#[test]
fn a_frontier_with_too_many_or_too_few_subtrees_is_refused() {
    let one = hash::leaf(b"a");
    assert!(Frontier::from_parts(3, vec![one, one]).is_ok());
    for (size, hashes) in [(0, 1), (1, 0), (3, 1), (3, 3), (1 << 53, 1)] {
        let refused = Frontier::from_parts(size, vec![one; hashes]).unwrap_err();
        assert_eq!((refused.size, refused.hashes), (size, hashes));
    }
    let forged = r#"{"size":3,"edge":[]}"#;
    assert!(serde_json::from_str::<Frontier>(forged).is_err(), "the same rule holds for what was written down");
}
