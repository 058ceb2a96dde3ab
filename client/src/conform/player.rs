//! Plays cases on a store, and records every grant.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leafid_core::{AcquireAsk, Ask, Code, Grant, Release, RenewAsk, SegmentAsk, Token};
use leafid_wire::{Fields, Reader, Writer};
use serde_json::{Map, Value, json};

use super::{DATA, Means};
use crate::Error;
use crate::host::{self, random};
use crate::stores::Transport;

/// The difference between the clocks of a store's servers that is tolerated, in ms.
const APART_MS: i64 = 1_000;
/// The most waits for a worker number, or repeats of a request to an overloaded store.
const TRIES: usize = 10;

/// Why a case ends early.
pub enum Stop {
    /// It cannot be played on this store.
    Skipped,
    Failed(String),
}

type Env = Map<String, Value>;

pub struct Player {
    pub means: Means,
    found: Mutex<Found>,
}

/// Every range granted since the first case, by its tag or worker number, with its key; and the latest time.
#[derive(Default)]
struct Found {
    granted: Vec<(String, String, i64, i64)>,
    held: Vec<Value>,
    latest_ms: i64,
}

impl Player {
    pub fn new(means: Means) -> Player {
        Player { means, found: Mutex::default() }
    }

    fn connect(&self, again: bool) -> Result<Box<dyn Transport>, Stop> {
        (self.means.connect)(again).map_err(|error| Stop::Failed(error.to_string()))
    }

    /// Plays steps over a connection of their own.
    pub fn case(self: &Arc<Self>, steps: &'static [Value], env: &mut Env) -> Result<(), Stop> {
        self.steps(&mut *self.connect(false)?, steps, env)
    }

    fn steps(
        self: &Arc<Self>,
        store: &mut dyn Transport,
        steps: &'static [Value],
        env: &mut Env,
    ) -> Result<(), Stop> {
        for step in steps {
            if step.get("that").is_some() {
                self.that(step, env)?;
            } else if let Some(ms) = step.get("pass") {
                (self.means.pass)(number(&self.value(ms, env)?));
            } else if let Some(count) = step["repeat"].as_u64() {
                for _ in 0..count {
                    self.steps(store, list(&step["steps"]), env)?;
                }
            } else if let Some(count) = step["at_once"].as_u64() {
                self.at_once(count, list(&step["steps"]), env)?;
            } else {
                self.ask(store, step, env)?;
            }
        }
        Ok(())
    }

    fn at_once(
        self: &Arc<Self>,
        count: u64,
        steps: &'static [Value],
        env: &Env,
    ) -> Result<(), Stop> {
        let (send, ends) = mpsc::channel();
        for _ in 0..count {
            let (own, mut env, send) = (Arc::clone(self), env.clone(), send.clone());
            let run = move || {
                (own.means.host)(&mut || drop(send.send(own.case(steps, &mut env))));
            };
            // Without a thread there is no end, as where one panics.
            let _ = host::thread::spawn("leafid conform", run);
        }
        drop(send);
        let patience = self.means.patience;
        let failed = |why| {
            Stop::Failed(match why {
                RecvTimeoutError::Timeout => {
                    format!("it does not answer within {} s", patience.as_secs_f64())
                }
                RecvTimeoutError::Disconnected => "the store panicked".to_owned(),
            })
        };
        let ends: Vec<_> = (0..count)
            .map(|_| ends.recv_timeout(patience).map_err(failed))
            .collect::<Result<_, Stop>>()?;
        ends.into_iter().collect()
    }

    fn that(&self, check: &Value, env: &Env) -> Result<(), Stop> {
        if self.value(&check["that"], env)? == Value::Bool(true) {
            return Ok(());
        }
        let that = check["that"].as_str().unwrap_or_default();
        let mut parts = that.rsplitn(3, ' ');
        let (right, _, left) = (parts.next(), parts.next(), parts.next());
        let shown = |said: Option<&str>| {
            self.value(&json!(said.unwrap_or_default()), env).map(|value| value.to_string())
        };
        let (left, right) = (shown(left)?, shown(right)?);
        let what = check["else"].as_str().unwrap_or_default();
        Err(Stop::Failed(format!("{what}, got {left} and {right}")))
    }

