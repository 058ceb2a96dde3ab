//! The sockets that a server listens on.

use std::net::{IpAddr, SocketAddr};

use leafid_store::problem::Problem;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};

/// How many connections wait until they are accepted.
const BACKLOG: u32 = 1_024;

/// Binds an address; `all` are those that this server listens on.
pub fn bind(address: SocketAddr, all: &[SocketAddr], option: &str) -> Result<TcpListener, Problem> {
    let bound = || -> std::io::Result<TcpListener> {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A restart does not wait for the last connections of the server before it.
        socket.set_reuseaddr(true)?;
        // `[::]` takes in version 4, too, unless that is listened on by itself.
        let v4 = SocketAddr::new(IpAddr::from([0, 0, 0, 0]), address.port());
        if address.is_ipv6() && all.contains(&v4) {
            rustix::net::sockopt::set_ipv6_v6only(&socket, true)?;
        }
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().map_err(|error| {
        Problem::unavailable(format!(
            "cannot listen on {address}: {error}; stop what listens there, or choose another address: \
             {option}"
        ))
    })
}

/// Has the machine give this process as many open files as its connections need, if it may.
pub fn room_for(connections: usize) {
    // Beside those of one listener the others', the store's files, its connections to a database.
    let connections = u64::try_from(connections).unwrap_or(u64::MAX);
    let wanted = connections.saturating_mul(2).saturating_add(256);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(now) = current.filter(|now| *now < wanted) else { return };
    let most = maximum.map_or(wanted, |most| most.min(wanted));
    let raised = Rlimit { current: Some(most.max(now)), maximum };
    let _ = setrlimit(Resource::Nofile, raised);
    let left = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if left < connections.saturating_add(64) {
        tracing::warn!(
            "{left} open files are allowed, which may be too few for {connections} connections of each \
             listener: raise the limit, or lower --max-connections"
        );
    }
}
