//! The fence: a store that lost something, as after a restored backup or a fail-over to a replica
//! without the last commits, is found out, and every line is moved past what may have been granted.
//!
//! What a server wrote it notes in a [`Witness`], which a [`Journal`] keeps over restarts in a file
//! of its own: it tells whether something is missing, and nothing is ever granted from it. The
//! [`Guard`] compares the two at the start, on every new connection, and where a row stands below
//! what this server wrote.

pub mod file;
pub(crate) mod guard;
mod journal;
mod moving;
pub mod text;
pub mod witness;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::StoreTime;
use leafid_core::registry::Mark;
use tokio::sync::oneshot;

use crate::problem::Problem;

pub(crate) use guard::Guard;
pub use journal::Journal;
pub use witness::Witness;

/// What became of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// How often the store was fenced, this time included.
    pub generation: u64,
    /// How many tags were moved.
    pub tags: usize,
    /// How many namespaces.
    pub namespaces: usize,
    /// Before when no window is granted.
    pub floor: StoreTime,
}

/// What a guard is told to do, and what it tells: shared with those who ask.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    generation: AtomicU64,
    position: AtomicU64,
    floor: AtomicI64,
    has_orders: AtomicBool,
    orders: Mutex<Orders>,
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    pub journal: Option<Arc<Journal>>,
    pub heard: Option<Witness>,
    /// The store is to be fenced, whatever it looks like.
    pub repair: Option<oneshot::Sender<Result<Repaired, Problem>>>,
}

impl Desk {
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    pub fn floor(&self) -> StoreTime {
        StoreTime::new(self.floor.load(Ordering::Relaxed))
    }

    pub fn tell(&self, mark: Mark, floor: StoreTime) {
        self.generation.store(mark.generation, Ordering::SeqCst);
        self.position.store(mark.position, Ordering::Relaxed);
        self.floor.store(floor.get(), Ordering::Relaxed);
    }

    /// Gives orders; they are seen to before the next request is.
    pub fn order(&self, give: impl FnOnce(&mut Orders)) {
        give(&mut self.orders.lock().unwrap_or_else(PoisonError::into_inner));
        self.has_orders.store(true, Ordering::SeqCst);
    }

    pub fn take(&self) -> Option<Orders> {
        if !self.has_orders.swap(false, Ordering::SeqCst) {
            return None;
        }
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        Some(std::mem::take(&mut *orders))
    }
}
