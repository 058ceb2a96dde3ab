//! The running server: a listener, a store, the generators, and a stop that loses nothing.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;

use crate::connection::Connections;
use crate::problem::Problem;
use crate::routes;
use crate::state::{App, Config};
use crate::store::SharedStore;

/// After so many seconds the store is asked to write, whether anybody asks it for anything.
const BEATS: u64 = 3_600;

/// Serves until `shutdown`: then the listener is closed, requests under way are answered, and the
/// server's own windows are given back.
///
/// # Errors
/// `INTERNAL` when the listener fails.
pub async fn serve(
    listener: TcpListener,
    config: Config,
    store: SharedStore,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Problem> {
    let app = App::new(&config, store)?;
    let address = listener.local_addr().map_or_else(|_| "?".to_owned(), |at| at.to_string());
    let (version, place, id) = (env!("CARGO_PKG_VERSION"), app.store.place(), app.store.id());
    let id = String::from_utf8_lossy(&id.to_hex()).into_owned();
    tracing::info!(version, address, store = place, id, "started");
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::warn!("a connection answers late: {error}");
        }
    });
    let server = axum::serve(Connections(listener), routes::router(Arc::clone(&app)))
        .with_graceful_shutdown(async move {
            shutdown.await;
            tracing::info!("stopping: no new connections, requests under way are answered");
            // Nobody listens when the server has failed by itself.
            let _ = stopping.send(());
        });
    let overdue = async {
        if stopped.await.is_ok() {
            tokio::time::sleep(config.drain).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let watching = Arc::clone(&app);
    let watch = tokio::spawn(async move {
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut beats = 0_u64;
        loop {
            seconds.tick().await;
            if beats.is_multiple_of(BEATS) {
                // Where nobody asks for anything, the store's time is written all the same. A
                // failure is in the log, and in `/readyz`.
                let _ = watching.store.ready().await;
            }
            beats = beats.wrapping_add(1);
            let store = Arc::clone(&watching.store);
            // A disk that hangs keeps only this from going on.
            let _ = tokio::task::spawn_blocking(move || store.watch()).await;
        }
    });
    let served = tokio::select! {
        served = server.into_future() => served,
        () = overdue => {
            tracing::warn!("requests under way were cut off after {:?}", config.drain);
            Ok(())
        }
    };
    watch.abort();
    // What it holds of the store is let go.
    let _ = watch.await;
    app.generators.close().await;
    tracing::info!("stopped");
    served.map_err(|error| {
        Problem::new(leafid_core::Code::Internal, format!("the listener failed: {error}"))
    })
}
