//! Who calls.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use leafid_core::Code;
use leafid_store::problem::Problem;

use crate::access::allow::Allowance;
use crate::access::tokens::Member;
use crate::routes::answer::Refused;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Who made a request, as far as the server knows.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of the listener that was asked.
    pub listener: &'static str,
    /// The other end of the connection; none where the command line asks in its own process.
    pub peer: Option<SocketAddr>,
    /// Whose token came with it, where tokens are asked for.
    pub member: Option<Arc<Member>>,
}

impl Caller {
    /// What it may ask for.
    pub fn allowance(&self) -> Allowance {
        Allowance(self.member.clone())
    }
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.listener)?;
        if let Some(peer) = self.peer {
            write!(f, "/{peer}")?;
        }
        match &self.member {
            Some(member) => write!(f, "/{}", member.who.name),
            None => Ok(()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Refused> {
        let caller = parts.extensions.get().cloned();
        let unknown = || Problem::new(Code::Internal, "the request does not say who calls");
        Ok(caller.ok_or_else(unknown)?)
    }
}
