//! Options that several commands have, and readers of their values.

use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::duration;
use crate::model::digest::Digest;

/// Which key signs.
#[derive(Debug, Clone, Default, Args)]
pub struct Signing {
    /// Sign with this key: a label, a key id or a path
    #[arg(long, value_name = "key")]
    pub key: Option<String>,
}

/// Whether what was written is published.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Publishing {
    /// Write here only, and push nothing to the remote
    #[arg(long)]
    pub no_publish: bool,
}

/// Which trust is accepted.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Pinning {
    /// Accept only the trust whose first version has this digest
    #[arg(long, value_name = "digest")]
    pub trust_root: Option<Digest>,
    /// Accept no trust document older than this version
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u64).range(1..))]
    pub min_trust_version: Option<u64>,
}

/// A length of time.
pub(super) fn length(text: &str) -> Result<Duration, duration::NotADuration> {
    duration::parse(text)
}

/// One of a closed set of words. The set comes from the model, so the two can't part.
pub(super) fn words<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(move |value| name(*value))).map(move |word| {
        all.iter().copied().find(|value| name(*value) == word).expect("the parser lets only these words through")
    })
}
