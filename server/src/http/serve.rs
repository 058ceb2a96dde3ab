//! The running server: listeners, store, generators, and a stop that answers every request under way.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, Name};
use leafid_leaf::service::{LeafService, NAMESPACE};
use leafid_store::hex;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::sync::watch::channel;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::accept::Acceptor;
use super::entry::{Entry, Paths};
use super::listener::{At, Listener};
use super::router;
use super::rules::Rules;
use crate::app::{App, Config};

/// Seconds between two heartbeats, which write the store's time whether or not it is in use.
const BEATS: u64 = 3_600;

/// A listener bound to one of its addresses.
pub struct Bound {
    /// The listener.
    pub listener: Listener,
    /// The conditions for callers.
    pub rules: Rules,
    /// The bound socket.
    pub socket: TcpListener,
}

impl Bound {
    /// A listener for the programs of this machine.
    pub fn here(listener: Listener, socket: TcpListener) -> Bound {
        Bound { listener, rules: Rules::default(), socket }
    }

    /// The listener at its address.
    ///
    /// # Errors
    /// `INTERNAL`.
    pub fn at(&self) -> Result<At, Problem> {
        let address = self.socket.local_addr().map_err(|error| {
            Problem::new(Code::Internal, format!("a listener does not know its address: {error}"))
        })?;
        Ok(At { listener: self.listener, tls: self.rules.tls.is_some(), address })
    }
}

/// Serves until `shutdown`: then it closes the listeners, answers requests under way, and releases the
/// server's own windows.
///
/// # Errors
/// `INTERNAL` when a listener fails.
pub async fn serve(
    bound: Vec<Bound>,
    config: Config,
    store: Arc<Registry>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Problem> {
    let app = App::new(&config, store)?;
    let all = bound.iter().map(Bound::at).collect::<Result<Vec<At>, _>>()?;
    let listeners: Vec<String> = all.iter().map(At::to_string).collect();
    let (version, listeners) = (env!("CARGO_PKG_VERSION"), listeners.join(", "));
    let (place, id) = (app.store.place(), hex(app.store.id()));
    tracing::info!(version, listeners, store = place, id, "started");
    let (stopping, stopped) = channel(());
    let mut servers = JoinSet::new();
    let mut rooms = BTreeMap::new();
    for Bound { listener, rules, socket } in bound {
        let limits = config.limits;
        let room = rooms.entry(listener.name).or_insert_with(|| {
            Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)))
        });
        let paths = match listener {
            Listener::LEAF => Paths::Leaf(LeafService {
                store: Arc::clone(&app.store),
                generators: Arc::clone(&app.generators),
                modes: config.leaf,
                within: limits.body,
                namespace: Name::namespace(NAMESPACE)?,
            }),
            _ => Paths::Api(router::paths(&app, listener, &rules, &all)),
        };
        let entry = Arc::new(Entry { listener, rules, limits, app: Arc::clone(&app), paths });
        let acceptor = Acceptor { entry, room: Arc::clone(room), stopped: stopped.clone() };
        servers.spawn(acceptor.run(socket));
    }
    drop(stopped);
    let served = async {
        while let Some(served) = servers.join_next().await {
            served.map_err(|error| {
                let detail = format!("a listener failed: {error}; start the server again");
                Problem::new(Code::Internal, detail)
            })?;
        }
        // Each connection has a receiver until it ends.
        stopping.closed().await;
        Ok(())
    };
    let overdue = async {
        shutdown.await;
        tracing::info!("stopping: no new connections, requests under way are answered");
        let _ = stopping.send(());
        tokio::time::sleep(config.drain).await;
    };
    let watching = tokio::spawn(watch(Arc::clone(&app.store)));
    let served = tokio::select! {
        served = served => served,
        () = overdue => {
            tracing::warn!("requests under way were cut off after {:?}", config.drain);
            Ok(())
        }
    };
    // It keeps the store open.
    watching.abort();
    let _ = watching.await;
    app.generators.close().await;
    tracing::info!("stopped");
    served
}

/// Runs in the background until it is aborted: a health check each second, a heartbeat each hour.
async fn watch(store: Arc<Registry>) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut beats = 0_u64;
    loop {
        seconds.tick().await;
        if beats.is_multiple_of(BEATS) {
            // Writes the store's time, in case no request does. A failure is logged, and shown by
            // `/readyz`.
            let _ = store.ready().await;
        }
        beats = beats.wrapping_add(1);
        let watched = Arc::clone(&store);
        // A disk that hangs blocks nothing else.
        let _ = tokio::task::spawn_blocking(move || watched.watch()).await;
    }
}
