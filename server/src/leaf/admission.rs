//! Who may ask at Leaf's listener, and for how many IDs: its clients can send no token that would
//! tell.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::request::Parts;
use leafid_core::Code;

use crate::access::day::Day;
use crate::clock::{Clock, SystemClock};
use crate::http::caller::Peer;
use crate::http::guard;
use crate::http::rules::Rules;
use crate::problem::Problem;

/// How many IDs the listener may give in a day, and has given; shared by its addresses.
#[derive(Debug)]
pub struct Quota {
    most: u64,
    used: Mutex<Day>,
}

/// What an address of the listener asks of whoever calls there.
#[derive(Clone, Debug)]
pub struct Admission {
    rules: Rules,
    quota: Option<Arc<Quota>>,
}

/// An ID that is counted, and not had yet.
#[derive(Debug)]
pub struct Counted<'q>(Option<&'q Quota>);

impl Quota {
    /// None was given yet.
    pub fn new(most: u64) -> Quota {
        Quota { most, used: Mutex::default() }
    }
}

impl Admission {
    /// By these rules, and within this quota.
    pub fn new(rules: Rules, quota: Option<Arc<Quota>>) -> Admission {
        Admission { rules, quota }
    }

    /// Whether a request is looked at.
    ///
    /// # Errors
    /// `FORBIDDEN` for an address that may not ask, and for what may come from a web page.
    pub fn check(&self, head: &Parts) -> Result<(), Problem> {
        let Rules { from, hosts, .. } = &self.rules;
        let peer = head.extensions.get().map(|Peer(peer)| peer.ip());
        if !from.is_all() && !peer.is_some_and(|peer| from.allow(peer)) {
            return Err(stranger(
                peer.map_or_else(String::new, |peer| peer.to_canonical().to_string()),
            ));
        }
        guard::check_any(head, hosts)
    }

    /// Counts an ID.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED`.
    pub fn count(&self) -> Result<Counted<'_>, Problem> {
        let Some(quota) = &self.quota else { return Ok(Counted(None)) };
        let mut used = quota.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.take(quota.most, 1, SystemClock.wall()).map_err(|spent| {
            let detail = format!(
                "this listener has given {} of its {} IDs of this day (UTC); wait for the next day, or \
                 ask the operator for more: leafid serve --leaf-ids-per-day",
                spent.used, quota.most
            );
            spent.told(Problem::new(Code::QuotaExceeded, detail))
        })?;
        Ok(Counted(Some(quota)))
    }
}

fn stranger(peer: String) -> Problem {
    let detail = format!(
        "address `{peer}` is not among those that may ask here; ask the operator to allow it: leafid \
         serve --leaf-allow"
    );
    Problem::new(Code::Forbidden, detail)
}

impl Counted<'_> {
    /// It was had.
    pub fn had(mut self) {
        self.0 = None;
    }
}

/// It was not.
impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if let Some(quota) = self.0 {
            quota.used.lock().unwrap_or_else(PoisonError::into_inner).give_back(1);
        }
    }
}
