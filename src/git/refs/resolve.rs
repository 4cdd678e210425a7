//! What people type for a revision: which commit it is, and which ref.

use super::{RefError, full_name};
use crate::git::repository::Repository;
use crate::model::id::Oid;

/// The two sides of `from..to` as typed; an empty side is `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeEnds {
    /// What is left out, with all its history.
    pub from: String,
    /// What is wanted.
    pub to: String,
}

impl RangeEnds {
    /// Splits `a..b`; `None` for anything else, `a...b` included.
    pub fn split(text: &str) -> Option<Self> {
        let (from, to) = text.split_once("..").filter(|(_, to)| !to.starts_with('.') && !to.contains(".."))?;
        let or_head = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
        Some(RangeEnds { from: or_head(from), to: or_head(to) })
    }
}

impl Repository {
    /// The commit that a revision names, annotated tags peeled.
    ///
    /// A name that could be several refs is refused, where git would warn and take the tag: an answer about the wrong
    /// branch is worse than none.
    ///
    /// # Errors
    /// [`RefError::Unknown`], [`RefError::Ambiguous`], or a ref or object that cannot be read.
    pub fn resolve_commit(&self, rev: &str) -> Result<Oid, RefError> {
        let unknown = || RefError::Unknown { rev: rev.to_owned() };
        if rev.is_empty() || rev.starts_with('-') || rev.contains(['\n', '\0']) {
            return Err(unknown());
        }
        if let Some(oid) = rev.parse::<Oid>().ok().filter(|oid| self.object_format().fits(oid)) {
            return if self.contains(&oid) { self.peel_to_commit(&oid)?.ok_or_else(unknown) } else { Err(unknown()) };
        }
        let base = base(rev);
        let named = self.one_candidate(base)?;
        if base == rev
            && let Some(name) = named
        {
            let oid = self.find_ref(&name)?.ok_or_else(unknown)?;
            return self.peel_to_commit(&oid)?.ok_or_else(unknown);
        }
        self.resolve_by_git(rev)
    }

    /// Both ends of `a..b`, resolved; `None` when the text is no such range.
    ///
    /// # Errors
    /// As [`Self::resolve_commit`].
    pub fn resolve_range(&self, text: &str) -> Result<Option<(Oid, Oid)>, RefError> {
        match RangeEnds::split(text) {
            None => Ok(None),
            Some(ends) => Ok(Some((self.resolve_commit(&ends.from)?, self.resolve_commit(&ends.to)?))),
        }
    }

    /// The full name of the ref that a revision names as it is: `main` is `refs/heads/main`, `origin/main` is
    /// `refs/remotes/origin/main`, `HEAD` the branch it is on. `None` for ids, `x~1` and a detached `HEAD`.
    ///
    /// # Errors
    /// [`RefError::Ambiguous`], or a ref that cannot be read.
    pub fn full_ref_name(&self, rev: &str) -> Result<Option<String>, RefError> {
        if rev.starts_with('-') {
            return Ok(None);
        }
        if rev.contains("@{") && base(rev) != rev {
            let output = self.git_local(["rev-parse", "--verify", "--quiet", "--symbolic-full-name", rev]).output()?;
            return Ok(output.lines().next().filter(|name| output.status.success() && name.starts_with("refs/")));
        }
        let Some(mut name) = self.one_candidate(rev)? else { return Ok(None) };
        for _ in 0..6 {
            match self.symbolic_target(&name)? {
                Some(next) => name = next,
                None => break,
            }
        }
        Ok(Some(name).filter(|name| name != "HEAD"))
    }

    /// The one ref this short or full name stands for.
    fn one_candidate(&self, name: &str) -> Result<Option<String>, RefError> {
        let name = if name == "@" { "HEAD" } else { name };
        if name == "HEAD" {
            return Ok(Some(name.to_owned()));
        }
        let mut found = Vec::new();
        for (before, after) in [
            ("", ""),
            ("refs/", ""),
            ("refs/tags/", ""),
            ("refs/heads/", ""),
            ("refs/remotes/", ""),
            ("refs/remotes/", "/HEAD"),
        ] {
            let full = format!("{before}{name}{after}");
            if full.starts_with("refs/") && full_name(&full).is_ok() && self.find_ref(&full)?.is_some() {
                found.push(full);
            }
        }
        if found.len() > 1 {
            return Err(RefError::Ambiguous { rev: name.to_owned(), candidates: found });
        }
        Ok(found.pop())
    }

    fn symbolic_target(&self, name: &str) -> Result<Option<String>, RefError> {
        if self.file_refs().is_none() {
            return self.symbolic_ref_by_git(name);
        }
        match self.target(full_name(name)?.as_ref())? {
            Some(gix::refs::Target::Symbolic(target)) => Ok(Some(target.to_string())),
            _ => Ok(None),
        }
    }

    /// Everything else that git understands: `main~3`, `v1.0^{}`, abbreviated ids, `@{upstream}`, `:/text`.
    fn resolve_by_git(&self, rev: &str) -> Result<Oid, RefError> {
        // The second line is asked because git does not say of the first one that it is ambiguous.
        let input = format!("{rev}^{{commit}}\n{}\n", base(rev)).into_bytes();
        let output = self.git_local(["cat-file", "--batch-check=%(objectname)"]).input(input).output()?;
        let mut answers = output.lines();
        let answer = answers.next().unwrap_or_default();
        if let Ok(oid) = answer.parse::<Oid>() {
            // The bytes of the commit are looked at again; git's word is taken for the name only.
            return self.peel_to_commit(&oid)?.ok_or_else(|| RefError::Unknown { rev: rev.to_owned() });
        }
        if answers.any(|answer| answer.ends_with(" ambiguous")) {
            return Err(RefError::Ambiguous { rev: rev.to_owned(), candidates: Vec::new() });
        }
        Err(RefError::Unknown { rev: rev.to_owned() })
    }
}

/// The part of a revision that may be a ref name: up to the first `^`, `~`, `:` or `@{`.
fn base(rev: &str) -> &str {
    let end = [rev.find(['^', '~', ':']), rev.find("@{")].into_iter().flatten().min().unwrap_or(rev.len());
    &rev[..end]
}
