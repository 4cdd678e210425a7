//! What was found of registrars' refs, in words.

use serde::Serialize;

use super::{Synced, called};
use crate::gather::Session;
use crate::model::count;
use crate::model::id::KeyId;
use crate::store::arrivals::{Arrival, Arriving};
use crate::store::layout;

/// One registrar's ref at the remote.
#[derive(Debug, Clone, Serialize)]
pub struct Fetched {
    /// Whose.
    pub registrar: KeyId,
    /// Its label in the trust document.
    pub label: Option<String>,
    /// The ref at the remote.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Entries of its ledger that were fetched before; `null` for none of it.
    pub old_size: Option<u64>,
    /// Entries that the remote has; `null` where there is nothing that can be believed.
    pub new_size: Option<u64>,
    /// Whether its registrar's word counts.
    pub listed: bool,
    /// Whether it is this clone's own.
    pub own: bool,
    /// How it stands, in a word.
    pub state: &'static str,
}

/// Something wrong with one ref.
#[derive(Debug, Clone, Serialize)]
pub struct Problem {
    /// What to type.
    pub command: Option<String>,
    /// Whether answers are left open by it: it is about trust, policy, or a registrar whose word counts.
    pub listed: bool,
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Whose, if it is a registrar's.
    pub registrar: Option<KeyId>,
    /// What is wrong, with both values where there are two.
    pub text: String,
}

/// Notes what arrived. What an earlier attempt brought stays brought.
pub(super) fn note(answer: &mut Synced, own: Option<&KeyId>, arrivals: &[Arrival]) {
    for arrival in arrivals {
        let (old, new) = (arrival.old.map(|head| head.size), arrival.new.map(|head| head.size));
        let is_own = own == Some(&arrival.registrar);
        let known = answer.fetched.iter_mut().find(|one| one.registrar == arrival.registrar);
        match known {
            Some(one) => {
                one.new_size = new;
                if arrival.state != Arriving::Same {
                    one.state = arrival.state.name();
                }
            }
            None => answer.fetched.push(Fetched {
                registrar: arrival.registrar,
                label: None,
                reference: arrival.reference.clone(),
                old_size: old,
                new_size: new,
                listed: arrival.listed,
                own: is_own,
                state: arrival.state.name(),
            }),
        }
        // What is wrong with the own one was said when it was united, and what only lacks there is about to be sent.
        let said = answer.problems.iter().any(|one| one.registrar == Some(arrival.registrar));
        if said || (is_own && !matches!(arrival.state, Arriving::Bad(_))) {
            continue;
        }
        if let Some(text) = defect(&answer.remote, arrival) {
            answer.problems.push(Problem {
                command: None,
                listed: arrival.listed || is_own,
                reference: arrival.reference.clone(),
                registrar: Some(arrival.registrar),
                text,
            });
        }
    }
}

fn defect(remote: &str, arrival: &Arrival) -> Option<String> {
    let head =
        |head: Option<crate::ledger::TreeHead>| head.map_or_else(|| "nothing".to_owned(), |head| head.to_string());
    let (old, new) = (head(arrival.old), head(arrival.new));
    let stays = "what was fetched before stays here";
    Some(match &arrival.state {
        Arriving::New | Arriving::Extended | Arriving::Same => return None,
        Arriving::Gone => format!("is no longer at {remote}, which had {old} of it; {stays}"),
        Arriving::RolledBack => format!("went back at {remote}: {old} was fetched before, {new} is there now; {stays}"),
        Arriving::Parted(shared) => format!(
            "its ledger at {remote}, {new}, parts from {old}, which was fetched before, after {}: one key signed two histories; both are \
             kept",
            count::of(*shared, "entry", "entries")
        ),
        Arriving::Stripped => format!("lines that were fetched before are gone from its notes at {remote}; {stays}"),
        Arriving::Bad(text) => format!("not taken over from {remote}: {text}"),
    })
}

/// Notes what the readers say of what is here now.
pub(super) fn look(answer: &mut Synced, session: &Session<'_>) {
    for one in &mut answer.fetched {
        one.label = called(session, &one.registrar);
    }
    for broken in &session.shelves.broken {
        let registrar = layout::parse_notes_ref(&broken.reference).map(|(registrar, _)| registrar);
        if registrar.is_some() && answer.problems.iter().any(|one| one.registrar == registrar) {
            continue;
        }
        answer.problems.push(Problem {
            command: broken.fetch.map(str::to_owned),
            listed: broken.listed,
            reference: broken.reference.clone(),
            registrar,
            text: broken.text.clone(),
        });
    }
}
