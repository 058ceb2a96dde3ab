//! Checks that a store of one's own does what it must. The cases are data, the same for every language.

mod player;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Error;
use crate::stores::Transport;
use player::{Player, Stop, list, token};

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
    let player = Arc::new(Player::new(means));
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
