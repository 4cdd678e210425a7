//! The house: what the compiler does not hold about the layout of the sources and of these tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_file_of_tests_is_a_module_of_the_one_binary() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let runner = fs::read_to_string(dir.join("runner.rs")).expect("the runner is readable");
    let listed: BTreeSet<String> = runner
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned))
        .collect();
    let found: BTreeSet<String> = fs::read_dir(&dir)
        .expect("the folder is readable")
        .filter_map(|entry| {
            let path = entry.expect("the folder is readable").path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let module = path.extension().is_some_and(|it| it == "rs") || path.join("mod.rs").exists();
            (module && name != "runner").then_some(name)
        })
        .collect();
    assert_eq!(found, listed, "a file that no `mod` line names would never be run");
}
