//! SESSION: what a bundle shows of a session of the gateway: its seal, what was installed, and every call in order. The chain of parts is
//! followed by the same code as in a repository.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use super::answer::{AboutSeen, BundleAnswer};
use super::contents::Contents;
use super::form::Bundle;
use super::judged::LATER;
use super::{Verifier, ledgers};
use crate::app::gateway::TraceEnd;
use crate::app::gateway::parts::Parts;
use crate::codec::artifact::Artifact;
use crate::codec::in_toto::Kind;
use crate::crypto::key_id;
use crate::gate::open::expired_trust;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, Installation, SessionSeal};
use crate::model::id::{ArtifactId, KeyId};
use crate::model::policy::Strength;
use crate::model::time::Timestamp;

/// What no bundle of a session can show.
const NEVER: [&str; 4] = [
    "what was recorded after the checkpoint in this bundle",
    "whether the registrar wrote down all that was asked of it, and what the agent did by other ways",
    "what was given back: the records hold digests and sizes, and no content",
    "whether workspace, agent, program and policy are the ones that somebody means: the records hold their digests",
];

/// A session as a bundle shows it.
#[derive(Debug, Serialize)]
pub struct SessionSeen {
    /// Its digest.
    pub digest: Digest,
    /// The registrar that it names.
    pub registrar: KeyId,
    /// Whether the trust document lists that registrar, and session and parts are all its word in good standing.
    pub listed: bool,
    /// Whose word it is: `self`, `other` or `witnessed`.
    pub strength: &'static str,
    /// When its ledger took it in.
    pub began_at: Option<Timestamp>,
    /// What it was sealed with.
    pub seal: SessionSeal,
    /// What was installed.
    pub installation: Option<Installation>,
    /// RFC 9162 root over the calls, recomputed.
    pub root: Digest,
    /// How it ends.
    pub end: TraceEnd,
    /// The calls, in order.
    pub accesses: Vec<Access>,
}

/// Judges a bundle that is about a session.
pub(super) fn judge(bundle: &Bundle, contents: &Contents, verifier: &Verifier, answer: &mut BundleAnswer) {
    let Contents { artifacts, trust, .. } = contents;
    let (Some(digest), None) = (bundle.about.artifact, &bundle.about.range) else {
        answer.defect("the file", "says of what it is about more than one thing, or nothing");
        return;
    };
    let id = ArtifactId::of(&digest).to_string();
    let found = artifacts.get(&digest).filter(|found| matches!(found.artifact.value(), Artifact::Session(_)));
    let Some(found) = found else {
        answer.defect(&id, "is what the bundle is about, and is not here");
        return;
    };
    answer.not_made.extend(NEVER.into_iter().chain(LATER).map(str::to_owned));
    answer.gaps.extend(expired_trust(trust, verifier.now).map(|gap| gap.text));
    let parts = match Parts::of(Rc::clone(found), artifacts) {
        Ok(parts) => parts,
        Err(defect) => {
            answer.defect(&id, defect);
            return;
        }
    };
    let calls = parts.accesses().count() as u64;
    let text = format!("{} by {}", count::of(calls, "call", "calls"), ledgers::name(trust, &key_id(parts.signer())));
    answer.about = Some(AboutSeen { kind: bundle.about.kind, artifact: Some(found.artifact.id()), text });
    answer.made(&id, "seal", "holds", "signed by the registrar that it names, and in that one's ledger");
    let installation = parts.installation(artifacts);
    match &installation {
        Ok(it) => answer.made(&id, "installation", "holds", format!("{}, version {}", it.adapter, it.version)),
        Err(defect) => {
            answer.made(&id, "installation", "fails", defect);
            answer.defect(&id, defect);
        }
    }
    order(&parts, &id, answer);
    end(&parts, &id, calls, answer);
    registrar(&parts, contents, &id, answer);
    beside(&parts, contents, answer);
    answer.session = Some(SessionSeen {
        digest,
        registrar: key_id(parts.signer()),
        listed: parts.listed(),
        strength: parts.strength(trust).name(),
        began_at: parts.began_at(),
        seal: parts.seal().clone(),
        installation: installation.ok().cloned(),
        root: parts.root,
        end: if parts.ended() { TraceEnd::Closed } else { TraceEnd::Open },
        accesses: parts.accesses().cloned().collect(),
    });
}

