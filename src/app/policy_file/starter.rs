//! The policy file that `init` writes.

use crate::model::id::KeyId;

/// The commented starter file.
///
/// `default_branch` is the default branch, in full or as a branch name; `owner` is listed as a person, with `owner_label` beside it for
/// the reader. What it compiles to is the contract's starter policy.
pub fn starter(default_branch: &str, owner: KeyId, owner_label: &str) -> String {
    let branch = match default_branch.strip_prefix("refs/") {
        Some(_) => default_branch.to_owned(),
        None => format!("refs/heads/{default_branch}"),
    };
    let (branch, owner, label) = (quoted(&branch), quoted(&owner.to_string()), for_comment(owner_label));
    format!(
        r##"# Who may move which branch of this repository, and what it takes.
#
# This file is for people. It takes effect once an owner has signed it:
#     git boundary policy sign
# What it means for one branch or file:
#     git boundary policy explain {branch} [<path>...]
#
# Rules are tried from the top; the first one whose pattern matches a ref governs it.
# In patterns, * stays within one part of a name and ** goes across parts.
# A rule may leave out all but its refs. What it leaves out has the value of the first rule below,
# except that it adopts nothing and lists no people.

# What happens to refs that no rule matches: "open" leaves them alone, "refuse" refuses every push.
default = "open"

# How long a handoff lasts unless `handoff create --ttl` says otherwise.
lease = "8h"

# Digests of earlier policies that are still honoured, so that work in flight survives an edit.
accept = []

# The default branch. An actor is an agent, or anybody who works under a handoff.
[[rule]]
refs = [{branch}]

# Whether an actor needs a handoff: a scope, a pinned revision and a lease, signed by an owner.
handoff = true

# "ancestor": the pinned revision must still be part of the branch it was pinned on.
# "exact": that branch must not have moved at all.
pin = "ancestor"

# Refs whose content counts as judged already, so that merging them brings in nothing new.
adopts = [{branch}]

# How many checkers must allow the change, from how many different domains (teams, vendors, services).
# strength says who must have recorded the proof: "self" anybody, "other" a listed registrar of another
# domain, "witnessed" one whose record a third domain has countersigned.
proofs = {{ count = 1, domains = 1, strength = "self" }}

# What a checker may read before it decides, and what it must have read.
diet = {{ permitted = ["diff", "test_result"], required = ["diff"] }}

# "commit": a proof is for one commit. "change": a rebased or squashed commit with the same change keeps it.
equality = "commit"

# Whether an owner must approve when an actor changes a file that machines act on:
# CI configuration, hooks, build scripts, dependency manifests, agent configuration and the like.
automation_approval = true

# More paths, as git pathspecs from the top of the tree, that want an owner's approval then.
approval_paths = []

# Who must have recorded what an actor was shown; the words are those of strength.
context_strength = "self"

# What a claim of "done" needs besides a work receipt and somebody's evidence about it: "test_result",
# "observation", "corroborated" (evidence by two domains).
evidence = []

# People who may propose their own work here without a handoff, by key id or label.
people = [{owner}] # {label}

# Whether a commit that one of these people has signed with SSH passes as it is. An agent that runs in a
# person's account signs with that person's key too, so leave this off where agents do.
people_by_signature = false

# Branches for agents: the same, but the work need not have been checked yet.
[[rule]]
refs = ["refs/heads/agent/**"]
adopts = [{branch}]
proofs = {{ count = 0 }}
people = [{owner}] # {label}
"##
    )
}

/// As a TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// On one line: a label must not get out of its comment.
fn for_comment(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
