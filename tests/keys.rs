//! Keys that are revoked, rotated, or out of time; roots that are too few; and keys that are not what they seem.

use crate::support::World;

const DAY: i64 = 24 * 3600;

#[test]
fn work_by_a_key_that_was_revoked_later_stays_verified() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.later(DAY).boundary("trust revoke codex").ok();
    work.later(2 * DAY).boundary("trust revoke reviewer-bot").ok();
    work.later(3 * DAY).boundary("verify origin/main").ok();
}

#[test]
fn new_work_by_a_revoked_key_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.commit(&[("src/more.rs", "more\n")]);
    work.boundary("trust revoke codex").ok();
    work.later(60).boundary("propose --key codex").ok();
    let line = format!("x {} refs/heads/agent/fix {}\n", work.head(), work.oid("origin/agent/fix"));
    work.later(120).hook(&line).ends_with(1).says("refused: identity.key_revoked");
}

#[test]
fn a_key_whose_time_ends_later_leaves_history_verified_and_signs_nothing_new() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add brief --role actor --new-key --valid-until 2099-01-01T00:00:00Z").ok();
    work.hand_out_with("--to brief --path src/** --ttl 300d");
    work.fix();
    work.boundary("propose --key brief").ok();
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    let far = 80 * 365 * DAY;
    work.later(far).boundary("verify origin/main").says("judged as of").never_says("identity.key_revoked");
    work.boundary("trust add late --role actor --new-key --valid-from 2099-01-01T00:00:00Z").ok();
    work.hand_out_with("--to late --path src/**");
    work.commit(&[("src/more.rs", "more\n")]);
    work.boundary("propose --key late").ok();
    work.push("origin agent/fix").refused("identity.key_revoked").says("valid from").followed_in(work);
}

#[test]
fn a_key_file_that_others_can_read_is_refused_as_ssh_does() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(work.home.key_path("codex"), mode).expect("it is ours");
    work.boundary("propose --key codex").ends_with(128).says("codex");
    work.push("origin agent/fix").refused("context.receipt_missing");
}

#[test]
fn a_person_who_loses_the_role_proposes_nothing_more() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role person --new-key").ok();
    let both = "people = [\"grace\", ";
    work.policy(&[("people = [", both)]);
    work.commit(&[("README", "hotfix\n")]);
    work.boundary("propose --key grace").ok();
    work.push("origin main").accepted();
    work.boundary("trust revoke grace").ok();
    work.commit(&[("README", "another\n")]);
    work.later(60).boundary("propose --key grace").ok();
    let line = format!("x {} refs/heads/main {}\n", work.head(), work.oid("origin/main"));
    work.later(120).hook(&line).ends_with(1).says("refused: identity.key_revoked");
}

#[test]
fn nobody_signs_without_being_asked_by_name() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.boundary("propose").ends_with(129).says("git boundary propose --key codex");
    work.git("config boundary.actorKey codex");
    work.boundary("propose").ok().says("by codex");
    work.boundary("check begin --input diff").ends_with(129).says("--key");
    work.git("config boundary.checkerKey reviewer-bot");
    work.boundary("check begin --input diff").ok();
    work.boundary("check decide allow").ok();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn a_user_with_an_ssh_key_of_their_own_becomes_the_owner_with_it() {
    let world = World::untouched();
    let work = &world.work;
    let ssh = world.root().join("home/.ssh");
    std::fs::create_dir_all(&ssh).expect("the home is writable");
    let key = ssh.join("id_ed25519");
    let file = key.to_str().expect("temporary paths are text");
    work.home.run(&work.dir, "ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-C", "mine", "-f", file], b"").ok();
    work.boundary("init").ok().never_says("new key");
    let shown = work.boundary("trust show --json").ok().json();
    let mine = std::fs::read_to_string(key.with_extension("pub")).expect("ssh-keygen wrote it");
    let body = mine.split(' ').nth(1).expect("a key has a body").to_owned();
    assert!(shown.to_string().contains(&body), "the owner is the user's own key: {shown}");
    work.boundary("trust add codex --role actor --new-key").ok();
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_registrar_that_is_trusted_as_something_else_is_no_good_registrar() {
    let world = World::new();
    let second = world.joined("second");
    second.boundary("doctor").ok();
    let key = world.root().join("registrar.pub");
    let public = second.home.run(&second.dir, "ssh-keygen", &["-y", "-f", ".git/boundary/registrar"], b"").ok();
    std::fs::write(&key, public.stdout).expect("the directory is writable");
    world.work.boundary(&format!("trust add {} --label second --role checker", key.display())).ok();
    second.git("fetch -q");
    second.boundary("doctor").ends_with(1).says("counts for nothing as a registrar");
}
