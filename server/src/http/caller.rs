//! The caller of a request.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::access::allow::Allowance;
use crate::access::tokens::Member;

#[derive(Clone, Debug)]
pub struct Caller {
    pub listener: &'static str,
    /// The peer's address; `None` for a verb that calls the handlers in its own process.
    pub peer: Option<SocketAddr>,
    /// The principal of its token, where tokens are required.
    pub member: Option<Arc<Member>>,
}

impl Caller {
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
