//! How versions follow one another.

use git_boundary::model::digest::Digest;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::trust::TrustDocument;

use super::super::cast::START;
use super::super::vector::Vector;
use super::{BOTH, Chain, first, nothing};

pub fn vectors() -> Vec<Vector> {
    let chain = || Chain::new();
    let other = Chain::from(TrustDocument { expires_at: Some(START), ..first() }, &BOTH);
    let fork = {
        let mut longer = chain().then(nothing, &BOTH).then(nothing, &BOTH);
        let sibling = chain().then(|it| it.expires_at = Some(START), &BOTH);
        longer.lines[1] = sibling.lines[1].clone();
        longer
    };
    let gap = {
        let mut longer = chain().then(nothing, &BOTH).then(nothing, &BOTH);
        longer.lines.remove(1);
        longer
    };
    let swapped = {
        let mut longer = chain().then(nothing, &BOTH);
        longer.lines.swap(0, 1);
        longer
    };
    let pinned = chain().lines[0].digest();
    vec![
        Vector::new("trust/empty.chain", "the trust chain is empty", "no version at all", *b"").given("pin", pinned),
        other
            .vector("version-1-not-pinned", "the trust root is …, pinned is …", "a good root of somebody else's")
            .given("pin", pinned),
        chain().then(|it| it.previous = Some(other.lines[0].digest()), &BOTH).vector(
            "previous-wrong",
            "trust version 2: follows Some(…), the version before it is Some(…)",
            "names another chain's version 1",
        ),
        chain().then(|it| it.previous = None, &BOTH).vector(
            "previous-missing",
            "trust version 2: follows None, the version before it is Some(…)",
            "names none",
        ),
        Chain::from(TrustDocument { previous: Some(Digest([1; 32])), ..first() }, &BOTH).vector(
            "version-1-with-a-previous",
            "trust version 1: follows Some(…), the version before it is None",
            "a first version that follows something",
        ),
        gap.vector("version-gap", "trust version 2: says it is version 3", "version 2 is left out"),
        swapped.vector("versions-swapped", "the trust root is …, pinned is …", "2 in front of 1").given("pin", pinned),
        fork.vector(
            "fork",
            "trust version 3: follows Some(…), the version before it is Some(…)",
            "version 2 is exchanged for a sibling that as many roots signed",
        ),
        chain().then(|it| it.version = 3, &BOTH).vector(
            "version-skipped",
            "trust version 2: says it is version 3",
            "numbered 3 and placed second",
        ),
        chain().then(|it| it.repository = Some(RepositoryId([9; 16])), &BOTH).vector(
            "repository-wrong",
            "trust version 2: is for repository Some(repo_09…), this chain is for Some(…)",
            "another repository's",
        ),
        chain().then(|it| it.repository = None, &BOTH).vector(
            "repository-missing",
            "trust version 2: is for repository None, this chain is for Some(…)",
            "no repository in version 2",
        ),
        Chain::from(TrustDocument { repository: Some(RepositoryId([9; 16])), ..first() }, &BOTH).vector(
            "version-1-with-a-repository",
            "trust version 1: is for repository Some(repo_09…), this chain is for None",
            "version 1 defines the repository and can't name it",
        ),
    ]
}
