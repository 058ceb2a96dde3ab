//! State files: the verbs of `leafid-state`, each for a generator's handle.
//!
//! A write is begun by `poll`, made in the thread pool (`stateRun`) or in this thread
//! (`stateRunNow`), whichever comes first, and then reported to the generator (`stateSettle`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Code, Event, Outcome, StateRecord, StateWrite};
use leafid_state::{Found, Problem, State};
use napi::bindgen_prelude::{AsyncTask, Env, Object};
use napi::{Result, Task};
use napi_derive::napi;

use crate::HANDLES;
use crate::object::{Given, Maybe, answer, host, maybe};

/// A file, and the write under way.
struct Kept {
    file: State,
    job: Option<StateWrite>,
    done: Option<std::result::Result<(), Problem>>,
}

type Shared = Arc<Mutex<Kept>>;

thread_local! {
    static FILES: RefCell<BTreeMap<u32, Shared>> = const { RefCell::new(BTreeMap::new()) };
}

fn file(handle: u32) -> Option<Shared> {
    FILES.with(|files| files.borrow().get(&handle).cloned())
}

/// Makes the write, unless it was made already.
fn run(shared: &Shared) {
    let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(job) = kept.job.take() {
        kept.done = Some(kept.file.write(&job));
    }
}

/// The absolute path, which stays valid if the process changes its folder; `null` for none.
#[napi]
pub fn state_path(path: String) -> Option<String> {
    let path = std::path::absolute(PathBuf::from(path)).ok()?;
    path.into_os_string().into_string().ok()
}

/// Opens a generator's file and takes over the right in it: `{}`, with a warning as `said` if the file
/// was ignored; or `{ code, message }` if it could not be opened.
#[napi(ts_return_type = "object")]
pub fn state_open<'e>(env: &'e Env, handle: u32, path: String, now: f64) -> Given<'e> {
    let mut told = Object::new(env)?;
    match open(handle, Path::new(&path), now) {
        Ok(None) => {}
        Ok(Some(Problem { message, .. })) | Err(Problem { code: Code::StateLocked, message }) => {
            told.set("said", message)?;
        }
        Err(problem) => tell(&mut told, &problem)?,
    }
    Ok(told)
}

fn tell(told: &mut Object<'_>, Problem { code, message }: &Problem) -> Result<()> {
    told.set("code", code.as_str())?;
    told.set("message", message.as_str())
}

fn open(handle: u32, path: &Path, now: f64) -> std::result::Result<Option<Problem>, Problem> {
    let namespace = HANDLES.with(|all| all.snowflake(handle, |ids| ids.namespace().to_owned()));
    let (mut file, found) = State::open(path, &namespace.unwrap_or_default())?;
    let (record, mut said) = match found {
        Found::Right(record) => (Some(*record), None),
        Found::Nothing => (None, None),
        Found::Ignored(problem) => (None, Some(problem)),
    };
    if refuses(handle, record, now) {
        let problem;
        (file, problem) = file.refuse()?;
        refuses(handle, None, now);
        said = Some(problem);
    }
    let kept = Kept { file, job: None, done: None };
    FILES.with(|files| files.borrow_mut().insert(handle, Arc::new(Mutex::new(kept))));
    Ok(said)
}

/// Has the generator take over the right in the file; whether it belongs to another generator.
fn refuses(handle: u32, found: Option<StateRecord>, now: f64) -> bool {
    let keep = |ids: &mut leafid_core::Snowflake| ids.keep(found, host(now));
    let kept = HANDLES.with(|all| all.snowflake(handle, keep));
    kept.is_some_and(|kept| kept.is_err_and(|refusal| refusal.code == Code::StateInvalid))
}

/// Notes the next write to make.
pub fn begin(handle: u32, write: StateWrite) {
    if let Some(shared) = file(handle) {
        shared.lock().unwrap_or_else(PoisonError::into_inner).job = Some(write);
    }
}

/// A write for the thread pool.
pub struct Save(Option<Shared>);

impl Task for Save {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> Result<()> {
        // Dropped here, so that the file is free as soon as its generator is closed.
        if let Some(shared) = self.0.take() {
            run(&shared);
        }
        Ok(())
    }

    fn resolve(&mut self, _: Env, (): ()) -> Result<()> {
        Ok(())
    }
}

/// Makes the write that was begun, in the thread pool.
#[napi(ts_return_type = "Promise<void> | null")]
pub fn state_run(handle: u32) -> Option<AsyncTask<Save>> {
    file(handle).map(|shared| AsyncTask::new(Save(Some(shared))))
}

/// Makes it in this thread, unless the thread pool has.
#[napi]
pub fn state_run_now(handle: u32) {
    if let Some(shared) = file(handle) {
        run(&shared);
    }
}

/// Reports a finished write to the generator: `release` is to be sent, if there is one;
/// `{ code, message }` is why the write failed, with `said`, once, if the file is abandoned.
#[napi(ts_return_type = "object")]
pub fn state_settle<'e>(env: &'e Env, handle: u32, now: f64) -> Given<'e> {
    let mut told = Object::new(env)?;
    let Some(shared) = file(handle) else { return Ok(told) };
    let done = shared.lock().unwrap_or_else(PoisonError::into_inner).done.take();
    let Some(done) = done else { return Ok(told) };
    let event = if done.is_ok() { Event::Written } else { Event::NotWritten };
    let outcome = HANDLES.with(|all| all.handle(handle, event, host(now)));
    if let Ok(Outcome::Release(release)) = outcome {
        told.set("release", answer(env, Ok(release))?)?;
    }
    if let Err(problem) = done {
        if outcome == Ok(Outcome::Applied) {
            told.set("said", problem.abandoned())?;
        }
        tell(&mut told, &problem)?;
    }
    Ok(told)
}

/// Stops for good, and gives back what the file keeps. Returns the release to send, or `null`, as it
/// may come with the next write instead.
#[napi(ts_return_type = "object | null")]
pub fn state_give_up<'e>(env: &'e Env, handle: u32) -> Maybe<'e> {
    maybe(env, HANDLES.with(|all| all.give_up(handle)))
}

/// Closes the file, so that another process may lock it.
#[napi]
pub fn state_close(handle: u32) {
    FILES.with(|files| files.borrow_mut().remove(&handle));
}
