//! A second clone joins: what it may do before, and what is printed on the way.

use crate::readme::session;

/// Runs a transcript in a world of its own.
fn transcript(lines: &str) {
    if let Err(wrong) = session::run(&format!("```console\n{lines}```\n")) {
        panic!("{wrong}");
    }
}

#[test]
fn a_clone_that_pinned_by_hand_before_it_fetched_joins_at_that_root() {
    transcript(
        "$ git boundary init
...
$ ROOT=$(git config boundary.trustRoot)
$ git clone -q ../server.git ../elsewhere && cd ../elsewhere
$ git boundary trust pin $ROOT
...
$ git boundary verify origin/main
error: receipts are not fetched in this clone: …
hint: git boundary init --trust-root sha256:…
$ echo $?
2
$ git boundary init --trust-root $ROOT
Boundary set up: this clone joined the trust document.
...
$ git boundary verify origin/main
verified
...
",
    );
}

#[test]
fn a_clone_that_pinned_by_hand_joins_at_no_other_root() {
    let other = format!("sha256:{}", "5a".repeat(32));
    transcript(&format!(
        "$ git boundary init
...
$ git clone -q ../server.git ../elsewhere && cd ../elsewhere
$ git boundary trust pin {other}
...
$ git boundary init
error: …{other}…
...
$ echo $?
1
$ git boundary init --trust-root $(git -C ../work config boundary.trustRoot)
error: this clone pins {other} already, not sha256:…
hint: …
$ echo $?
128
$ git config boundary.trustRoot
{other}
"
    ));
}

#[test]
fn the_line_that_a_joining_clone_prints_for_the_owner_lists_its_registrar() {
    transcript(
        "$ git boundary init
...
$ git clone -q ../server.git ../elsewhere && cd ../elsewhere
$ git boundary init --trust-root $(git -C ../work config boundary.trustRoot) > ../printed
$ git boundary doctor | tail -n 1 > ../advised
$ cd ../work
$ grep -c '\\\\n' ../printed || true
0
$ tail -n 1 ../printed
  git boundary trust add 'ssh-ed25519 …' --role registrar --domain <domain> --key <owner>
$ test \"$(tail -n 1 ../printed)\" = \"$(cat ../advised)\"
$ eval \"$(tail -n 1 ../printed | sed 's/<owner>/ada/; s/<domain>/elsewhere/')\"
Trust version 2: registrar-… (key_…) in domain \"elsewhere\"
sent to origin
$ cd ../elsewhere && git fetch -q && git boundary trust show | grep -c ' registrar$'
2
",
    );
}
