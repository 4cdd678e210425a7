//! Pathspecs held against what git itself lists.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use proptest::prelude::*;

use super::pathspec::PathScope;

/// Files that the patterns below tell apart.
const FILES: &[&[u8]] = &[
    b"README.md",
    b"Readme.md",
    b"A",
    b"a*b/x",
    b"a-b/x",
    b"a/b",
    b"a/b.c/d",
    b"a/x/y/b",
    b"ab",
    b"abc",
    b"Abc",
    b"ax/y/b",
    b"back\\slash",
    b"br[x]",
    b"brx",
    b"caf\xc3\xa9",
    b"caf\xe9",
    b"cafe\xcc\x81",
    b"docs/a.md",
    b"docs/deep/er/b.md",
    b"docs/deep/x.txt",
    b"docs.md",
    b"glob/(top)x",
    b"q?m",
    b"qxm",
    b"src",
    b"src2/a.rs",
    b"src3/.hidden",
    b"src3/a.c",
    b"src3/b/a.c",
    b"src3/b/c/a.c",
    b"src3/B/a.c",
    b"we ird/n\new",
    b"x:y",
    b":colon",
    b"!bang",
    b"-dash",
    b"foo/bar/baz",
    b"foo/baz",
    b"foobar/baz",
];

/// Submodules, which count as directories.
const SUBMODULES: &[&[u8]] = &[b"sub", b"libs/Sub"];

#[rustfmt::skip]
const PATTERNS: &[&[&str]] = &[
    &["."], &["./"], &[":/"], &[":(top)"], &["a"], &["a/"], &["a/b"], &["a/b/"], &["./a"], &["a/./b"], &["a//b"], &["a/."], &["src"],
    &["src/"], &["src3"], &["src3/"], &["src3/b"], &["SRC3"], &[":(icase)SRC3"], &[":(icase)SRC3/B"], &[":(icase)SRC3/B/A.C"],
    &["*"], &["**"], &["*.c"], &["*.md"], &["src3/*"], &["src3/*.c"], &["src3/**"], &["src3/**/a.c"], &["src3*/*.rs"], &["s*"],
    &[":(glob)*"], &[":(glob)**"], &[":(glob)*.c"], &[":(glob)*.md"], &[":(glob)src3/*"], &[":(glob)src3/*.c"], &[":(glob)src3/**"],
    &[":(glob)src3/**/a.c"], &[":(glob)**/a.c"], &[":(glob)**/*.c"], &[":(glob)src3/*/a.c"], &[":(glob)a**/b"], &[":(glob)a/**/b"],
    &[":(glob)**b"], &[":(glob)a**"], &[":(glob)src*/**"], &[":(glob)***/b"], &[":(glob)a/***/b"], &[":(glob)**/"], &[":(glob)a/**/"],
    &[":(glob)a**\\/b"], &[":(glob)src3"], &[":(glob)src3/"], &[":(glob)*/b"], &["*/b"], &["*/"], &["s*/"], &["src3/*/"],
    &["?"], &["??"], &["a?c"], &["a?b"], &[":(glob)a?b"], &["a[bx]"], &["[ab]"], &["[a-b]b*"], &["[!a]bc"], &["[^a]bc"], &["[A]bc"],
    &[":(icase)[A]bc"], &[":(icase)[a]bc"], &[":(icase)[A-B]bc"], &[":(icase)ABC"], &[":(icase)?BC"], &[":(icase)\\Abc"],
    &[":(icase)[[:upper:]]bc"], &["[[:upper:]]bc"], &["[[:lower:]]bc"], &["[[:foo:]]bc"], &["[[:alpha:]]*"], &["[[:punct:]]*"],
    &["[[:]bc"], &["[[:a]*"], &["[]a]bc"], &["[a"], &["a["], &["[a-"], &["br[x]"], &["br\\[x\\]"], &["br[[]x]"], &["br[]"], &["br[!]]"],
    &[":(literal)br[x]"], &[":(literal)a*b"], &["a*b"], &["a\\*b"], &["a\\*b/x"], &["a\\"], &["back\\slash"], &["back\\\\slash"],
    &["back[\\\\]slash"], &[":(literal)back\\slash"], &["q?m"], &["q\\?m"], &["caf?"], &["caf??"], &["caf???"], &["café"], &["caf[é]*"],
    &["cafe*"], &["we ird"], &["we*"], &["x:y"], &["x:"], &[":x:y"], &["::x:y"], &[":::colon"], &[":!:colon", "."], &["./:colon"],
    &["\\:colon"], &["!bang"], &[":/!bang", "."], &[":(top)!bang"], &["-dash"], &["foo"], &["foo/*"], &["foo*"], &["foo*/baz"],
    &[":(glob)foo*/baz"], &["foo/bar/"], &[":(top,icase)FOO"], &[":(icase,)foo"], &[":(,)foo"], &[":()foo"], &[":(glob,icase)FOO/**"],
    &[":(glob)foo/[b/]*"], &["foo[/]bar"], &[":(glob)foo[/]bar"], &["foo[!x]bar/baz"], &[":(glob)foo[!x]bar/baz"], &["foo?bar/baz"],
    &["sub"], &["sub/"], &["sub/x"], &[":(icase)LIBS/SUB/"], &["libs/sub/"], &["libs"], &["libs/*/"], &["libs/*"],
    &["a", "src3"], &["src3", ":!src3/a.c"], &["src3", ":^src3/.hidden"], &["src3", ":(exclude)src3/a.c"], &[".", ":!*.c"], &[".", ":(exclude,glob)*.md"],
    &[".", ":(exclude,glob)**/*.md"], &[".", ":!src3", ":!docs"], &[":!docs", "docs", "a"], &[".", ":!/docs"], &[".", ":/!docs"],
    &[".", ":(exclude,literal)a*b"], &[".", ":!a*b"], &["docs*", ":!docs/*"], &["docs*", ":(exclude,glob)docs/*"], &[":!(top)x", "."],
];

