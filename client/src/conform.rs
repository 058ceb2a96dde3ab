//! Checks that a store of one's own does what it must. The cases are data, the same for every language; this module
//! plays them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use leafid_core::{AcquireAsk, Ask, Grant, Release, RenewAsk, SegmentAsk, Token};
use leafid_wire::{Fields, Reader, Writer};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::host::random;
use crate::stores::Transport;

/// The difference between the clocks of a store's servers that is tolerated, in ms.
const APART_MS: i128 = 1_000;
/// The most waits for a worker number, or repeats of a request to an overloaded store.
const TRIES: usize = 10;
const CASES: &str = include_str!("../conform.json");

/// A store that failed cases: which, and why.
///
/// ```
/// use leafid::conform::conform;
/// # use leafid::{Ask, Code, Error, Grant, Release, Transport};
/// # struct Away;
/// # impl Transport for Away {
/// #     fn ask(&mut self, _: &Ask) -> Result<Grant, Error> {
/// #         Err(Error::new(Code::StoreUnavailable, "it is away"))
/// #     }
/// #     fn release(&mut self, _: &Release) -> Result<(), Error> {
/// #         Ok(())
/// #     }
/// # }
///
/// let found = conform(|| Box::new(Away), "conform", "conform").unwrap_err();
/// for (case, why) in &found.failed {
///     println!("{case}: {why}");
/// }
/// # assert!(found.failed.len() > 5);
/// ```
#[derive(Clone, Debug)]
pub struct DoesNotConform {
    /// The names of the cases that it failed, each with what was found.
    pub failed: BTreeMap<String, String>,
    /// The names of those that it passed.
    pub passed: Vec<String>,
}

impl fmt::Display for DoesNotConform {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.failed.len();
        write!(to, "{failed} of {} checks failed:", failed + self.passed.len())?;
        self.failed.iter().try_for_each(|(name, what)| write!(to, "\n- {name}: {what}"))
    }
}

impl std::error::Error for DoesNotConform {}

/// Checks that a store does what it must, and returns the names of the cases that it passed. `connect` makes a
/// connection, as [`Store::custom`](crate::Store::custom) takes it; several are used at once.
///
/// The store must have the tag and the namespace, which nothing else uses; a tick of the namespace lasts 500 ms at
/// most. A run leaves the tag stopped, as after a claim of a holder: use a new tag for the next run. It takes a few
/// seconds, because windows have to end.
///
/// # Errors
/// Every case that failed, and why.
///
/// ```
/// use leafid::Store;
/// use leafid::conform::conform;
///
/// let store = Store::memory()?;
/// let passed = conform(|| store.connect(), "conform", "conform")?;
/// assert!(passed.len() >= 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn conform(
    connect: impl Fn() -> Box<dyn Transport> + Sync,
    tag: &str,
    namespace: &str,
) -> Result<Vec<String>, DoesNotConform> {
    let data: Value = serde_json::from_str(CASES).unwrap_or_default();
    let player = Player { data: &data, connect: &connect, found: Mutex::default() };
    let (mut failed, mut passed) = (BTreeMap::new(), Vec::new());
    for case in list(&data["cases"]) {
        // A store here has no clock that a test moves.
        if list(&case["needs"]).iter().any(|need| need == "clock") {
            continue;
        }
        let owner = format!("conform-{}", token());
        let env = json!({ "tag": tag, "namespace": namespace, "key": token(), "owner": owner });
        let Value::Object(mut env) = env else { continue };
        let name = case["name"].as_str().unwrap_or_default().to_owned();
        match player.steps(&mut *connect(), list(&case["steps"]), &mut env) {
            Ok(()) => passed.push(name),
            Err(Stop::Skipped) => {}
            Err(Stop::Failed(why)) => drop(failed.insert(name, why)),
        }
        player.give_back(&env);
    }
    if failed.is_empty() { Ok(passed) } else { Err(DoesNotConform { failed, passed }) }
}

/// Why a case ends early.
enum Stop {
    /// It cannot be played on this store.
    Skipped,
    Failed(String),
}

type Env = Map<String, Value>;

struct Player<'a, C> {
    data: &'a Value,
    connect: &'a C,
    found: Mutex<Found>,
}

