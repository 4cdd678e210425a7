//! The manual against the model.

use super::Page;
use crate::model::party::Role;
use crate::model::policy::Strength;
use crate::model::refusal::Code;
use crate::store::layout;

#[test]
fn every_page_is_plain_text_with_a_title_and_lines_that_end() {
    for page in Page::ALL {
        let text = page.text();
        assert!(text.starts_with("# ") && text.ends_with('\n') && !text.ends_with("\n\n"), "{page:?}");
        assert!(
            text.chars().all(|character| character == '\n' || crate::cli::terminal::is_plain(character)),
            "{page:?}"
        );
        assert!(text.lines().all(|line| !line.ends_with(' ')), "{page:?} has spaces at the end of a line");
    }
}

#[test]
fn the_refusals_page_has_every_code_by_rank_with_its_reason_and_way_out() {
    let text = Page::Refusals.text();
    let mut from = 0;
    for code in Code::ALL {
        let entry = format!(
            "## {}. {}\n\nRaised when {}.\n\nWhat is safe: {}\n",
            code.rank(),
            code,
            code.when(),
            code.safe_next_action()
        );
        let at = text[from..].find(&entry).unwrap_or_else(|| panic!("{code} is missing, or out of rank"));
        from += at + entry.len();
    }
}

#[test]
fn the_pages_name_what_the_model_names() {
    for role in Role::ALL {
        assert!(Page::Trust.text().contains(&format!("| `{role}` |")), "{role}");
        assert!(Page::Glossary.text().contains(&format!("**{role}**")) || role == Role::Evidence, "{role}");
    }
    for strength in [Strength::Own, Strength::Other, Strength::Witnessed] {
        assert!(Page::Glossary.text().contains(&format!("`{}`", strength.name())));
    }
    for place in [layout::NOTES, layout::TRUST, layout::POLICY, layout::REMOTE] {
        assert!(Page::Storage.text().contains(place), "{place}");
    }
}

#[test]
fn the_glossary_is_in_order_and_defines_each_word_once() {
    let text = Page::Glossary.text();
    let words: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("**")?.split_once("** - ")).map(|(word, _)| word).collect();
    assert!(words.len() > 60, "{}", words.len());
    assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
}

#[test]
fn every_command_and_page_that_a_page_names_exists() {
    let command = crate::cli::command_line();
    for page in Page::ALL {
        let text = page.text();
        for rest in text.split("git boundary ").skip(1) {
            let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(command.find_subcommand(&word).is_some(), "{page:?} names `git boundary {word}`");
        }
    }
}
