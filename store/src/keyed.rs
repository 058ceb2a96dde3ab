//! The common part of the key-value stores, each of which is an [`Engine`]: rows are values, written if
//! their keys are unchanged since they were read, and each server has an index of the worker numbers.
//!
//! A server reads only what others wrote of a namespace's numbers since it last read them, so the cost of an
//! acquire does not depend on how many numbers there are.

#[cfg(any(feature = "etcd", feature = "zookeeper"))]
mod address;
pub mod engine;
#[cfg(feature = "etcd")]
pub mod etcd;
mod look;
mod open;
mod space;
pub mod text;
mod write;
#[cfg(feature = "zookeeper")]
pub mod zookeeper;

use std::collections::BTreeMap;

use leafid_core::{Name, StoreTime};

use crate::backends::link::Link;
use crate::backends::{Answer, BackEnd, Facts, Group, Outcome, Want};
use crate::problem::Problem;
use engine::Engine;
pub use space::Held;
use space::Known;

/// A store in a key-value store.
pub struct Keyed<E: Engine> {
    link: Link<Keyed<E>>,
    spaces: BTreeMap<Name, Known>,
    turn: u64,
    connected: u64,
}

impl<E: Engine> BackEnd for Keyed<E> {
    fn facts(&self) -> &Facts {
        &self.link.facts
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        self.link.ready().await?;
        if self.connected != self.link.connections {
            // If the new connection finds an older state, its revisions are used again.
            if self.connected > 0 {
                self.spaces.clear();
            }
            self.connected = self.link.connections;
        }
        self.turn += 1;
        Ok(())
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        self.look(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        self.put(groups).await
    }

    fn told(&mut self) -> Option<StoreTime> {
        self.link.client.as_mut().and_then(Engine::told)
    }
}