    /// The value of a text with `$`: operators apply from left to right.
    fn value(&self, said: &Value, env: &Env) -> Result<Value, Stop> {
        if let Value::Object(fields) = said {
            let values =
                fields.iter().map(|(name, value)| Ok((name.clone(), self.value(value, env)?)));
            return values.collect::<Result<Map<_, _>, Stop>>().map(Value::Object);
        }
        let Value::String(text) = said else { return Ok(said.clone()) };
        let mut parts = text.rsplitn(3, ' ');
        if let (Some(right), Some(name), Some(left)) = (parts.next(), parts.next(), parts.next()) {
            let (left, right) = (self.value(&json!(left), env)?, self.value(&json!(right), env)?);
            return Ok(operated(name, &left, &right));
        }
        let Some(path) = text.strip_prefix('$') else { return Ok(json!(number(said))) };
        let held = self.found().held.len();
        let mut found = match path.split('.').next() {
            Some("fresh") => json!(token()),
            Some("unknown") => json!(format!("conform-{}", token())),
            Some("held") => json!(held),
            Some(name) => env.get(name).cloned().ok_or_else(|| lacks(name, env))?,
            None => Value::Null,
        };
        for name in path.split('.').skip(1) {
            found = found.get(name).cloned().ok_or_else(|| lacks(name, &found))?;
        }
        Ok(found)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, store: &mut dyn Transport, step: &Value, env: &mut Env) -> Result<(), Stop> {
        let mut asks = DATA["asks"].as_object().into_iter().flatten();
        let Some((verb, usual)) = asks.find(|(verb, _)| step.get(verb).is_some()) else {
            return Err(Stop::Failed(format!("no such step: {step}")));
        };
        let mut ask = usual.as_object().cloned().unwrap_or_default();
        ask.extend(step[verb].as_object().cloned().unwrap_or_default());
        let mut with = env.clone();
        with.insert(
            "of".to_owned(),
            env.get(step["of"].as_str().unwrap_or("")).cloned().unwrap_or_default(),
        );
        let ask = self.value(&Value::Object(ask), &with)?;
        let (refused, or) = (step["refused"].as_str(), step["or"].as_str());
        let name = step["as"].as_str().unwrap_or_default().to_owned();
        let before_ms = self.found().latest_ms - APART_MS;
        let mut other = step.get("again").map(|_| self.connect(true)).transpose()?;
        let store = other.as_deref_mut().unwrap_or(store);
        for left in (0..TRIES).rev() {
            let error = match asked(store, verb, &ask) {
                Ok(answer) if refused.is_none() => {
                    let answer = self.noted(verb, &ask, answer, before_ms, env)?;
                    env.insert(name, answer);
                    return Ok(());
                }
                Ok(_) if step.get("granted").is_some() => return Err(Stop::Skipped),
                Ok(answer) => {
                    let refused = refused.unwrap_or_default();
                    let what =
                        format!("`{verb}` was granted, not refused with {refused}: {answer}");
                    return Err(Stop::Failed(what));
                }
                Err(error) => error,
            };
            let (code, wait_ms) = (error.code().as_str(), error.retry().1.unwrap_or(0));
            if Some(code) == refused || Some(code) == or {
                env.insert(name, json!({ "wait_ms": wait_ms }));
                return Ok(());
            }
            if error.code() == Code::GrantInvalid {
                return Err(Stop::Failed(error.to_string()));
            }
            let is_busy = code == "OVERLOADED" || code == "WORKERS_EXHAUSTED" && refused.is_none();
            if left == 0 || !is_busy {
                let must = refused.unwrap_or("granted");
                let what = format!("`{verb}` was refused with {code}: {error}; it must be {must}");
                return Err(Stop::Failed(what));
            }
            (self.means.pass)(i64::from(wait_ms) + 10);
        }
        Ok(())
    }

