//! Chains of trust and policy as somebody else may serve them.

use crate::support::World;

#[test]
fn a_chain_of_more_bytes_than_any_honest_one_is_not_read() {
    let world = World::new();
    let work = &world.work;
    let line = [vec![b'x'; (1 << 20) - 1], b"\n".to_vec()].concat();
    let blob = work.home.run(&work.dir, "git", &["hash-object", "-w", "--stdin"], &line).ok().stdout;
    let tree: String = (1..=70).map(|version| format!("100644 blob {}\t{version}.json\n", blob.trim_end())).collect();
    let tree = work.home.run(&work.dir, "git", &["mktree"], tree.as_bytes()).ok().stdout;
    let commit = work.git(&format!("commit-tree -m huge {}", tree.trim_end()));
    work.git(&format!("update-ref refs/boundary-remote/elsewhere/trust {commit}"));
    work.git(&format!("update-ref refs/boundary-remote/elsewhere/policy {commit}"));
    // Beside the chain that verifies it is nobody's business.
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    for name in work.refs().into_keys().filter(|name| name.ends_with("/trust") && !name.contains("/elsewhere/")) {
        work.git(&format!("update-ref -d {name}"));
    }
    let shown = work.boundary("trust show");
    assert_ne!(shown.status, 0, "there is no chain to show: {shown}");
    shown.says("more than the");
}
