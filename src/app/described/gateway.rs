//! The gateway's records in words.

use crate::model::gateway::{AccessRecord, Installation, Measured, SessionSeal};
use crate::model::id::KeyId;

type Facts = Vec<(&'static str, String)>;

pub(super) fn installation(it: &Installation) -> Facts {
    let mut facts = vec![
        ("adapter", it.adapter.clone()),
        ("version", it.version.clone()),
        ("workspace", it.workspace.to_string()),
        ("policy", it.policy.to_string()),
        ("catalogue", it.catalogue.to_string()),
        ("actuator", it.actuator.clone()),
        ("runner", measured(&it.runner)),
        ("shim", measured(&it.shim)),
    ];
    facts.extend(it.agent.iter().map(|file| ("agent", measured(file))));
    facts.extend(it.configuration.iter().map(|file| ("configuration", measured(file))));
    facts.extend(it.gaps.iter().map(|gap| ("gap", gap.clone())));
    facts
}

pub(super) fn session(it: &SessionSeal, name: &dyn Fn(&KeyId) -> String) -> Facts {
    vec![
        ("installation", it.installation.to_string()),
        ("actor", it.actor.as_ref().map_or_else(|| "none: it may only read".to_owned(), name)),
        ("arguments", it.arguments.to_string()),
        ("environment", it.environment.to_string()),
        ("until", it.expires_at.to_string()),
    ]
}

pub(super) fn accesses(it: &AccessRecord) -> Facts {
    let mut facts = vec![("session", it.session.to_string()), ("root", it.root.to_string())];
    facts.push(("previous", it.previous.map_or_else(|| "none".to_owned(), |digest| digest.to_string())));
    facts.push(("final", if it.last { "yes" } else { "no" }.to_owned()));
    facts.extend(it.accesses.iter().map(|one| {
        let path = one.path.as_deref().unwrap_or("-");
        ("access", format!("{} {} {} {path} {} bytes", one.seq, one.operation, one.outcome, one.size))
    }));
    facts
}

fn measured(file: &Measured) -> String {
    format!("{} {} {} {} bytes", file.role, file.name, file.digest, file.size)
}
