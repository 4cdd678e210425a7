//! Configuration as git itself reads it.

use super::*;
use crate::git::testing::Sandbox;

#[test]
fn later_sources_win_and_lists_keep_their_order() {
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "--global", "x.y", "global"]);
    assert_eq!(sandbox.open().config_string("x.y").as_deref(), Some("global"));
    sandbox.git(&["config", "x.y", "local"]);
    sandbox.git(&["config", "extensions.worktreeConfig", "true"]);
    sandbox.git(&["config", "--worktree", "x.y", "worktree"]);
    assert_eq!(sandbox.open().config_string("x.y").as_deref(), Some("worktree"));
    let environment = sandbox.environment().with("GIT_CONFIG_PARAMETERS", "'x.y'='command'");
    let repository = Repository::discover(&environment).unwrap();
    assert_eq!(repository.config_string("x.y").as_deref(), Some("command"));
    assert_eq!(repository.config_strings("x.y"), ["global", "local", "worktree", "command"]);
    assert_eq!(repository.config_string("X.Y").as_deref(), Some("command"), "sections and names have no case");
    assert_eq!(repository.config_string("x.none"), None);
    assert_eq!(repository.config_strings("none.none"), Vec::<String>::new());
}

#[test]
fn git_dash_c_reaches_us_as_git_passes_it() {
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "alias.env", "!printenv GIT_CONFIG_PARAMETERS"]);
    let list = sandbox.git(&[
        "-c",
        "boundary.trustRoot=sha256:it's!",
        "-c",
        "remote.a b.c.url=x=y",
        "-c",
        "boundary.flag",
        "-c",
        "boundary.empty=",
        "env",
    ]);
    let repository = Repository::discover(&sandbox.environment().with("GIT_CONFIG_PARAMETERS", &list)).unwrap();
    assert_eq!(repository.config_string("boundary.trustroot").as_deref(), Some("sha256:it's!"));
    assert_eq!(repository.config_string("remote.a b.c.url").as_deref(), Some("x=y"));
    assert_eq!(repository.config_bool("boundary.flag"), Some(true));
    assert_eq!(repository.config_string("boundary.empty").as_deref(), Some(""));
    assert_eq!(repository.remotes(), ["a b.c"]);
}

#[test]
fn a_malformed_environment_is_an_error() {
    let sandbox = Sandbox::new();
    for (name, value) in
        [("GIT_CONFIG_PARAMETERS", "'x.y"), ("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_PARAMETERS", "'nodot=x'")]
    {
        let environment = sandbox.environment().with(name, value);
        assert!(
            matches!(
                Repository::discover(&environment),
                Err(crate::git::OpenError::Config(ConfigError::Parameters(_)))
            ),
            "{name}={value}"
        );
    }
}

#[test]
fn booleans_and_paths_are_read_as_git_reads_them() {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("home");
    for (value, expected) in
        [("yes", Some(true)), ("on", Some(true)), ("0", Some(false)), ("off", Some(false)), ("maybe", None)]
    {
        sandbox.git(&["config", "x.flag", value]);
        assert_eq!(sandbox.open().config_bool("x.flag"), expected, "{value}");
    }
    sandbox.git(&["config", "x.path", "~/keys/id"]);
    assert_eq!(sandbox.open().config_path("x.path"), Some(home.join("keys/id")));
    sandbox.git(&["config", "x.path", "keys/id"]);
    assert_eq!(sandbox.open().config_path("x.path"), Some("keys/id".into()));
}

#[test]
fn includes_are_followed_and_conditions_kept() {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("home");
    std::fs::write(home.join("always"), "[x]\n\ta = included\n\tb = included\n").unwrap();
    std::fs::write(home.join("branch"), "[x]\n\tc = on side\n").unwrap();
    sandbox.git(&["config", "--global", "include.path", "always"]);
    sandbox.git(&["config", "--global", "includeIf.onbranch:side.path", "branch"]);
    sandbox.git(&["config", "x.b", "own"]);
    let repository = sandbox.open();
    assert_eq!(repository.config_string("x.a").as_deref(), Some("included"));
    assert_eq!(repository.config_string("x.b").as_deref(), Some("own"), "the repository's own comes later");
    assert_eq!(repository.config_string("x.c"), None);
    sandbox.commit(&[("a", "1")]);
    sandbox.git(&["switch", "--quiet", "-c", "side"]);
    assert_eq!(sandbox.open().config_string("x.c").as_deref(), Some("on side"));
}

#[test]
fn a_broken_file_is_named() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.repo.join(".git/config"), "[broken\n").unwrap();
    match Repository::discover(&sandbox.environment()) {
        Err(crate::git::OpenError::Config(ConfigError::Unreadable { defect })) => {
            assert!(defect.contains(".git/config"), "{defect}");
        }
        other => panic!("expected an unreadable configuration: {other:?}"),
    }
}

#[test]
fn the_users_git_writes_the_repositorys_file() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    sandbox.git(&["worktree", "add", "--quiet", "../linked", "-b", "side"]);
    let repository = sandbox.open_at(&sandbox.root().join("linked"));
    repository.set_config_local("boundary.trustRoot", "sha256:x").unwrap();
    repository.set_config_local("boundary.trustRoot", "sha256:y").unwrap();
    for value in ["+a:b", "+c:d", "+a:b"] {
        repository.add_config_local("remote.origin.fetch", value).unwrap();
    }
    let reopened = sandbox.open();
    assert_eq!(reopened.config_strings("boundary.trustRoot"), ["sha256:y"]);
    assert_eq!(reopened.config_strings("remote.origin.fetch"), ["+a:b", "+c:d"], "adding twice adds once");
    repository.unset_config_local("remote.origin.fetch", Some("+a:b")).unwrap();
    repository.unset_config_local("remote.origin.fetch", Some("+a:b")).unwrap();
    repository.unset_config_local("boundary.none", None).unwrap();
    assert_eq!(sandbox.open().config_strings("remote.origin.fetch"), ["+c:d"]);
    repository.unset_config_local("remote.origin.fetch", None).unwrap();
    assert_eq!(sandbox.open().config_strings("remote.origin.fetch"), Vec::<String>::new());
    assert!(repository.set_config_local("nodot", "x").is_err());
}
