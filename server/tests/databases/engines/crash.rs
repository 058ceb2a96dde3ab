//! Runs [`crate::crash`] where the database is killed too.

use std::sync::Arc;

use leafid_server::app::Config;
use leafid_server::http::listener::Listener;
use leafid_server::http::serve::{self, Bound};
use leafid_servers::{Server, for_test};
use leafid_store::registry::Registry;
use tokio::net::TcpListener;

use crate::crash::{goes_on_through_kills, prepare, shows};
use crate::opens::{Opens, clock};
use crate::troubled::{Counts, Trouble, Troubled};

fn nothing_is_granted_twice<S: Server>() {
    let Some(mut server) = for_test::<S>() else { return };
    let url = server.fresh("crashes");
    let mut crash = || {
        server.crash();
        server.start_again().expect("it comes back");
    };
    goes_on_through_kills(S::NAME, &url, Some(&mut crash));
}

each!(every nothing_is_granted_twice);

/// The control: the same load over servers that write without conditions.
fn without_conditions_numbers_are_granted_twice<S: Opens>() {
    let Some(server) = for_test::<S>() else { return };
    let url = server.fresh("blind");
    prepare(&url);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let servers = [(); 2].map(|()| {
        let back_end = Troubled::over(S::opened(&url), Trouble::Blind, &Arc::<Counts>::default());
        let store = Registry::over(None, back_end, false).expect("a thread");
        let socket = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let url = format!("http://{}", socket.local_addr().expect("an address"));
        let bound = vec![Bound::here(Listener::ONLY, socket)];
        let ends = std::future::pending::<()>();
        runtime.spawn(serve::serve(bound, Config::default(), Arc::new(store), ends));
        url
    });
    shows(S::NAME, "without conditions", servers.to_vec());
    runtime.shutdown_background();
}

each!(every without_conditions_numbers_are_granted_twice);