    /// Records a grant, and checks that it overlaps no other key's, and that time has not gone back.
    fn noted(
        &self,
        verb: &str,
        ask: &Value,
        answer: Value,
        before_ms: i64,
        env: &Env,
    ) -> Result<Value, Stop> {
        let field = if matches!(verb, "lease_segment" | "acquire") { "request" } else { "key" };
        let key = ask[field].as_str().unwrap_or_default().to_owned();
        let mut found = self.found();
        if verb == "release" {
            let unused_from = number(&ask["unused_from"]);
            let of_key = found.granted.iter_mut().filter(|(_, had, ..)| *had == key);
            of_key.for_each(|(.., end)| *end = (*end).min(unused_from));
            return Ok(json!({}));
        }
        let (start, end) = (number(&answer["start"]), number(&answer["end"]));
        found.latest_ms = found.latest_ms.max(number(&answer["now_ms"]));
        let line = match verb {
            "lease_segment" => format!("tag {}", answer["tag"]),
            _ => format!("worker {}", answer["worker"]),
        };
        for (other, had, from, until) in &found.granted {
            if *other == line && *had != key && (*from).max(start) < (*until).min(end) {
                let what = format!(
                    "{line} {from}..{until} and {start}..{end} overlap: the same IDs twice"
                );
                return Err(Stop::Failed(what));
            }
        }
        found.granted.push((line, key, start, end));
        if verb == "acquire" {
            found.held.push(answer.clone());
        }
        drop(found);
        let mut of = env.clone();
        of.insert("before_ms".to_owned(), json!(before_ms));
        of.insert("ask".to_owned(), ask.clone());
        of.insert("answer".to_owned(), answer.clone());
        list(&DATA["answers"][verb]).iter().try_for_each(|check| self.that(check, &of))?;
        Ok(answer)
    }

    /// Gives windows back: their numbers are free for the next case.
    pub fn give_back(&self, env: &Env) {
        let held = std::mem::take(&mut self.found().held);
        for window in held.into_iter().rev() {
            let mut with = env.clone();
            with.insert("w".to_owned(), window);
            // It may have been given back already, or have ended.
            let release = json!({ "release": {}, "of": "w" });
            let _ = self
                .connect(false)
                .and_then(|mut store| self.ask(&mut *store, &release, &mut with));
        }
    }
}

/// Carries out an ask; gives the fields of the answer, with whole numbers for those that JSON has as texts.
fn asked(store: &mut dyn Transport, verb: &str, ask: &Value) -> Result<Value, Error> {
    let mut fields = ask.as_object().cloned().unwrap_or_default();
    for (name, value) in &mut fields {
        if matches!(name.as_str(), "have_until" | "unused_from") {
            *value = json!(number(value).to_string());
        }
    }
    let reader = Reader::new(fields);
    let grant = match verb {
        "lease_segment" => store.ask(&Ask::Segment(reader.known(SegmentAsk::get)?))?,
        "acquire" => store.ask(&Ask::Acquire(reader.known(AcquireAsk::get)?))?,
        "renew" => store.ask(&Ask::Renew(reader.known(RenewAsk::get)?))?,
        _ => return store.release(&reader.known(Release::get)?).map(|()| json!({})),
    };
    let text = match &grant {
        Grant::Segment(grant) => Writer::object(grant),
        Grant::Window(grant) => Writer::object(grant),
    };
    let mut answer: Value = serde_json::from_str(&text).unwrap_or_default();
    for name in ["start", "end", "remaining"] {
        if let Some(value) = answer.get_mut(name) {
            *value = json!(number(value));
        }
    }
    Ok(answer)
}

fn operated(name: &str, left: &Value, right: &Value) -> Value {
    let (a, b) = (i128::from(number(left)), i128::from(number(right)));
    let whole = |number: i128| json!(i64::try_from(number).unwrap_or(0));
    match name {
        "==" => json!(left == right),
        "<" => json!(a < b),
        ">" => json!(a > b),
        "<=" => json!(a <= b),
        ">=" => json!(a >= b),
        "+" => whole(a + b),
        "-" => whole(a - b),
        "*" => whole(a * b),
        "<<" => whole(a << b),
        _ => Value::Null,
    }
}

fn lacks(name: &str, found: &impl serde::Serialize) -> Stop {
    let found = json!(found).to_string();
    Stop::Failed(format!("an answer has no `{name}`: {found:.80}"))
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> i64 {
    let text = value.as_str().and_then(|text| text.parse().ok());
    value.as_i64().or(text).unwrap_or(0)
}

pub fn token() -> String {
    let bytes = random::entropy().unwrap_or_default();
    String::from_utf8_lossy(&Token::new(bytes).to_hex()).into_owned()
}
