//! The vectors are made by these tests from fixed keys, and what was committed is what they make.

use std::collections::BTreeMap;
use std::fs;

use super::vector::{Vector, root};

/// Every vector there should be.
fn all() -> Vec<Vector> {
    [
        super::bundles::vectors(),
        super::cases::vectors(),
        super::drafts::vectors(),
        super::key_files::vectors(),
        super::ledgers::vectors(),
        super::lines::vectors(),
        super::one_fact::vectors(),
        super::policy_chains::vectors(),
        super::policy_files::vectors(),
        super::trust_chains::vectors(),
    ]
    .concat()
}

/// What is in a directory of vectors, and below it.
fn committed(directory: &str) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(root().join(directory)) else { return BTreeMap::new() };
    entries
        .map(|entry| entry.expect("it can be listed"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().into_string().expect("its name is text"))
        .map(|name| format!("{directory}/{name}"))
        .map(|path| (path.clone(), fs::read(root().join(&path)).expect("it can be read")))
        .collect()
}

/// Made anew with `FIXTURES=write cargo test --test vectors regenerat`.
#[test]
fn regenerating_gives_the_committed_bytes() {
    let mut made: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for vector in all() {
        let twice = made.insert(vector.path.clone(), vector.bytes());
        assert!(twice.is_none(), "{} is made once", vector.path);
    }
    let directories: std::collections::BTreeSet<&str> =
        made.keys().filter_map(|path| path.rsplit_once('/')).map(|(directory, _)| directory).collect();
    if std::env::var_os("FIXTURES").is_some_and(|value| value == "write") {
        for directory in &directories {
            fs::remove_dir_all(root().join(directory)).ok();
            fs::create_dir_all(root().join(directory)).expect("a directory can be made");
        }
        made.iter().for_each(|(path, bytes)| fs::write(root().join(path), bytes).expect("a file can be written"));
    }
    let mut found: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    directories.iter().for_each(|directory| found.extend(committed(directory)));
    let names = |map: &BTreeMap<String, Vec<u8>>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&made), "every vector is there, and no other file beside them");
    for (path, bytes) in made {
        assert!(found[&path] == bytes, "{path}: what was committed is what is made from the fixed keys");
    }
}
