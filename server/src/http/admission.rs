//! Who may ask at Leaf's listener, and for how many IDs: its clients can send no token that would
//! tell.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::request::Parts;
use leafid_core::Code;
use leafid_leaf::service::Gate;
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;

use crate::access::day::Day;
use crate::app::App;
use crate::http::caller::{Caller, Peer};
use crate::http::guard;
use crate::http::listener::Listener;
use crate::http::rules::Rules;

static REFUSED: Rate = Rate::new();

/// How many IDs the listener may give in a day, and has given; shared by its addresses.
#[derive(Debug)]
pub struct Quota {
    most: u64,
    used: Mutex<Day>,
}

/// What an address of the listener asks of whoever calls there.
pub struct Admission {
    /// Which requests are looked at.
    pub rules: Rules,
    /// How many IDs there are in a day, where that has an end.
    pub quota: Option<Arc<Quota>>,
    /// The server, which counts what is refused.
    pub app: Arc<App>,
}

impl Quota {
    /// None was given yet.
    pub fn new(most: u64) -> Quota {
        Quota { most, used: Mutex::default() }
    }
}

impl Gate for Admission {
    fn check(&self, head: &Parts) -> Result<(), Problem> {
        let Rules { from, hosts, .. } = &self.rules;
        let peer = head.extensions.get().map(|Peer(peer)| peer.ip());
        if !from.is_all() && !peer.is_some_and(|peer| from.allow(peer)) {
            return Err(stranger(
                peer.map_or_else(String::new, |peer| peer.to_canonical().to_string()),
            ));
        }
        guard::check_any(head, hosts)
    }

    fn count(&self) -> Result<(), Problem> {
        let Some(quota) = &self.quota else { return Ok(()) };
        let mut used = quota.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.take(quota.most, 1, SystemClock.wall()).map_err(|spent| {
            let detail = format!(
                "this listener has given {} of its {} IDs of this day (UTC); wait for the next day, or \
                 ask the operator for more: leafid serve --leaf-ids-per-day",
                spent.used, quota.most
            );
            spent.told(Problem::new(Code::QuotaExceeded, detail))
        })
    }

    fn give_back(&self) {
        if let Some(quota) = &self.quota {
            quota.used.lock().unwrap_or_else(PoisonError::into_inner).give_back(1);
        }
    }

    /// With a line in the log: one a second per code.
    fn refused(&self, problem: &Problem, head: &Parts) {
        self.app.requests.refused(problem.code);
        if let Some(left_out) = REFUSED.admit(problem.code) {
            let peer = head.extensions.get().map(|Peer(peer)| *peer);
            let caller = Caller { listener: Listener::LEAF.name, peer, member: None };
            let (method, path, code) = (&head.method, head.uri.path(), problem.code);
            tracing::warn!(%caller, %method, path, %code, left_out, "refused: {}", problem.detail);
        }
    }
}

fn stranger(peer: String) -> Problem {
    let detail = format!(
        "address `{peer}` is not among those that may ask here; ask the operator to allow it: leafid \
         serve --leaf-allow"
    );
    Problem::new(Code::Forbidden, detail)
}
