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
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use leafid_core::{StoreTime, Token};
use leafid_turn::register::Server;
use tokio::sync::oneshot;

use crate::backends::Write;
use crate::problem::Problem;

pub use bounds::Bounds;
pub use journal::{Journal, Sight};

/// The result of a fence that an operator ordered.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The new generation of the store.
    pub generation: u64,
    /// The rows that were raised.
    pub raised: Vec<Write>,
    /// The servers that were removed from the register.
    pub removed: Vec<Server>,
    /// Servers with a journal that the store still waits for, and that were not found running.
    pub awaited: Vec<Server>,
    /// No window begins before; 0 if nothing was guessed.
    pub floor: StoreTime,
}

impl Repaired {
    /// How many tags were raised.
    pub fn tags(&self) -> usize {
        self.raised.iter().filter(|write| matches!(write, Write::Tag { .. })).count()
    }
}

/// The store's servers, as one of them saw them last.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// How many of them keep a journal, this one included.
    pub members: usize,
    /// Those that have written nothing for 2 s; none if nobody watches them here.
    pub silent: Option<BTreeSet<Token>>,
    /// The names and ids of those among them whose ack this one waits for.
    pub waits_for: Vec<(String, Token)>,
}

/// What an operator has a fence go by.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// The bounds of the journals that were found.
    pub bounds: Bounds,
    /// Moves every line by a gap beyond them, as there may have been other servers.
    pub with_gap: bool,
    /// No number of any tag below it is granted any more.
    pub above: u64,
    /// Servers that never come back.
    pub taken: BTreeSet<Token>,
    /// Only plans it, and changes nothing.
    pub dry_run: bool,
}

type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// Orders to a guard, and its state for readers.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    generation: AtomicU64,
    floor: AtomicI64,
    orders: Mutex<Orders>,
    register: Mutex<Register>,
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

    pub fn register(&self) -> Register {
        self.register.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn see(&self, register: Register) {
        *self.register.lock().unwrap_or_else(PoisonError::into_inner) = register;
    }

    /// Gives orders, which are carried out before the next request.
    pub fn order(&self, give: impl FnOnce(&mut Orders)) {
        give(&mut self.orders.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn take(&self) -> Orders {
        std::mem::take(&mut *self.orders.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
