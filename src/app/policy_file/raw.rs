//! The policy file as TOML has it: every value optional but a rule's refs, each with its place.

use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{PolicyProblem, parse_duration};
use crate::gate::policy_check::{MOST_PROOFS, Place};
use crate::model::id::KeyId;
use crate::model::policy::{DefaultRule, DietRule, Equality, PinRule, Policy, ProofRule, Rule, Strength};

type Text = Spanned<String>;
type List = Option<Spanned<Vec<Text>>>;

/// A problem and the byte of the file where it is.
type Fault = (usize, PolicyProblem);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a policy")]
pub(super) struct RawPolicy {
    accept: List,
    #[serde(default, deserialize_with = "word")]
    default: Option<DefaultRule>,
    lease: Option<Text>,
    #[serde(default)]
    rule: Vec<Spanned<RawRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table: a rule begins with [[rule]]")]
struct RawRule {
    adopts: List,
    approval_paths: List,
    automation_approval: Option<bool>,
    #[serde(default, deserialize_with = "word")]
    context_strength: Option<Strength>,
    diet: Option<Spanned<RawDiet>>,
    #[serde(default, deserialize_with = "word")]
    equality: Option<Equality>,
    evidence: List,
    handoff: Option<bool>,
    people: List,
    people_by_signature: Option<Spanned<bool>>,
    #[serde(default, deserialize_with = "word")]
    pin: Option<PinRule>,
    proofs: Option<Spanned<RawProofs>>,
    refs: Spanned<Vec<Text>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with permitted and required")]
struct RawDiet {
    permitted: List,
    required: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with count, domains and strength")]
struct RawProofs {
    count: Option<Spanned<toml::Value>>,
    domains: Option<Spanned<toml::Value>>,
    #[serde(default, deserialize_with = "word")]
    strength: Option<Strength>,
}

/// Eight hours: a working day.
const LEASE_UNLESS_TOLD: u64 = 8 * 60 * 60;

impl RawPolicy {
    pub(super) fn resolve(&self, resolve: &dyn Fn(&str) -> Option<KeyId>) -> Result<Policy, Fault> {
        let accept = self.accept.iter().flat_map(|list| list.get_ref()).map(|text| {
            let digest = text.get_ref().parse();
            digest.map_err(|error| (text.span().start, PolicyProblem::AcceptedDigest(error)))
        });
        let lease_seconds = match &self.lease {
            None => LEASE_UNLESS_TOLD,
            Some(text) => {
                parse_duration(text.get_ref()).map_err(|error| (text.span().start, PolicyProblem::Lease(error)))?
            }
        };
        Ok(Policy {
            accept: accept.collect::<Result<_, _>>()?,
            default: self.default.unwrap_or(DefaultRule::Open),
            lease_seconds,
            rules: self.rule.iter().map(|rule| rule.get_ref().resolve(resolve)).collect::<Result<_, _>>()?,
        })
    }

    /// The byte where the value at `place` stands, or the nearest thing around it that is written out.
    pub(super) fn offset(&self, place: &Place) -> Option<usize> {
        let Some(index) = place.rule else {
            return match place.key {
                "lease" => self.lease.as_ref().map(|text| text.span().start),
                "accept" => list_offset(&self.accept, place.item),
                _ => None,
            };
        };
        let rule = self.rule.get(index)?;
        rule.get_ref().offset(place).or(Some(rule.span().start))
    }
}

impl RawRule {
    fn resolve(&self, resolve: &dyn Fn(&str) -> Option<KeyId>) -> Result<Rule, Fault> {
        let people = self.people.iter().flat_map(|list| list.get_ref()).map(|name| person(name, resolve));
        Ok(Rule {
            adopts: texts(&self.adopts, &[]),
            approval_paths: texts(&self.approval_paths, &[]),
            automation_approval: self.automation_approval.unwrap_or(true),
            context_strength: self.context_strength.unwrap_or(Strength::Own),
            diet: self.diet(),
            equality: self.equality.unwrap_or(Equality::Commit),
            evidence: texts(&self.evidence, &[]),
            handoff: self.handoff.unwrap_or(true),
            people: people.collect::<Result<_, _>>()?,
            people_by_signature: self.people_by_signature.as_ref().is_some_and(|on| *on.get_ref()),
            pin: self.pin.unwrap_or(PinRule::Ancestor),
            proofs: self.proofs()?,
            refs: self.refs.get_ref().iter().map(|text| text.get_ref().clone()).collect(),
        })
    }