/// Patterns whose exclusions take away more here than git takes away, and exactly these paths.
#[rustfmt::skip]
const WIDER: &[(&[&str], &[&[u8]])] = &[
    // The other case, and the other normal form, of an excluded name.
    (&[".", ":!abc"], &[b"Abc"]),
    (&[".", ":!README.md"], &[b"Readme.md"]),
    (&["src3", ":!src3/b"], &[b"src3/B/a.c"]),
    (&[".", ":!café"], &[b"caf\xe9", b"cafe\xcc\x81"]),
    // A directory is named, and a file or submodule of that name stands for what would be in it.
    (&[".", ":!src/"], &[b"src"]),
    (&[".", ":!SUB/"], &[b"sub"]),
    // On Windows `x:y` is a stream of `x`, and `back\slash` lies in `back`.
    (&[".", ":!x"], &[b"x:y"]),
    (&[".", ":!back"], &[b"back\\slash"]),
];

struct Repository {
    directory: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Repository { directory: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "."], b"");
        let empty = String::from_utf8(repository.git(&["hash-object", "-w", "--stdin"], b"")).unwrap();
        let mut index = Vec::new();
        let files = FILES.iter().map(|path| ("100644", path));
        for (mode, path) in files.chain(SUBMODULES.iter().map(|path| ("160000", path))) {
            write!(index, "{mode} {}\t", empty.trim()).unwrap();
            index.extend_from_slice(path);
            index.push(0);
        }
        repository.git(&["update-index", "-z", "--index-info"], &index);
        repository
    }

    fn lists(&self, patterns: &[&str]) -> Option<BTreeSet<Vec<u8>>> {
        let output = self.command().args(["ls-files", "-z", "--"]).args(patterns).output().unwrap();
        let split = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        output.status.success().then(|| split.map(<[u8]>::to_vec).collect())
    }

    fn git(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = self.command().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        output.stdout
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        let inherited = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"));
        inherited.for_each(|(name, _)| {
            command.env_remove(name);
        });
        let nowhere = Path::new("/dev/null");
        command.current_dir(self.directory.path()).env("GIT_CONFIG_GLOBAL", nowhere).env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }
}

