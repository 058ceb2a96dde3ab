//! The fence: notices that a store lost grants, as after a restored backup or a fail-over to a replica
//! without the last commits, and moves every line past what was granted.
//!
//! The servers of a store know each other by its register. What one of them writes counts once every other
//! one has noted it in its [`Journal`], a file apart from the store. So a restore never takes what was
//! granted from all of them, and each of them notices by its own record whether the store is as it left
//! it. `docs/PROTOCOL.md`, "When the store lost something", has the rules; `core/tests/fence` is their model.

pub mod bounds;
pub mod file;
pub(crate) mod guard;
mod journal;
mod moving;
pub mod text;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use leafid_core::{StoreTime, Token};
use tokio::sync::oneshot;

use crate::problem::Problem;

pub use bounds::Bounds;
pub(crate) use guard::Guard;
pub use journal::{Journal, Sight};

/// The result of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The new generation of the store.
    pub generation: u64,
    /// How many tags were moved.
    pub tags: usize,
    /// How many worker numbers, or namespaces, were moved.
    pub workers: usize,
    /// No window begins before; 0 if nothing was guessed.
    pub floor: StoreTime,
}

/// What an operator has a fence go by.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// The bounds of the journals that were found.
    pub bounds: Bounds,
    /// Moves every line by a gap beyond them, as there may have been other servers.
    pub with_gap: bool,
    /// Servers that never come back.
    pub taken: BTreeSet<Token>,
}

type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// Orders to a guard, and its state for readers.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    generation: AtomicU64,
    floor: AtomicI64,
    has_orders: AtomicBool,
    orders: Mutex<Orders>,
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    pub journal: Option<Journal>,
    /// The name of this server, for people.
    pub name: String,
    pub repair: Option<(Repair, Reply<Repaired>)>,
    pub remove: Option<(String, Reply<()>)>,
}

impl Desk {
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    pub fn floor(&self) -> StoreTime {
        StoreTime::new(self.floor.load(Ordering::Relaxed))
    }

    pub fn tell(&self, generation: u64, floor: StoreTime) {
        self.generation.store(generation, Ordering::SeqCst);
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
