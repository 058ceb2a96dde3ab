//! A registry among the servers of its store.

use tokio::sync::oneshot;

use super::job::Kind;
use super::opened::closed;
use super::{Answer, Registry, Rows, Server};
use crate::backends::Want;
use crate::fence::{Journal, Orders, Repair, Repaired};
use crate::problem::Problem;
use leafid_turn::groups::Scope;

impl Registry {
    /// Takes part as a server of this name from now on. With a journal the store is compared with it before the
    /// next answer; without one it knows only what it wrote itself since now.
    ///
    /// # Errors
    /// Why it is not open yet.
    pub fn attend(&self, name: String, journal: Option<Journal>) -> Result<(), Problem> {
        let opened = self.opened()?;
        if let Some(journal) = &journal {
            opened.journal.get_or_init(|| journal.sight.clone());
        }
        opened.shared.desk.order(|orders| (orders.journal, orders.name) = (journal, name));
        Ok(())
    }

    /// Fences the store, whatever its state: raises every line to its bound in the journals that were found,
    /// or beyond.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the store cannot be written.
    pub async fn repair(&self, repair: Repair) -> Result<Repaired, Problem> {
        self.ordered(|orders, reply| orders.repair = Some((repair, reply))).await
    }

    /// Removes a server of this name, or id, from the store's register: it does not run and never comes back.
    ///
    /// # Errors
    /// `REQUEST_INVALID` if there is no such server, it still writes, or this one keeps no journal;
    /// `STORE_UNAVAILABLE` while this server waits for others itself.
    pub async fn remove_server(&self, name: String) -> Result<(), Problem> {
        self.ordered(|orders, reply| orders.remove = Some((name, reply))).await
    }

    async fn ordered<T>(
        &self,
        give: impl FnOnce(&mut Orders, oneshot::Sender<Result<T, Problem>>),
    ) -> Result<T, Problem> {
        let (reply, done) = oneshot::channel();
        self.opened()?.shared.desk.order(|orders| give(orders, reply));
        let turned = self.submit(Kind::Take, Scope::Server, |_| Ok(())).await;
        match done.await {
            Ok(done) => done,
            Err(_) => Err(turned.err().unwrap_or_else(closed)),
        }
    }

    /// Lists the store's servers; waits for none of them.
    pub fn servers(&self) -> impl Answer<Vec<Server>> {
        self.submit(Kind::Take, Scope::Server, |turn| match turn.list(Want::Servers)? {
            Rows::Servers(servers) => Ok(servers),
            _ => Ok(Vec::new()),
        })
    }
}