static REPOSITORY: LazyLock<Repository> = LazyLock::new(Repository::new);

fn granted(patterns: &[&str]) -> Result<BTreeSet<Vec<u8>>, super::pathspec::PathspecError> {
    let list: Vec<_> = patterns.iter().map(|text| (*text).to_owned()).collect();
    let scope = PathScope::parse(&list)?;
    let files = FILES.iter().filter(|path| scope.grants(path));
    let submodules = SUBMODULES.iter().filter(|path| scope.grants_submodule(path));
    Ok(files.chain(submodules).map(|path| path.to_vec()).collect())
}

fn shown(paths: &BTreeSet<Vec<u8>>) -> Vec<String> {
    paths.iter().map(|path| path.escape_ascii().to_string()).collect()
}

#[test]
fn a_scope_grants_what_git_lists() {
    for patterns in PATTERNS {
        let listed = REPOSITORY.lists(patterns).unwrap_or_else(|| panic!("git refuses {patterns:?}"));
        let granted = granted(patterns).unwrap_or_else(|error| panic!("{patterns:?}: {error}"));
        assert_eq!(shown(&granted), shown(&listed), "{patterns:?}");
    }
}

#[test]
fn an_exclusion_takes_away_what_a_file_system_may_take_for_the_same() {
    for (patterns, wider) in WIDER {
        let mut listed = REPOSITORY.lists(patterns).unwrap();
        for path in *wider {
            assert!(
                listed.remove(*path),
                "git itself leaves {:?} out of {patterns:?}",
                path.escape_ascii().to_string()
            );
        }
        assert_eq!(shown(&granted(patterns).unwrap()), shown(&listed), "{patterns:?}");
    }
}

#[test]
fn what_git_refuses_is_refused() {
    for pattern in ["", ":(glob,literal)a", ":(nothing)a", ":(top", ":@a", ":\"a", "../a", "a/../../b", ":(attr:)a"] {
        assert_eq!(REPOSITORY.lists(&[pattern]), None, "git takes {pattern:?}");
        assert!(granted(&[pattern]).is_err(), "{pattern:?} was taken");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern_includes_what_git_lists(
        magic in prop::sample::select(vec!["", "", ":(glob)", ":(icase)", ":(glob,icase)", ":(literal)"]),
        pattern in r"(\*|\*\*|/|\?|a|b|x|c|A|B|y|src3|foo|\.c|\[|\]|!|\^|-|\\|\[\[:upper:\]\]|\[\[:|:\]|\[a-c\]|\[!b\]|é|\*\*/|/\*\*|\./){1,8}",
    ) {
        let text = format!("{magic}{pattern}");
        if let (Some(listed), Ok(granted)) = (REPOSITORY.lists(&[&text]), granted(&[&text])) {
            prop_assert_eq!(shown(&granted), shown(&listed), "{:?}", text);
        }
    }

    #[test]
    fn no_exclusion_leaves_more_than_git_does(
        magic in prop::sample::select(vec![":!", ":(exclude,glob)", ":(exclude,icase)", ":(exclude,glob,icase)", ":(exclude,literal)"]),
        pattern in r"(\*|\*\*|/|\?|a|b|x|c|A|src3|foo|\.c|\[a-c\]|\[!b\]|\\|é|\*\*/|/\*\*){1,6}",
    ) {
        let text = format!("{magic}{pattern}");
        if let (Some(listed), Ok(granted)) = (REPOSITORY.lists(&[".", &text]), granted(&[".", &text])) {
            prop_assert!(granted.is_subset(&listed), "{text:?} leaves {:?}, git {:?}", shown(&granted), shown(&listed));
        }
    }
}
