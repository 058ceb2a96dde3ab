//! The running server: a listener, a store, the generators, and a stop that loses nothing.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::clock::{Clock, SystemClock};
use crate::generators::Generators;
use crate::keeper::Road;
use crate::problem::Problem;
use crate::routes;
use crate::store::SharedStore;

/// How a server behaves.
#[derive(Clone)]
pub struct Config {
    /// How long a request for IDs waits when none is at hand.
    pub patience: Duration,
    /// How long a stop waits for requests under way.
    pub drain: Duration,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            patience: Duration::from_secs(3),
            drain: Duration::from_secs(5),
            clock: Arc::new(SystemClock),
        }
    }
}

/// What every request can reach.
pub struct App {
    /// Where ranges come from.
    pub store: SharedStore,
    /// The server's own generators.
    pub generators: Generators,
}

impl App {
    /// A server over this store that does not listen yet.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new(config: &Config, store: SharedStore) -> Result<Arc<App>, Problem> {
        let road = Road {
            store: Arc::clone(&store),
            clock: Arc::clone(&config.clock),
            patience: config.patience,
        };
        Ok(Arc::new(App { store, generators: Generators::new(road)? }))
    }
}

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
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            eprintln!("leafid: a connection answers late: {error}");
        }
    });
    let server = axum::serve(listener, routes::router(Arc::clone(&app))).with_graceful_shutdown(
        async move {
            shutdown.await;
            // Nobody listens when the server has failed by itself.
            let _ = stopping.send(());
        },
    );
    let overdue = async {
        if stopped.await.is_ok() {
            tokio::time::sleep(config.drain).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let served = tokio::select! {
        served = server.into_future() => served,
        () = overdue => {
            eprintln!("leafid: requests under way were cut off after {:?}", config.drain);
            Ok(())
        }
    };
    app.generators.close().await;
    served.map_err(|error| {
        Problem::new(leafid_core::Code::Internal, format!("the listener failed: {error}"))
    })
}
