//! Who calls.

use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use leafid_core::Code;

use crate::problem::Problem;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Who made a request, as far as the server knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name of the listener that was asked.
    pub listener: &'static str,
    /// The other end of the connection; none where the command line asks in its own process.
    pub peer: Option<SocketAddr>,
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.peer {
            Some(peer) => write!(f, "{}/{peer}", self.listener),
            None => f.write_str(self.listener),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Problem> {
        let caller = parts.extensions.get().copied();
        caller.ok_or_else(|| Problem::new(Code::Internal, "the request does not say who calls"))
    }
}
