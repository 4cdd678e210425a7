//! What may name a file of a workspace.

use git_boundary::model::workspace_path::{PathDefect, WorkspacePath};

fn defect(text: &str) -> PathDefect {
    match text.parse::<WorkspacePath>() {
        Ok(path) => panic!("{path:?} must be refused"),
        Err(defect) => defect,
    }
}

#[test]
fn a_canonical_path_is_taken_as_it_is() {
    let longest = ["a".repeat(255), "b".repeat(255)].join("/");
    for text in [
        "a",
        "a/b",
        "src/main.rs",
        ".gitignore",
        ".github/x",
        "a..b",
        "...",
        "git",
        "ä/ö",
        "a b",
        "-",
        ".git.d",
        &longest,
    ] {
        assert_eq!(text.parse::<WorkspacePath>().map(|path| path.to_string()).as_deref(), Ok(text), "{text:?}");
    }
}

#[test]
fn every_other_spelling_has_its_own_reason() {
    assert_eq!(defect(""), PathDefect::Empty);
    for (text, reason) in
        [("/etc/passwd", PathDefect::Absolute), ("/", PathDefect::Absolute), ("a/", PathDefect::TrailingSlash)]
    {
        assert_eq!(defect(text), reason, "{text:?}");
    }
    for text in [".", "./a", "a/.", "a/./b"] {
        assert_eq!(defect(text), PathDefect::CurrentDirectory, "{text:?}");
    }
    for text in ["..", "../a", "a/..", "a/../b"] {
        assert_eq!(defect(text), PathDefect::ParentDirectory, "{text:?}");
    }
    assert_eq!(defect("a//b"), PathDefect::EmptySegment);
    assert_eq!(defect("a\0b"), PathDefect::Nul);
    for text in ["a\nb", "a\x1b[2J", "a\x7f", "a\u{85}b"] {
        assert_eq!(defect(text), PathDefect::ControlCharacter, "{text:?}");
    }
    assert_eq!(defect("a\\..\\b"), PathDefect::Backslash);
    assert_eq!(defect(&format!("a/{}", "b".repeat(256))), PathDefect::SegmentTooLong(256));
    assert_eq!(defect(&"ab/".repeat(1366)), PathDefect::TooLong(4098));
    for text in [".git-boundary-tmp-new-0", "a/.GIT-boundary-tmp-x", ".git-boundary\u{200c}-tmp-"] {
        assert_eq!(defect(text), PathDefect::Temporary, "{text:?}");
    }
}

#[test]
fn git_s_own_directory_is_refused_in_every_spelling_at_every_depth() {
    let spellings = [
        ".git",
        ".GIT",
        ".Git",
        ".g\u{200c}it",
        "\u{feff}.git",
        ".gi\u{200d}t",
        ".git.",
        ".git ",
        ".git . .",
        ".git::$INDEX_ALLOCATION",
        ".git:stream",
        "git~1",
        "GIT~1",
        "Git~2",
        "git~1 .",
        "git~1::$DATA",
        "gi7eba~1",
        ".\u{ad}git",
    ];
    for spelling in spellings {
        for text in [
            spelling.to_owned(),
            format!("{spelling}/config"),
            format!("a/b/{spelling}"),
            format!("a/{spelling}/hooks/x"),
        ] {
            assert_eq!(defect(&text), PathDefect::DotGit, "{text:?}");
        }
    }
}

#[test]
fn each_defect_has_a_name_of_its_own_and_says_what_it_is() {
    let defects = [
        "",
        "/",
        "a/",
        "a//b",
        ".",
        "..",
        "\0",
        "\n",
        "\\",
        &"a".repeat(300),
        &"a".repeat(5000),
        ".git",
        ".git-boundary-tmp-",
    ];
    let mut names: Vec<_> = defects.iter().map(|text| defect(text).name()).collect();
    assert!(defects.iter().all(|text| !defect(text).to_string().is_empty()));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), defects.len());
}
