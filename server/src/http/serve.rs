//! The running server: its listeners, its stores, the generators, and a stop that loses nothing.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use leafid_core::Code;
use tokio::net::TcpListener;
use tokio::sync::watch::channel;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::caller::Peer;
use super::connection::Connections;
use super::guard;
use super::listener::{At, Listener};
use super::router;
use crate::app::{App, Config};
use crate::hex::hex;
use crate::leaf::service::LeafService;
use crate::problem::Problem;
use crate::store::Store;
use crate::store::parted::{Kept, Stores};
use crate::store::watched::Watched;

/// After so many seconds the store is asked to write, whether anybody asks it for anything.
const BEATS: u64 = 3_600;

/// A listener that is bound to its address.
pub struct Bound {
    /// What it serves.
    pub listener: Listener,
    /// Where connections come in.
    pub socket: TcpListener,
}

/// Serves until `shutdown`: then the listeners are closed, requests under way are answered, and the
/// server's own windows are given back.
///
/// # Errors
/// `INTERNAL` when a listener fails.
pub async fn serve(
    bound: Vec<Bound>,
    config: Config,
    stores: Stores,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Problem> {
    let app = App::new(&config, stores)?;
    let all = addresses(&bound)?;
    let listeners: Vec<String> = all.iter().map(At::to_string).collect();
    let (version, listeners) = (env!("CARGO_PKG_VERSION"), listeners.join(", "));
    for (kept, store) in app.stores.each() {
        let (kept, place, id) = (kept.map(Kept::name), store.place(), hex(store.id()));
        tracing::info!(version, listeners, store = place, id, kept, "started");
    }
    let (stopping, stopped) = channel(());
    let mut servers = JoinSet::new();
    for Bound { listener, socket } in bound {
        let mut stopped = stopped.clone();
        let socket = socket.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::warn!("TCP_NODELAY cannot be set, answers may be late: {error}");
            }
        });
        // Also where the sender is gone.
        let stop = async move {
            let _ = stopped.changed().await;
        };
        if listener == Listener::LEAF {
            let service = LeafService::new(Arc::clone(&app), config.leaf, guard::check_any)?;
            // Its clients expect no problems of ours.
            let server = axum::serve(socket, service);
            servers.spawn(server.with_graceful_shutdown(stop).into_future());
        } else {
            let router = router::serving(Arc::clone(&app), listener, &all);
            let service = router.into_make_service_with_connect_info::<Peer>();
            let server = axum::serve(Connections(socket), service);
            servers.spawn(server.with_graceful_shutdown(stop).into_future());
        }
    }
    let served = async {
        while let Some(served) = servers.join_next().await {
            let served = served.map_err(|error| std::io::Error::other(error.to_string()));
            served.and_then(|served| served)?;
        }
        Ok(())
    };
    let overdue = async {
        shutdown.await;
        tracing::info!("stopping: no new connections, requests under way are answered");
        // Nobody listens when the servers have failed by themselves.
        let _ = stopping.send(());
        tokio::time::sleep(config.drain).await;
    };
    let mut watches = JoinSet::new();
    for (_, store) in app.stores.each() {
        watches.spawn(watch(Arc::clone(store)));
    }
    let served: std::io::Result<()> = tokio::select! {
        served = served => served,
        () = overdue => {
            tracing::warn!("requests under way were cut off after {:?}", config.drain);
            Ok(())
        }
    };
    // What they hold of the stores is let go.
    watches.shutdown().await;
    app.generators.close().await;
    tracing::info!("stopped");
    served.map_err(|error| {
        Problem::new(Code::Internal, format!("a listener failed: {error}; start the server again"))
    })
}

/// Looks after a store, until it is dropped.
async fn watch(store: Arc<Watched>) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut beats = 0_u64;
    loop {
        seconds.tick().await;
        if beats.is_multiple_of(BEATS) {
            // Where nobody asks for anything, the store's time is written all the same. A failure is
            // in the log, and in `/readyz`.
            let _ = store.ready().await;
        }
        beats = beats.wrapping_add(1);
        let watched = Arc::clone(&store);
        // A disk that hangs keeps only this from going on.
        let _ = tokio::task::spawn_blocking(move || watched.watch()).await;
    }
}

fn addresses(bound: &[Bound]) -> Result<Vec<At>, Problem> {
    let at = |bound: &Bound| {
        let address = bound.socket.local_addr()?;
        Ok(At { listener: bound.listener, address })
    };
    bound.iter().map(at).collect::<std::io::Result<_>>().map_err(|error| {
        Problem::new(Code::Internal, format!("a listener does not know its address: {error}"))
    })
}
