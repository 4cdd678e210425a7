//! AHEAD: the lines of many notes looked at on as many threads as there are processors, before anybody asks for the notes.
//!
//! One thread reads, all of them verify. What a line comes to in its note is said later, note by note in the order in which they are
//! asked for, so that no answer depends on how the work was shared.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::error::GatherError;
use super::line::{self, Looked};
use super::session::Session;
use crate::crypto::trust::Trust;
use crate::crypto::verified::{Memory, Question};
use crate::model::id::Oid;
use crate::store::local::KnownLines;
use crate::store::{NoteReading, StoredLine};

/// Fewer notes are looked at as they come: a thread costs as much as a few signatures.
pub const LEAST: usize = 64;
/// So many notes are looked at together.
pub const TOGETHER: usize = 4096;
/// Notes that a thread takes at a time.
const BATCH: usize = 16;
/// No more bytes of lines are held than this and one note.
const MOST_BYTES: usize = 64 << 20;
const MOST_THREADS: usize = 8;

/// A note that was read, each line with what it is by itself.
#[derive(Debug)]
pub struct Ahead {
    /// The note.
    pub reading: NoteReading,
    /// For each of its lines, in order.
    pub looked: Vec<Looked>,
}

struct Task {
    lines: Vec<StoredLine>,
    place: usize,
}

struct Done {
    looked: Vec<Looked>,
    task: Task,
}

/// Reads notes and looks at their lines. Notes in which anybody may write are left out: how much of those is looked at depends on what
/// came before. So are those past a bound of bytes.
///
/// # Errors
/// When the shelves can't be read.
pub fn look_ahead(
    session: &Session<'_>,
    oids: &[Oid],
    known: &mut KnownLines,
) -> Result<BTreeMap<Oid, Ahead>, GatherError> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let trust: &Trust = &session.trust;
    let (sender, receiver) = channel::<Vec<Task>>();
    let receiver = Mutex::new(receiver);
    let done: Mutex<(Vec<Done>, Vec<Question>)> = Mutex::default();
    let remembered = &*known;
    let work = || {
        let (mut all, mut found) = (Vec::new(), Vec::new());
        while let Some(batch) = next(&receiver) {
            let asks = |question: &Question| remembered.contains(question);
            let memory = Memory::new(&asks);
            for task in batch {
                let look = |stored| line::look_remembering(trust, stored, &memory);
                all.push(Done { looked: task.lines.iter().map(look).collect(), task });
            }
            found.extend(memory.into_found());
        }
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.0.extend(all);
        done.1.extend(found);
    };
    let readings = thread::scope(|scope| {
        for _ in 1..processors {
            // Where the system gives no thread, the one that reads does all of it.
            thread::Builder::new().spawn_scoped(scope, work).ok();
        }
        // Dropped on the way out of this closure, whichever that is, which ends the threads.
        let sender = sender;
        let (mut readings, mut batch, mut bytes) = (Vec::new(), Vec::new(), 0);
        for oid in oids {
            if bytes > MOST_BYTES {
                break;
            }
            if session.shelves.is_open_to_anybody(oid) {
                continue;
            }
            let mut reading = session.shelves.read(oid)?;
            let lines = std::mem::take(&mut reading.lines);
            bytes += lines.iter().map(|stored| stored.line.len()).sum::<usize>();
            batch.push(Task { lines, place: readings.len() });
            readings.push((*oid, reading));
            if batch.len() == BATCH {
                sender.send(std::mem::take(&mut batch)).ok();
            }
        }
        sender.send(batch).ok();
        drop(sender);
        work();
        Ok::<_, GatherError>(readings)
    })?;
    let (mut done, found) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    known.add(found);
    done.sort_by_key(|one| one.task.place);
    let notes = readings.into_iter().zip(done);
    let whole = notes.map(|((oid, reading), one)| {
        (oid, Ahead { reading: NoteReading { lines: one.task.lines, ..reading }, looked: one.looked })
    });
    Ok(whole.collect())
}

fn next(receiver: &Mutex<Receiver<Vec<Task>>>) -> Option<Vec<Task>> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
