//! State files and journals in Node: WebAssembly cannot lock a file, nor close it in children. Each file is named by a
//! key of the caller's, and its content crosses as bytes of `leafid_bindings::state_bytes`.
//!
//! A write is begun (`begin`), made in the thread pool or in this thread (`finish`), whichever comes first, and
//! its outcome is returned by `finish`. No function throws: a problem is `{ code, message }`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leafid_bindings::state_bytes;
use leafid_core::{StateWrite, Token};
use leafid_state::{Found, Problem, State, journal};
use napi::bindgen_prelude::{AsyncTask, Env, Uint8Array};
use napi::{Result, Task};
use napi_derive::napi;

/// A file, and the write under way.
struct Kept {
    /// Until it is closed: a write in the thread pool may come later.
    file: Option<State>,
    job: Option<StateWrite>,
    done: Option<std::result::Result<(), Problem>>,
}

type Shared = Arc<Mutex<Kept>>;

thread_local! {
    /// The files of this thread; each worker thread has its own.
    static FILES: RefCell<BTreeMap<u32, Shared>> = const { RefCell::new(BTreeMap::new()) };
}

/// The result of a verb: a problem with its `code`, a warning without one, or nothing.
#[derive(Default)]
#[napi(object)]
pub struct Told {
    /// `STATE_LOCKED`, `STATE_INVALID` or `NOT_ENABLED`.
    pub code: Option<String>,
    /// The message: the event, and the advice.
    pub message: Option<String>,
    /// The message of a failed write, with what follows if the file is abandoned.
    pub abandoned: Option<String>,
    /// The right in a file that was opened.
    pub right: Option<Uint8Array>,
    /// The absolute path of a journal's folder, or what it knows of the rows that a note is about.
    pub text: Option<String>,
}

impl From<Problem> for Told {
    fn from(problem: Problem) -> Told {
        Told {
            code: Some(problem.code.as_str().to_owned()),
            abandoned: Some(problem.abandoned()),
            message: Some(problem.message),
            ..Told::default()
        }
    }
}

/// The version of this add-on, compared with the package's own when it is loaded.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The absolute path, which stays valid if the process changes its folder; `null` for none.
#[napi]
pub fn absolute(path: String) -> Option<String> {
    std::path::absolute(path).ok()?.into_os_string().into_string().ok()
}

/// Opens a file and locks it: tells the right in it, or a warning if that is ignored, or why there is no
/// file.
#[napi]
pub fn open(key: u32, path: String, namespace: String) -> Told {
    match State::open(Path::new(&path), &namespace) {
        Err(problem) => problem.into(),
        Ok((file, found)) => {
            keep(key, file);
            match found {
                Found::Nothing => Told::default(),
                Found::Right(record) => {
                    let right = state_bytes::to_bytes(&StateWrite::Record(*record));
                    Told { right: Some(right.to_vec().into()), ..Told::default() }
                }
                Found::Ignored(problem) => warning(problem),
            }
        }
    }
}

/// Empties a file that was just opened, as its right is of another generator: tells a warning, or why
/// there is no file.
#[napi]
pub fn refuse(key: u32) -> Told {
    let opened = file(key).and_then(|shared| locked(&shared).file.take());
    match opened.map(State::refuse) {
        None => Told::default(),
        Some(Err(problem)) => problem.into(),
        Some(Ok((file, problem))) => {
            keep(key, file);
            warning(problem)
        }
    }
}

fn keep(key: u32, file: State) {
    let kept = Kept { file: Some(file), job: None, done: None };
    FILES.with(|files| files.borrow_mut().insert(key, Arc::new(Mutex::new(kept))));
}

fn file(key: u32) -> Option<Shared> {
    FILES.with(|files| files.borrow().get(&key).cloned())
}

fn locked(shared: &Shared) -> MutexGuard<'_, Kept> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn warning(problem: Problem) -> Told {
    Told { message: Some(problem.message), ..Told::default() }
}

/// Makes the write, unless it was made already.
fn written(shared: &Shared) -> MutexGuard<'_, Kept> {
    let mut kept = locked(shared);
    if let Some(job) = kept.job.take() {
        kept.done = kept.file.as_mut().map(|file| file.write(&job));
    }
    kept
}

/// A write for the thread pool.
pub struct Save(Shared);

impl Task for Save {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> Result<()> {
        drop(written(&self.0));
        Ok(())
    }

    fn resolve(&mut self, _: Env, (): ()) -> Result<()> {
        Ok(())
    }
}

/// Begins a write, in the thread pool.
#[napi(ts_return_type = "Promise<void> | null")]
pub fn begin(key: u32, write: &[u8]) -> Option<AsyncTask<Save>> {
    let shared = file(key)?;
    locked(&shared).job = Some(state_bytes::from_bytes(write));
    Some(AsyncTask::new(Save(shared)))
}

/// Makes the write that was begun, unless the thread pool has; tells its problem, if there is one. `null` if
/// no write was begun.
#[napi]
pub fn finish(key: u32) -> Option<Told> {
    let done = file(key).and_then(|shared| written(&shared).done.take());
    done.map(|done| done.err().map_or_else(Told::default, Told::from))
}

/// Closes a file, so that another process may lock it.
#[napi]
pub fn close(key: u32) {
    if let Some(shared) = FILES.with(|files| files.borrow_mut().remove(&key)) {
        locked(&shared).file = None;
    }
}

/// The absolute path of a folder for journals, as a text.
#[napi]
pub fn journal(folder: String) -> Told {
    let text = journal::folder(Path::new(&folder)).map(|path| path.to_str().map(str::to_owned));
    text.map_or_else(Told::from, |text| Told { text, ..Told::default() })
}

/// A note for the thread pool.
pub struct Note {
    folder: String,
    store: Token,
    changes: String,
}

impl Task for Note {
    type Output = Told;
    type JsValue = Told;

    fn compute(&mut self) -> Result<Told> {
        let text = journal::note(Path::new(&self.folder), self.store, &self.changes);
        Ok(text.map_or_else(Told::from, |text| Told { text, ..Told::default() }))
    }

    fn resolve(&mut self, _: Env, told: Told) -> Result<Told> {
        Ok(told)
    }
}

/// Notes changes of a store in the journal in this folder; tells what is known of their rows if they begin below it.
#[napi(ts_return_type = "Promise<Told>")]
pub fn note(folder: String, store: String, changes: String) -> AsyncTask<Note> {
    // The engine has read it before.
    let store = Token::parse(&store).unwrap_or(Token::new([0; 16]));
    AsyncTask::new(Note { folder, store, changes })
}
