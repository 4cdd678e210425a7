//! The answer.

use super::trial::Trials;

struct Claim {
    what: &'static str,
    against: &'static str,
    at_most: Option<f64>,
}

const CLAIMS: [Claim; 13] = [
    Claim { what: "hook, agent branch", against: "empty sh hook", at_most: Some(4.0) },
    Claim { what: "hook, main", against: "empty sh hook", at_most: Some(4.0) },
    Claim { what: "git push with our hook", against: "git push without a hook", at_most: Some(1.05) },
    Claim { what: "hook, main, again", against: "empty sh hook", at_most: None },
    Claim { what: "hook, refused", against: "empty sh hook", at_most: None },
    Claim { what: "hook, main, nothing cached", against: "empty sh hook", at_most: None },
    Claim { what: "hook, agent branch", against: "hook, agent branch, small repository", at_most: None },
    Claim { what: "hook, main", against: "hook, main, small repository", at_most: None },
    Claim { what: "submit --no-publish, 20 commits", against: "git notes add", at_most: None },
    Claim { what: "verify HEAD~1..HEAD", against: "git verify-commit", at_most: Some(1.0) },
    Claim { what: "propose --no-publish", against: "git notes add", at_most: Some(4.0) },
    Claim { what: "append in the library", against: "git notes add", at_most: Some(4.0) },
    Claim { what: "git-boundary --version", against: "empty Rust binary", at_most: Some(2.0) },
];

/// What has to be done within so many milliseconds.
const LIMITS: [(&str, f64); 2] = [("submit --no-publish, 20 commits", 60.0), ("gate alone, 20 commits", 1.0)];

/// Prints every trial's times, and then the ratios of their medians.
pub fn print(trials: &Trials<'_>, repetitions: usize) {
    println!("milliseconds, {repetitions} repetitions in turn            median      10%      90%");
    for name in trials.names() {
        let [low, high] = [0.1, 0.9].map(|at| trials.quantile(name, at));
        println!("  {name:<44} {:>8.3} {low:>8.3} {high:>8.3}", trials.median(name));
    }
    println!("\nratios of medians");
    for claim in CLAIMS.iter().filter(|claim| trials.has(claim.what) && trials.has(claim.against)) {
        let ratio = trials.median(claim.what) / trials.median(claim.against);
        let target = claim.at_most.map_or_else(String::new, |limit| {
            format!("at most {limit:>4.1}  {}", if ratio <= limit { "holds" } else { "MISSED" })
        });
        println!("  {:<31} / {:<38} {ratio:>7.2}  {target}", claim.what, claim.against);
    }
    println!("\nmilliseconds that are to be kept");
    for (what, limit) in LIMITS.into_iter().filter(|(what, _)| trials.has(what)) {
        let median = trials.median(what);
        let kept = if median <= limit { "holds" } else { "MISSED" };
        println!("  {what:<72} {median:>7.2}  at most {limit:>4.1}  {kept}");
    }
}
