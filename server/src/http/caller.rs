//! Who calls.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::access::allow::Allowance;
use crate::access::tokens::Member;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

#[derive(Clone, Debug)]
pub struct Caller {
    pub listener: &'static str,
    /// The other end of the connection; none where the command line asks in its own process.
    pub peer: Option<SocketAddr>,
    /// Whose token came with it, where tokens are asked for.
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
