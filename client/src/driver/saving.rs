//! The thread of a state file: opens the file before the first ask, and writes it when due, even while
//! the driver waits for its store.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use leafid_core::{Code, StateRecord, StateWrite};
use leafid_state::{Found, Problem, State as File};

use crate::driver::holding::NO_RANDOMNESS;
use crate::driver::state::State;
use crate::driver::{Core, Holding, rest};
use crate::host::{random, thread};
use crate::{Error, log};

/// Starts the thread if the generator keeps a state file that is not open yet.
pub fn spawn(holding: &Arc<Holding>) -> io::Result<()> {
    {
        let mut state = holding.lock();
        if state.saving || !state.unopened {
            return Ok(());
        }
        state.saving = true;
        holding.has_file.store(true, Ordering::Release);
    }
    let (name, own) = (format!("leafid state {}", holding.config.subject()), Arc::clone(holding));
    let run = move || {
        save(&own);
        own.change(|state| state.saving = false);
    };
    thread::spawn(name, run).map(drop).inspect_err(|_| holding.lock().saving = false)
}

/// Keeps the file until the generator is closed, or the file turns out to be unusable.
fn save(holding: &Holding) {
    let Some((path, namespace)) = holding.config.state() else { return };
    let opened = open(holding, path, namespace);
    let Some(mut file) = holding.change(|state| state.opened(opened)) else { return };
    while let Some(write) = holding.next_write() {
        let written = put(&mut file, &write);
        if !holding.change(|state| state.wrote(written)) {
            break;
        }
    }
}

/// Opens the file, and lets the generator continue from its record. A record of another generator, or from
/// before `forget`, is dropped.
fn open(
    holding: &Holding,
    path: &Path,
    namespace: &str,
) -> Result<(File, Option<Problem>), Problem> {
    let (file, found) = File::open(path, namespace)?;
    let (record, said) = match found {
        Found::Right(record) => (Some(*record), None),
        Found::Nothing => (None, None),
        Found::Ignored(problem) => (None, Some(problem)),
    };
    let is_forgotten = record.is_some() && holding.lock().forgotten;
    if !is_forgotten && holding.keeps(record) {
        return Ok((file, said));
    }
    let (file, refused) = file.refuse()?;
    holding.keeps(None);
    Ok((file, (!is_forgotten).then_some(refused)))
}

#[cfg(not(feature = "unguarded"))]
fn put(file: &mut File, write: &StateWrite) -> Result<(), Problem> {
    file.write(write)
}

/// A control for the tests: writes only once, so that a restart hands out IDs again.
#[cfg(feature = "unguarded")]
fn put(file: &mut File, write: &StateWrite) -> Result<(), Problem> {
    static FIRST: std::sync::Once = std::sync::Once::new();
    let mut written = Ok(());
    FIRST.call_once(|| written = file.write(write));
    written
}

impl Holding {
    /// Lets the generator continue from its file's record; false if that belongs to another generator. A
    /// generator that was closed meanwhile leaves the file unchanged.
    fn keeps(&self, found: Option<StateRecord>) -> bool {
        let now = self.clock.exact();
        let Core::Snowflake(core) = &mut self.lock().core else { return true };
        !core.keep(found, now).is_err_and(|refusal| refusal.code == Code::StateInvalid)
    }

    /// Waits for the next write; `None` when there will be none.
    fn next_write(&self) -> Option<StateWrite> {
        let mut state = self.lock();
        loop {
            let Ok(entropy) = random::entropy() else {
                state = rest(&self.saver_called, state, Some(NO_RANDOMNESS));
                continue;
            };
            let write = state.write(entropy);
            self.publish(&state);
            if write.is_some() {
                return write;
            }
            if state.closing {
                return None;
            }
            if state.wants_driver() {
                self.wake_driver();
            }
            let most = state.look_in();
            state = rest(&self.saver_called, state, most);
        }
    }
}

impl State {
    /// Takes the opened file, or why there is none: from now on the store may be asked.
    fn opened(&mut self, opened: Result<(File, Option<Problem>), Problem>) -> Option<File> {
        self.unopened = false;
        self.answers += 1;
        let (file, said) = match opened {
            Ok((file, said)) => (Some(file), said),
            Err(problem) if problem.code == Code::StateLocked => (None, Some(problem)),
            Err(problem) => {
                self.unkept = Some(Error::new(problem.code, problem.message));
                (None, None)
            }
        };
        self.said.extend(said.map(|problem| problem.message));
        file
    }

    /// Takes the result of a write; whether to go on.
    fn wrote(&mut self, written: Result<(), Problem>) -> bool {
        self.answers += 1;
        let goes_on = written.is_ok() || !self.closing;
        let is_news = self.written(written.is_ok());
        if let Some(problem) = written.err().filter(|_| is_news) {
            let (about, code) = (self.config.subject(), problem.code.as_str());
            let message = format!("{about}: {code}: {}", problem.abandoned());
            // Without a log, the next caller that waits issues a warning.
            match log::is_read() {
                true => self.noted.push((true, message)),
                false => self.said.push(message),
            }
        }
        goes_on
    }
}
