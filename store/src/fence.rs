//! The fence: notices that a store lost grants, as after a restored backup or a fail-over to a replica
//! without the last commits, and moves every tag and namespace past what may have been granted.
//!
//! A server notes what it writes in a [`Witness`], which a [`Journal`] keeps over restarts in a file of
//! its own. It shows whether something is missing; nothing is ever granted from it. The `Guard` compares
//! it with the store at the start, on every new connection, and when a row is below what was written.

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

/// The result of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The new generation of the store.
    pub generation: u64,
    /// How many tags were moved.
    pub tags: usize,
    /// How many namespaces were moved.
    pub namespaces: usize,
    /// The floor below which no window is granted.
    pub floor: StoreTime,
}

/// Orders to a guard, and its state for readers.
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
    /// Fence the store, whatever its state.
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

    /// Gives orders, which are carried out before the next request.
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
