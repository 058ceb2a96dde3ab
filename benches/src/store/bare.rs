//! The floor: an axum handler that reads JSON and answers JSON, and keeps nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::post;
use leafid_stream::child::{Child, dies_with_us};
use serde_json::{Value, json};

use crate::Outcome;

/// How long it may take to listen.
const LIMIT: Duration = Duration::from_secs(10);

/// The bare server as a process of its own, so that its time can be told from ours.
pub struct Bare {
    child: Child,
    address: SocketAddr,
}

impl Bare {
    /// Starts this program once more, as the bare server.
    pub fn start() -> Outcome<Bare> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command: Command = dies_with_us(&this);
        command.arg("--bare");
        let (send, heard) = channel();
        let child = Child::start("the bare server", command, move |line| drop(send.send(line)));
        let child = child.map_err(|error| format!("the bare server does not start: {error}"))?;
        let said = heard.recv_timeout(LIMIT).ok().flatten().unwrap_or_default();
        let address = said.parse().map_err(|_| format!("the bare server said `{said}`"))?;
        Ok(Bare { child, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

/// The server itself: says where it listens, and serves until it is killed.
pub fn serve() -> Outcome {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        axum::serve(listener, Router::new().route("/ids", post(ids))).await
    });
    served.map_err(|error| error.to_string())
}

async fn ids(body: Bytes) -> impl IntoResponse {
    let asked: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let Some(count) = asked["count"].as_u64().filter(|count| *count <= 10) else {
        return (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, ""), (CACHE_CONTROL, "")], Vec::new());
    };
    let ids: Vec<String> = (0..count).map(|id| (1_000_000 + id).to_string()).collect();
    let answer = json!({ "ids": ids }).to_string().into_bytes();
    let head = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (StatusCode::OK, head, answer)
}