/// Whether each part names the one before it, the calls are numbered without a gap, and the roots are the recomputed ones.
fn order(parts: &Parts, id: &str, answer: &mut BundleAnswer) {
    if parts.faults.is_empty() {
        let text = count::of(parts.parts.len() as u64, "part", "parts");
        answer.made(id, "parts", "holds", format!("{text}, each names the one before it, no call is left out"));
        answer.made(id, "root", "holds", format!("{} recomputed over all calls", parts.root));
    }
    for fault in &parts.faults {
        answer.made(id, "parts", "fails", fault);
        answer.defect(id, fault);
    }
}

/// A shortened trace can't be told from one of a session that runs, so that neither is called complete.
fn end(parts: &Parts, id: &str, calls: u64, answer: &mut BundleAnswer) {
    if parts.ended() {
        answer.made(id, "end", "holds", "the last part says that nothing follows");
    } else if parts.faults.is_empty() {
        let after = calls.checked_sub(1).map_or_else(|| "its seal".to_owned(), |last| format!("call {last}"));
        let text = format!("the session is not ended: what follows {after} is not here, or had not happened yet");
        answer.made(id, "end", "fails", &text);
        answer.gaps.push(text);
    }
}

/// Whose word it is. What a key says that the trust document does not list, anybody can say who makes a key.
fn registrar(parts: &Parts, contents: &Contents, id: &str, answer: &mut BundleAnswer) {
    let strength = parts.strength(&contents.trust);
    let name = ledgers::name(&contents.trust, &key_id(parts.signer()));
    if parts.listed() {
        let text = match strength {
            Strength::Own => "who shares the domain of the one that the session acts for",
            Strength::Other => "who is listed",
            Strength::Witnessed => "cosigned by a witness in another domain",
        };
        answer.made(id, "registrar", "holds", format!("strength {}: the word of {name}, {text}", strength.name()));
    } else {
        let text = format!(
            "strength {}: the trust document does not list {name} for all of this, so that it is its own word alone",
            strength.name()
        );
        answer.made(id, "registrar", "fails", &text);
        answer.gaps.push(text);
    }
}

/// What else the bundle holds: parts that are not this session's have no place in it, and of other artifacts it is said which call leads to
/// them.
fn beside(parts: &Parts, contents: &Contents, answer: &mut BundleAnswer) {
    let mut bound: BTreeMap<Digest, u64> = BTreeMap::new();
    for access in parts.accesses() {
        for named in [Some(access.request), access.result].into_iter().flatten() {
            bound.entry(named).or_insert(access.seq);
        }
    }
    let mut others = false;
    for (digest, recorded) in &contents.artifacts {
        let what = ArtifactId::of(digest).to_string();
        match recorded.artifact.value() {
            Artifact::Access(it) if it.predicate.session != parts.digest() => {
                let other = ArtifactId::of(&it.predicate.session);
                answer.defect(&what, format!("is a part of another session, {other}"));
            }
            Artifact::Access(_) if !parts.owns(recorded) => {
                answer.defect(&what, "is not the word of the session's registrar, so that it is no part of its trace");
            }
            Artifact::Access(_) => {}
            _ if *digest == parts.digest() || *digest == parts.seal().installation => {}
            other => {
                others = true;
                let kind = other.kind().map_or("artifact", Kind::name);
                match bound.get(digest) {
                    Some(seq) => {
                        answer.made(&what, "commitment", "holds", format!("{kind}: call {seq} is bound to it"))
                    }
                    None => answer.made(
                        &what,
                        "commitment",
                        "not_applicable",
                        format!("{kind}: it speaks of what a call is bound to"),
                    ),
                }
            }
        }
    }
    if others {
        let open = "whether the requests, approvals and results in it pass the rules: that is asked of each proposal";
        answer.not_made.push(open.to_owned());
    }
}
