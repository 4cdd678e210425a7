//! What people who use notes, hooks and provenance tools run into, each with the tests that set it up with real git.
//!
//! The table is held true by [`every_situation_has_tests_that_exist`]: a test that is renamed or removed has to be replaced here.

use std::path::Path;

/// Number, situation, and the tests as `file::function`, files without `.rs`.
const SITUATIONS: [(usize, &str, &[&str]); 42] = [
    (
        1,
        "a fresh clone has no receipts yet",
        &[
            "tests/places::a_fresh_clone_without_receipts_says_so_and_how_to_get_them",
            "tests/syncing/mod::a_clone_that_pinned_nothing_or_never_fetched_says_so_and_how",
            "tests/repositories/hidden::receipts_that_a_server_hides_are_not_fetched_and_nothing_is_verified",
        ],
    ),
    (
        2,
        "a forced or pruning fetch and a receipt that is only here",
        &[
            "tests/syncing/mod::no_fetch_that_a_user_may_type_destroys_an_own_receipt",
            "tests/syncing/mod::a_refspec_by_hand_that_could_overwrite_own_receipts_is_told_with_the_command",
            "tests/sync::an_ordinary_fetch_brings_receipts_and_destroys_none",
        ],
    ),
    (
        3,
        "a fetch from a remote that lacks the refs",
        &[
            "tests/sync::a_fetch_from_a_remote_without_receipts_is_no_error",
            "tests/syncing/mod::a_remote_without_anything_is_no_error_and_gets_everything",
        ],
    ),
    (
        4,
        "pushes at the same time",
        &[
            "tests/syncing/together::six_clones_that_write_and_sync_at_once_lose_nothing",
            "tests/syncing/together::a_remote_whose_ref_is_held_for_a_moment_is_asked_again",
            "src/git/process/tests::a_ref_that_is_locked_at_the_server_is_raced",
            "src/git/process/tests::rejections_are_told_apart",
        ],
    ),
    (5, "many writers in one clone", &["tests/writers::forty_processes_that_write_receipts_at_once_keep_forty"]),
    (
        6,
        "notes spread over directories in every way",
        &[
            "tests/sync::notes_in_any_fan_out_are_read_and_written",
            "tests/syncing/diverged::notes_that_git_spread_out_on_one_side_are_united_with_the_other",
            "src/git/notes/tests::every_fan_out_is_read_and_a_change_leaves_one_file",
        ],
    ),
    (
        7,
        "a merge of notes that was begun and not finished",
        &[
            "tests/syncing/mod::an_unfinished_merge_of_the_own_notes_is_named_and_in_nobodys_way",
            "src/git/notes/tests::an_unfinished_merge_of_notes_is_noticed",
        ],
    ),
    (
        8,
        "a server that looks at messages and identities",
        &[
            "tests/syncing/mod::notes_commits_pass_a_server_that_looks_at_messages_and_identities",
            "tests/sync::our_commits_of_notes_have_an_author_a_message_and_no_strange_time",
        ],
    ),
    (
        9,
        "a stranger's note on a commit of others",
        &[
            "tests/attacks/strangers::a_strangers_proposal_on_an_honest_commit_blocks_nothing",
            "tests/lease::a_handoff_in_the_owners_name_signed_by_the_actor_is_no_handoff",
            "tests/proofs::a_checker_that_nobody_trusts_counts_for_nothing",
        ],
    ),
    (
        10,
        "credentials, and prompts in a hook",
        &[
            "tests/syncing/mod::a_remote_is_asked_once_to_fetch_and_once_to_push",
            "src/git/process/tests::missing_credentials_are_their_own_answer_and_nothing_waits_for_a_person",
        ],
    ),
    (11, "a push inside a push", &["tests/syncing/mod::the_hook_of_a_push_makes_no_push"]),
    (
        12,
        "commits of notes in a log of everything",
        &["tests/repositories/settings::a_log_of_everything_leaves_receipts_out_as_documented"],
    ),
    (
        13,
        "a receipt after amend and rebase",
        &[
            "tests/rewritten::under_equality_of_commits_a_rewritten_commit_is_unreceipted_and_its_source_is_named",
            "tests/rewritten::a_commit_that_was_amended_into_another_change_is_unreceipted_and_its_source_is_guessed",
            "tests/sync::notes_that_git_copies_on_its_own_to_a_rewritten_commit_speak_for_nothing",
        ],
    ),
    (
        14,
        "picks and squashes carry no notes",
        &[
            "tests/rewritten::under_equality_of_changes_it_keeps_proposal_and_proof_and_that_is_said",
            "tests/rewritten::a_pick_that_changed_and_names_its_source_leads_there",
            "tests/verifying::a_squash_of_proven_work_is_refused_and_so_is_a_cherry_pick",
        ],
    ),
    (
        15,
        "a squash with more in it",
        &["tests/rewritten::a_squash_with_more_in_it_is_no_equal_change_and_receipts_nothing_beside_it"],
    ),
    (
        16,
        "a commit with the same patch, forced to where another was approved",
        &[
            "tests/rewritten::an_approval_stays_with_the_commit_that_it_names",
            "tests/rewritten::a_commit_that_only_looks_alike_is_covered_by_nothing",
        ],
    ),
    (
        17,
        "a push before there is a receipt",
        &[
            "tests/people::a_listed_persons_hotfix_passes_once_proposed_and_the_refusal_says_how",
            "tests/shallow::work_on_a_pin_that_is_here_goes_its_way_in_a_shallow_clone",
            "tests/story::the_story_works_as_typed",
        ],
    ),
    (18, "a new branch", &["tests/pushes::a_new_branch_is_judged_for_its_new_commits_alone"]),
    (
        19,
        "tags of both kinds, and a tag that moves",
        &[
            "tests/moves::a_governed_tag_is_peeled_and_needs_somebody_who_may_tag",
            "tests/moves::moving_a_governed_tag_is_a_rewrite_even_forwards",
            "tests/moves::tags_are_left_alone_unless_a_rule_governs_them",
            "tests/repositories/remotes::tags_that_follow_are_judged_with_the_branch",
        ],
    ),
    (
        20,
        "several refs in one push, and none of them checked out",
        &[
            "tests/pushes::every_ref_of_a_push_is_judged",
            "tests/pushes::what_is_pushed_is_judged_and_not_what_is_checked_out",
            "tests/receiving/mod::every_line_of_a_push_is_judged_and_one_bad_one_stops_it_all",
        ],
    ),
    (
        21,
        "an old value of the remote's that is not here",
        &[
            "tests/moves::a_value_of_the_remote_that_is_not_here_is_said_to_be_that",
            "tests/moves::where_nothing_else_speaks_against_it_a_value_that_is_not_here_leaves_the_answer_open",
        ],
    ),
    (
        22,
        "a merge of the target into the branch",
        &["tests/scope::a_merge_of_the_target_does_not_judge_the_targets_commits_again"],
    ),
    (
        23,
        "a range that is empty or cut",
        &[
            "tests/verifying::an_empty_range_is_undecided",
            "tests/places::a_shallow_clone_says_that_history_is_incomplete_and_how_to_complete_it",
            "tests/repositories/borrowed::a_shallow_clone_never_passes_what_its_cut_hides",
        ],
    ),
    (
        24,
        "a push with the client's hook switched off",
        &["tests/receiving/mod::a_switched_off_client_hook_changes_nothing"],
    ),
    (
        25,
        "inside a server's quarantine",
        &[
            "src/git/repository/tests::inside_a_real_push_the_quarantine_is_seen_through",
            "tests/receiving/mod::a_refusal_leaves_one_receipt_outside_the_repository_and_nothing_inside",
            "tests/receiving/kinds::objects_borrowed_from_another_repository_are_seen",
        ],
    ),
    (
        26,
        "hooks that are somewhere else, or that others manage",
        &[
            "tests/repositories/settings::hooks_in_a_directory_that_is_configured",
            "tests/repositories/settings::hooks_in_a_directory_of_the_whole_account",
            "src/hook/tests/places::a_directory_for_all_repositories_is_not_written_to_and_the_command_is_named",
            "src/hook/tests/managers::husky_runs_its_hook_after_ours_and_both_have_the_list",
            "src/hook/tests/managers::lefthook_runs_after_ours_and_even_when_it_is_switched_off_ours_runs",
            "src/hook/tests/managers::pre_commit_runs_ours_as_its_legacy_hook_and_keeps_it",
        ],
    ),
    (
        27,
        "a manager that writes its files anew",
        &[
            "src/hook/tests/managers::husky_that_wrote_its_folder_anew_is_noticed",
            "src/hook/tests/managers::lefthook_that_wrote_its_file_anew_is_noticed_and_mended",
        ],
    ),
    (
        28,
        "a manager that eats the list, or hands one ref on",
        &[
            "tests/repositories/hooks::a_hook_before_ours_that_eats_the_list_stops_the_push",
            "tests/repositories/hooks::a_manager_that_gives_us_no_list_stops_the_push",
            "src/hook/caller::a_manager_that_eats_the_list_is_not_taken_for_an_up_to_date_push",
            "src/hook/tests/places::a_line_behind_one_that_reads_is_doubted_and_a_better_one_named",
        ],
    ),
    (
        29,
        "a long list, and another that needs it too",
        &[
            "src/hook/tests/chaining::a_long_list_that_ours_does_not_read_breaks_no_pipe",
            "src/hook/tests/chaining::git_lfs_beside_us_is_given_its_list",
            "tests/repositories/hooks::large_files_beside_us_get_the_list_of_a_real_push",
        ],
    ),
    (
        30,
        "the program is on nobody's path",
        &[
            "src/hook/tests/server::a_client_without_the_binary_refuses_and_says_what_to_do",
            "tests/pushes::a_hook_that_is_left_without_its_program_refuses",
        ],
    ),
    (
        31,
        "a hook so slow that people go round it",
        &["tests/repositories/hooks::a_push_of_many_commits_starts_no_more_processes_than_one_of_few"],
    ),
    (
        32,
        "linked worktrees",
        &[
            "tests/repositories/formats::a_linked_worktree",
            "tests/repositories/formats::a_worktree_of_a_bare_repository",
            "src/hook/tests/places::a_push_from_a_linked_worktree_runs_the_hooks_of_the_repository",
        ],
    ),
    (33, "SHA-256", &["tests/repositories/formats::sha_256", "tests/places::a_sha256_repository_works_like_any_other"]),
    (
        34,
        "reftables",
        &["tests/repositories/formats::reftables", "src/git/refs/tests::reftable_is_noticed_and_left_to_git"],
    ),
    (
        35,
        "a shallow clone",
        &[
            "tests/places::a_shallow_clone_says_that_history_is_incomplete_and_how_to_complete_it",
            "tests/shallow::work_on_a_pin_behind_the_cut_is_undecided_until_the_rest_is_fetched",
        ],
    ),
    (
        36,
        "a partial clone",
        &[
            "tests/repositories/borrowed::a_partial_clone_without_blobs",
            "tests/repositories/borrowed::a_partial_clone_without_trees",
            "tests/repositories/borrowed::receipts_that_a_partial_clone_lacks_take_one_fetch_and_not_one_each",
        ],
    ),
    (37, "settings of line ends", &["tests/sync::line_ending_settings_change_no_signed_byte"]),
    (38, "a rename", &["tests/scope::a_path_outside_is_touched_as_the_old_side_of_a_rename"]),
    (
        39,
        "a file that came and went within the range",
        &["tests/scope::a_file_outside_that_is_added_and_removed_again_was_touched"],
    ),
    (
        40,
        "a key that is not here",
        &["tests/repositories/hooks::a_line_by_a_key_that_is_not_here_is_not_called_unsigned"],
    ),
    (
        41,
        "a key that was rotated",
        &["tests/roots::old_receipts_of_a_rotated_key_verify_and_new_ones_by_it_are_refused"],
    ),
    (
        42,
        "a key whose time ends later",
        &["tests/keys::a_key_whose_time_ends_later_leaves_history_verified_and_signs_nothing_new"],
    ),
];

#[test]
fn every_situation_has_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (place, (number, situation, tests)) in SITUATIONS.iter().enumerate() {
        assert_eq!(*number, place + 1, "the situations are numbered without a gap");
        assert!(!tests.is_empty(), "{situation} is set up by a test");
        for test in *tests {
            let (file, name) = test.rsplit_once("::").expect("a file and a function");
            let text = std::fs::read_to_string(root.join(format!("{file}.rs")))
                .unwrap_or_else(|error| panic!("{file}.rs of {situation:?} is readable: {error}"));
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let at = lines.iter().position(|line| line.starts_with(&format!("fn {name}()")));
            let at = at.unwrap_or_else(|| panic!("{test} of {situation:?} exists"));
            let before = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
            assert!(before.clone().any(|line| *line == "#[test]"), "{test} of {situation:?} is run");
            assert!(
                !before.clone().any(|line| line.starts_with("#[ignore")),
                "{test} of {situation:?} is not left out"
            );
        }
    }
}
