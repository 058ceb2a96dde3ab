//! What sends a statement again and again, and the connections for it.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::Outcome;

/// A statement that is sent again and again.
pub trait Sends {
    /// Sends it on so many connections at once for so long; how often it was done.
    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64>;
}

/// Connections to PostgreSQL, and what each sends.
pub type Postgresqls = Vec<(tokio_postgres::Client, tokio_postgres::Statement)>;

/// So many connections that send this statement in sessions that begin with these words.
pub fn postgres(
    url: &str,
    connections: usize,
    session: &str,
    lease: &str,
) -> Outcome<(Runtime, Postgresqls)> {
    let runtime = runtime()?;
    let connect = async {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(session).await?;
            let statement = client.prepare(lease).await?;
            clients.push((client, statement));
        }
        Ok::<_, tokio_postgres::Error>(clients)
    };
    let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
    Ok((runtime, clients))
}

/// So many connections to MySQL.
pub fn mysql(url: &str, connections: usize) -> Outcome<(Runtime, Vec<mysql_async::Conn>)> {
    let runtime = runtime()?;
    let connect = async {
        let mut clients = Vec::new();
        let options = mysql_async::Opts::from_url(url)?;
        let options = mysql_async::OptsBuilder::from_opts(options).prefer_socket(false);
        for _ in 0..connections {
            clients.push(mysql_async::Conn::new(options.clone()).await?);
        }
        Ok::<_, mysql_async::Error>(clients)
    };
    let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
    Ok((runtime, clients))
}

/// One thread, as the server has for its store.
pub fn runtime() -> Outcome<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())
}