    fn diet(&self) -> DietRule {
        let (permitted, required) = match &self.diet {
            Some(diet) => (&diet.get_ref().permitted, &diet.get_ref().required),
            None => (&None, &None),
        };
        DietRule { permitted: texts(permitted, &["diff", "test_result"]), required: texts(required, &["diff"]) }
    }

    fn proofs(&self) -> Result<ProofRule, Fault> {
        let Some(proofs) = &self.proofs else {
            return Ok(ProofRule { count: 1, domains: 1, strength: Strength::Own });
        };
        let proofs = proofs.get_ref();
        let count = number(&proofs.count, "proofs")?.unwrap_or(1);
        let domains = number(&proofs.domains, "domains")?.unwrap_or(count.min(1));
        Ok(ProofRule { count, domains, strength: proofs.strength.unwrap_or(Strength::Own) })
    }

    fn offset(&self, place: &Place) -> Option<usize> {
        let diet = self.diet.as_ref();
        match place.key {
            "refs" => spanned_offset(&self.refs, place.item),
            "adopts" => list_offset(&self.adopts, place.item),
            "approval_paths" => list_offset(&self.approval_paths, place.item),
            "people" => list_offset(&self.people, place.item),
            "evidence" => list_offset(&self.evidence, place.item),
            "people_by_signature" => self.people_by_signature.as_ref().map(|on| on.span().start),
            "proofs" => self.proofs.as_ref().map(|proofs| proofs.span().start),
            "diet.permitted" => {
                diet.and_then(|diet| list_offset(&diet.get_ref().permitted, place.item).or(Some(diet.span().start)))
            }
            "diet.required" => {
                diet.and_then(|diet| list_offset(&diet.get_ref().required, place.item).or(Some(diet.span().start)))
            }
            _ => None,
        }
    }
}

/// What begins with `key_` is a key id and never a label, so that a label can't be chosen to pass for somebody's key.
fn person(name: &Text, resolve: &dyn Fn(&str) -> Option<KeyId>) -> Result<KeyId, Fault> {
    let text = name.get_ref();
    let found = if text.starts_with("key_") {
        text.parse().map_err(PolicyProblem::KeyId)
    } else {
        resolve(text).ok_or_else(|| PolicyProblem::UnknownPerson(text.clone()))
    };
    found.map_err(|problem| (name.span().start, problem))
}

fn number(value: &Option<Spanned<toml::Value>>, of: &'static str) -> Result<Option<u64>, Fault> {
    let Some(value) = value else { return Ok(None) };
    let number = value.get_ref().as_integer().and_then(|number| u64::try_from(number).ok());
    match number.filter(|number| *number <= MOST_PROOFS) {
        Some(number) => Ok(Some(number)),
        None => {
            let shown = match value.get_ref() {
                toml::Value::Integer(number) => number.to_string(),
                other => format!("a {}", other.type_str()),
            };
            Err((value.span().start, PolicyProblem::Count(shown, of)))
        }
    }
}

/// One of a set of words. Through a text, so that a number or table is answered like a wrong word.
fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(value: D) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(value)?;
    T::deserialize(text.into_deserializer()).map(Some)
}

fn texts(list: &List, unless_told: &[&str]) -> Vec<String> {
    match list {
        Some(list) => list.get_ref().iter().map(|text| text.get_ref().clone()).collect(),
        None => unless_told.iter().map(|text| (*text).to_owned()).collect(),
    }
}

fn list_offset(list: &List, item: Option<usize>) -> Option<usize> {
    list.as_ref().and_then(|list| spanned_offset(list, item))
}

fn spanned_offset(list: &Spanned<Vec<Text>>, item: Option<usize>) -> Option<usize> {
    let entry = item.and_then(|item| list.get_ref().get(item));
    Some(entry.map_or(list.span().start, |entry| entry.span().start))
}
