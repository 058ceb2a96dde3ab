//! Checks that a store of one's own does what it must. The cases are data, the same for every language; this module
//! plays them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use leafid_core::{AcquireAsk, Ask, Code, Grant, Release, RenewAsk, SegmentAsk, Token};
use leafid_wire::{Fields, Reader, Writer};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::host::{self, random};
use crate::stores::Transport;

/// The difference between the clocks of a store's servers that is tolerated, in ms.
const APART_MS: i64 = 1_000;
/// The most waits for a worker number, or repeats of a request to an overloaded store.
const TRIES: usize = 10;
static DATA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../conform.json")).unwrap_or_default());

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
/// let passed = conform(move || store.connect(), "conform", "conform")?;
/// assert!(passed.len() >= 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn conform(
    connect: impl Fn() -> Box<dyn Transport> + Send + Sync + 'static,
    tag: &str,
    namespace: &str,
) -> Result<Vec<String>, DoesNotConform> {
    let means = Means {
        can: vec!["lease_segment", "acquire", "renew", "release", "again"],
        connect: Box::new(move |_| Ok(connect())),
        pass: Box::new(|ms| thread::sleep(Duration::from_millis(ms.try_into().unwrap_or(0)))),
        host: |act| act(),
        patience: Duration::from_secs(60),
    };
    play(means, tag, namespace)
}

type Connect = dyn Fn(bool) -> Result<Box<dyn Transport>, Error> + Send + Sync;

/// A store to check, and what a test can do with it.
#[doc(hidden)]
pub struct Means {
    /// The verbs that the store has; `again` and `clock`, where the test can do that.
    pub can: Vec<&'static str>,
    /// Makes a connection; if the argument is true, as another process does.
    pub connect: Box<Connect>,
    /// Lets this many ms pass; with a clock the number may be negative.
    pub pass: Box<dyn Fn(i64) + Send + Sync>,
    /// Runs what calls the store in a thread of its own.
    pub host: fn(&mut (dyn FnMut() + Send)),
    /// A store without an answer for this long counts as hanging.
    pub patience: Duration,
}

/// Plays all cases that the means suffice for. As [`conform`].
///
/// # Errors
/// As `conform`.
#[doc(hidden)]
pub fn play(means: Means, tag: &str, namespace: &str) -> Result<Vec<String>, DoesNotConform> {
    let player = Arc::new(Player { means, found: Mutex::default() });
    let (mut failed, mut passed) = (BTreeMap::new(), Vec::new());
    for case in list(&DATA["cases"]) {
        let can = |need: &Value| player.means.can.iter().any(|can| need == can);
        if !list(&case["needs"]).iter().all(can) {
            continue;
        }
        let owner = format!("conform-{}", token());
        let env = json!({ "tag": tag, "namespace": namespace, "key": token(), "owner": owner });
        let Value::Object(mut env) = env else { continue };
        let name = case["name"].as_str().unwrap_or_default().to_owned();
        match player.case(list(&case["steps"]), &mut env) {
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

struct Player {
    means: Means,
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
    fn connect(&self, again: bool) -> Result<Box<dyn Transport>, Stop> {
        (self.means.connect)(again).map_err(|error| Stop::Failed(error.to_string()))
    }

    /// Plays steps over a connection of their own.
    fn case(self: &Arc<Self>, steps: &'static [Value], env: &mut Env) -> Result<(), Stop> {
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
    fn give_back(&self, env: &Env) {
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

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> i64 {
    let text = value.as_str().and_then(|text| text.parse().ok());
    value.as_i64().or(text).unwrap_or(0)
}

fn token() -> String {
    let bytes = random::entropy().unwrap_or_default();
    String::from_utf8_lossy(&Token::new(bytes).to_hex()).into_owned()
}
