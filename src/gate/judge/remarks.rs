//! REMARKS: what people should know beside the answer.

use std::collections::{BTreeMap, BTreeSet};

use super::Judgement;
use crate::gate::case::typed_name;
use crate::gate::tried::Tried;
use crate::model::count;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, EnvelopeId, KeyId};
use crate::model::time::Timestamp;

impl Judgement<'_> {
    pub(super) fn remarks(&mut self, tried: &[Tried<'_>]) {
        let set_aside = self.facts.bad_lines.len();
        if set_aside > 0 {
            let first = &self.facts.bad_lines[0];
            self.verdict.notices.push(format!(
                "{} set aside that authorise nothing; the first, on {}: {}",
                count::of(set_aside, "line", "lines"),
                first.note.short(),
                first.text
            ));
        }
        self.equivocations(tried);
        let used: BTreeSet<Digest> = self.verdict.used.iter().copied().collect();
        let mut clocks: BTreeMap<Option<KeyId>, Vec<(ArtifactId, Timestamp)>> = BTreeMap::new();
        for one in tried.iter().filter(|one| one.case.handoff().is_some() && used.contains(&one.case.digest())) {
            let decided = one.case.decided();
            clocks.entry(decided.registrar).or_default().push((one.case.recorded.artifact.id(), decided.at));
        }
        for (registrar, judged) in clocks {
            let whose = registrar.map_or_else(
                || "this machine's clock".to_owned(),
                |registrar| format!("the ledger of {}", typed_name(self.facts, &registrar)),
            );
            let what = match judged.as_slice() {
                [(id, at)] => format!("{id} judged as of {at}"),
                several => format!("{} proposals judged as of their own times", several.len()),
            };
            self.verdict.notices.push(format!("lease and validity of {what} by {whose}"));
        }
    }

    /// Two payloads for one version of an envelope are shown as what they are (contract, section 2).
    fn equivocations(&mut self, tried: &[Tried<'_>]) {
        let mut versions: BTreeMap<(EnvelopeId, u64), BTreeSet<ArtifactId>> = BTreeMap::new();
        for one in tried {
            let envelope = one.case.envelope();
            versions
                .entry((envelope.envelope_id, envelope.version))
                .or_default()
                .insert(one.case.recorded.artifact.id());
        }
        for ((id, version), several) in versions.into_iter().filter(|(_, several)| several.len() > 1) {
            let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
            self.verdict
                .notices
                .push(format!("equivocation: {id} version {version} has several payloads: {}", ids.join(", ")));
        }
    }
}
