//! Timing: subjects take turns, so that whatever else the machine does is shared among them.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One thing that is timed, a repetition at a time.
pub struct Trial<'a> {
    name: &'static str,
    run: Box<dyn FnMut(usize) -> Duration + 'a>,
    times: Vec<Duration>,
}

/// Trials by name.
#[derive(Default)]
pub struct Trials<'a> {
    all: Vec<Trial<'a>>,
    only: Vec<String>,
}

impl<'a> Trials<'a> {
    /// Trials whose names have one of these words; all, where there are none.
    pub fn of(only: Vec<String>) -> Self {
        Trials { all: Vec::new(), only }
    }

    /// Whether nothing is left out.
    pub fn whole(&self) -> bool {
        self.only.is_empty()
    }

    /// Whether a trial was added.
    pub fn has(&self, name: &str) -> bool {
        self.all.iter().any(|trial| trial.name == name)
    }

    /// Adds one. `run` is given the number of the repetition and returns how long the timed part of it took.
    pub fn add(&mut self, name: &'static str, run: impl FnMut(usize) -> Duration + 'a) {
        if self.whole() || self.only.iter().any(|word| name.contains(word.as_str())) {
            self.all.push(Trial { name, run: Box::new(run), times: Vec::new() });
        }
    }

    /// Runs each in turn, `repetitions` times. The first round warms the system's own caches and is not counted.
    pub fn run(&mut self, repetitions: usize) {
        for number in 0..=repetitions {
            for trial in &mut self.all {
                let time = (trial.run)(number);
                if number > 0 {
                    trial.times.push(time);
                }
            }
        }
    }

    /// The median of a trial, in milliseconds.
    pub fn median(&self, name: &str) -> f64 {
        self.quantile(name, 0.5)
    }

    /// A quantile of a trial, in milliseconds.
    pub fn quantile(&self, name: &str, at: f64) -> f64 {
        let trial = self.all.iter().find(|trial| trial.name == name).expect("a trial of that name was added");
        let mut times = trial.times.clone();
        times.sort_unstable();
        let place = ((times.len() - 1) as f64 * at).round() as usize;
        times[place].as_secs_f64() * 1000.0
    }

    /// Names in the order they were added.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|trial| trial.name)
    }
}

/// Runs a process to its end and tells how long that took from before it was started. It must exit with `status`.
pub fn process(mut command: Command, input: &str, status: i32) -> Duration {
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    let started = Instant::now();
    let mut child = command.spawn().expect("the program is there");
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading closes the pipe; an empty hook does.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().expect("it can be waited for");
    let time = started.elapsed();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{command:?}: {}{told}", String::from_utf8_lossy(&output.stdout));
    time
}

/// How long a closure takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}
