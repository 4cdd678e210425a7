//! What the project claims about speed, measured: ratios to what git and the system do themselves, all in one run.
//!
//! ```text
//! cargo bench --bench boundary                      # builds its repositories at the first run and keeps them under target/
//! cargo bench --bench boundary -- --repetitions 41
//! cargo bench --bench boundary -- --small           # the small repository alone, for trying out this program
//! cargo bench --bench boundary -- --only hook,push  # only subjects whose names have one of these words
//! cargo bench --bench boundary -- --dir /dev/shm    # somewhere else, for telling the disk's part from ours
//! cargo bench --bench boundary -- --many --repetitions 3       # only this: 100,000 receipts verified, first and again
//! cargo bench --bench boundary -- --writers 50 --receipts 20   # only this: so many clones that write and sync at once
//! cargo bench --bench boundary -- --repetitions 101 --filesystem-server <package>/dist/index.js   # only this: the gateway's tools
//! ```
//!
//! For the last one, `npm install @modelcontextprotocol/server-filesystem` in any directory, of the release that it asks for, and node.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "it measures time and prints what it measured"
)]

mod candidates;
mod gateway;
mod history;
mod many;
mod pushes;
mod receipts;
mod repository;
mod subjects;
mod table;
mod trial;
mod world;
mod writers;

use std::path::PathBuf;

use self::candidates::Candidates;
use self::history::Size;
use self::repository::site;
use self::trial::Trials;

const LARGE: Size = Size { commits: 100_000, pushes: 10_000 };
const SMALL: Size = Size { commits: 1_000, pushes: 100 };

fn main() {
    let options = Options::parse();
    let binary = options.binary.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_git-boundary")));
    let target = options.dir.unwrap_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")));
    if let Some(clones) = options.writers {
        return writers::run(&target, &binary, clones, options.receipts);
    }
    if let Some(theirs) = options.filesystem_server {
        return gateway::run(&target, &binary, &theirs, options.repetitions);
    }
    if options.many {
        return many::run(&target, &binary, options.repetitions);
    }
    let small = site(&target, &binary, SMALL);
    let large = site(&target, &binary, if options.small { SMALL } else { LARGE });
    // Each repetition uses up one candidate, and one more is used up by the round that is not counted.
    let count = options.repetitions + 1;
    let waiting = [Candidates::make(&large, 5 * count), Candidates::make(&small, 2 * count)];
    let long = Candidates::long(&large, count);
    let mut trials = Trials::of(options.only);
    subjects::start(&mut trials, &large);
    subjects::hooks(&mut trials, &large, &waiting[0], &small, &waiting[1], count);
    pushes::pushes(&mut trials, &large, &waiting[0], count);
    subjects::submit(&mut trials, &large, &long);
    subjects::verify(&mut trials, &large);
    subjects::record(&mut trials, &large, &waiting[0]);
    trials.run(options.repetitions);
    table::print(&trials, options.repetitions);
    if trials.whole() {
        subjects::whole_history(&[(&small, SMALL), (&large, if options.small { SMALL } else { LARGE })]);
    }
}

struct Options {
    repetitions: usize,
    small: bool,
    many: bool,
    /// Words of which a subject's name has to have one; none for all.
    only: Vec<String>,
    writers: Option<usize>,
    receipts: usize,
    /// The program of the protocol's own filesystem server.
    filesystem_server: Option<PathBuf>,
    binary: Option<PathBuf>,
    dir: Option<PathBuf>,
}

impl Options {
    fn parse() -> Self {
        let mut options = Options {
            repetitions: 21,
            small: false,
            many: false,
            only: Vec::new(),
            writers: None,
            receipts: 20,
            filesystem_server: None,
            binary: None,
            dir: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--repetitions" => options.repetitions = number(&word, words.next()),
                "--only" => {
                    let words = words.next().expect("--only takes words with commas between them");
                    options.only = words.split(',').map(str::to_owned).collect();
                }
                "--writers" => options.writers = Some(number(&word, words.next())),
                "--receipts" => options.receipts = number(&word, words.next()),
                "--small" => options.small = true,
                "--many" => options.many = true,
                "--filesystem-server" => {
                    options.filesystem_server = Some(words.next().expect("--filesystem-server takes a path").into());
                }
                "--binary" => options.binary = Some(words.next().expect("--binary takes a path").into()),
                "--dir" => options.dir = Some(words.next().expect("--dir takes a path").into()),
                // cargo itself says this to every benchmark.
                "--bench" => {}
                other => panic!(
                    "unknown option {other:?}: --repetitions <n>, --small, --many, --only <words>, --writers <n>, --receipts <n>, \
                     --filesystem-server <path>, --binary <path>, --dir <path>"
                ),
            }
        }
        options
    }
}

fn number(option: &str, word: Option<String>) -> usize {
    let number = word.and_then(|word| word.parse().ok()).filter(|number| *number > 0);
    number.unwrap_or_else(|| panic!("{option} takes a number of at least 1"))
}