/// Every range granted since the first case, by its tag or worker number, with its key; and the latest time.
#[derive(Default)]
struct Found {
    granted: Vec<(String, String, u64, u64)>,
    held: Vec<Value>,
    latest_ms: i128,
}

impl<C: Fn() -> Box<dyn Transport> + Sync> Player<'_, C> {
    fn steps(&self, store: &mut dyn Transport, steps: &[Value], env: &mut Env) -> Result<(), Stop> {
        for step in steps {
            if step.get("that").is_some() {
                self.that(step, env)?;
            } else if let Some(ms) = step.get("pass") {
                pass(number(&self.value(ms, env)?));
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

    fn at_once(&self, count: u64, steps: &[Value], env: &Env) -> Result<(), Stop> {
        thread::scope(|scope| {
            let run =
                |_| scope.spawn(|| self.steps(&mut *(self.connect)(), steps, &mut env.clone()));
            let threads: Vec<_> = (0..count).map(run).collect();
            let panicked = || Err(Stop::Failed("the store panicked".to_owned()));
            let ends =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked()));
            ends.collect::<Vec<_>>().into_iter().collect()
        })
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
        let Some(path) = text.strip_prefix('$') else { return Ok(whole(number(said))) };
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
        let asks = self.data["asks"].as_object().into_iter().flatten();
        let Some((verb, usual)) = asks.into_iter().find(|(verb, _)| step.get(verb).is_some())
        else {
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
        let mut other = step.get("again").map(|_| (self.connect)());
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
            let is_busy = code == "OVERLOADED" || code == "WORKERS_EXHAUSTED" && refused.is_none();
            if left == 0 || !is_busy {
                let must = refused.unwrap_or("granted");
                let what = format!("`{verb}` was refused with {code}: {error}; it must be {must}");
                return Err(Stop::Failed(what));
            }
            pass(i128::from(wait_ms) + 10);
        }
        Ok(())
    }

    /// Records a grant, and checks that it overlaps no other key's, and that time has not gone back.
    fn noted(
        &self,
        verb: &str,
        ask: &Value,
        answer: Value,
        before_ms: i128,
        env: &Env,
    ) -> Result<Value, Stop> {
        let field = if matches!(verb, "lease_segment" | "acquire") { "request" } else { "key" };
        let key = ask[field].as_str().unwrap_or_default().to_owned();
        let mut found = self.found();
        if verb == "release" {
            let unused_from = unsigned(&ask["unused_from"]);
            let of_key = found.granted.iter_mut().filter(|(_, had, ..)| *had == key);
            of_key.for_each(|(.., end)| *end = (*end).min(unused_from));
            return Ok(json!({}));
        }
        let (start, end) = (unsigned(&answer["start"]), unsigned(&answer["end"]));
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
        of.insert("before_ms".to_owned(), whole(before_ms));
        of.insert("ask".to_owned(), ask.clone());
        of.insert("answer".to_owned(), answer.clone());
        list(&self.data["answers"][verb]).iter().try_for_each(|check| self.that(check, &of))?;
        Ok(answer)
    }

    /// Gives windows back: their numbers are free for the next case.
    fn give_back(&self, env: &Env) {
        let held = std::mem::take(&mut self.found().held);
        for window in held.into_iter().rev() {
            let mut with = env.clone();
            with.insert("w".to_owned(), window);
            // It may have been given back already, or have ended.
            let _ =
                self.ask(&mut *(self.connect)(), &json!({ "release": {}, "of": "w" }), &mut with);
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
            *value = json!(unsigned(value));
        }
    }
    Ok(answer)
}

fn operated(name: &str, left: &Value, right: &Value) -> Value {
    let (a, b) = (number(left), number(right));
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

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> i128 {
    match value {
        Value::String(text) => text.parse().unwrap_or(0),
        value => value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).unwrap_or(0),
    }
}

fn whole(number: i128) -> Value {
    let signed = i64::try_from(number).map(Value::from);
    signed.unwrap_or_else(|_| u64::try_from(number).map_or(Value::Null, Value::from))
}

fn unsigned(value: &Value) -> u64 {
    u64::try_from(number(value)).unwrap_or(0)
}

fn token() -> String {
    let bytes = random::entropy().unwrap_or_default();
    String::from_utf8_lossy(&Token::new(bytes).to_hex()).into_owned()
}

fn pass(ms: i128) {
    thread::sleep(Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
}
