//! PostgreSQL as a back end: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. The tables are in a
//! schema of their own, `leafid`, so the database may have other uses.

mod address;
mod values;

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, NoTls, Socket, Statement as Prepared};

use super::far::Client;
use super::link::{Breakage, Broken, Kind};
use super::remote::{Did, Driver, Ending, LOCKED_MS, Row, STATEMENT_MS, judge};
use super::tls::{advice, failure};
use leafid_turn::sql::errors::kind_of_postgres;
use leafid_turn::sql::{self, Query, Step, Text, Texts};

pub use address::Address;
use values::Param;

/// The advisory lock that keeps two programs from making a store at once: `leafid` in ASCII.
const MAKING: i64 = 0x6c65_6166_6964;

/// A connection to PostgreSQL. Statements are pipelined, so that those sent together cost one round trip.
pub struct Postgres {
    client: tokio_postgres::Client,
    prepared: HashMap<&'static str, Ready>,
}

struct Ready {
    statement: Prepared,
    names: &'static [&'static str],
    columns: Arc<[String]>,
}

impl Postgres {
    async fn prepare(&mut self, asked: &Query) -> Result<(), Broken> {
        if self.prepared.contains_key(asked.text) {
            return Ok(());
        }
        let Text { sql, names } = sql::POSTGRES.text(asked.text);
        let statement = self.client.prepare(sql).await?;
        let columns = statement.columns().iter().map(|column| column.name().to_owned()).collect();
        self.prepared.insert(asked.text, Ready { statement, names, columns });
        Ok(())
    }

    /// Sends all statements, between the first and the last if given, and then waits for all answers.
    async fn pipeline(
        &mut self,
        asked: &[&Query],
        first: Option<&str>,
        last: Option<&str>,
    ) -> Result<Vec<Vec<Row>>, Broken> {
        for asked in asked {
            self.prepare(asked).await?;
        }
        let (client, prepared) = (&self.client, &self.prepared);
        let send = async |sent: Sent<'_>| match sent {
            Sent::Script(sql) => client.batch_execute(sql).await.map(|()| Vec::new()),
            Sent::Asked(asked) => {
                let Some(ready) = prepared.get(asked.text) else { return Ok(Vec::new()) };
                let values: Vec<Param<'_>> =
                    ready.names.iter().map(|name| Param(asked.params.get(name))).collect();
                let params: Vec<&(dyn ToSql + Sync)> =
                    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
                let rows = client.query(&ready.statement, &params).await?;
                rows.iter().map(|row| values::row(row, &ready.columns)).collect()
            }
        };
        let all = first.map(Sent::Script).into_iter();
        let all = all.chain(asked.iter().map(|asked| Sent::Asked(asked)));
        let all = all.chain(last.map(Sent::Script)).map(send);
        // A COMMIT after a failure is answered without an error, so every answer counts.
        let answers = in_order(all).await;
        let mut answers = answers.into_iter().collect::<Result<Vec<_>, Error>>();
        if let Ok(answers) = &mut answers {
            answers.drain(..usize::from(first.is_some()));
            answers.truncate(asked.len());
        }
        Ok(answers?)
    }
}

enum Sent<'a> {
    Script(&'a str),
    Asked(&'a Query),
}

impl Client for Postgres {
    type Address = Address;
    const NAME: &'static str = "PostgreSQL";

    async fn connect(address: &Address) -> Result<Postgres, Broken> {
        let client = client(address).await?;
        // The server's time-outs for statements are shorter than ours for an exchange. Settings that are
        // checked now hold for the session, even if the server reloads its configuration.
        let session = format!(
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE; \
             SET search_path = leafid; SET timezone = 'UTC'; SET lock_timeout = {LOCKED_MS}; \
             SET statement_timeout = {STATEMENT_MS}; \
             SET idle_in_transaction_session_timeout = {STATEMENT_MS}; \
             SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false)"
        );
        client.batch_execute(&session).await?;
        Ok(Postgres { client, prepared: HashMap::new() })
    }

    async fn examine(&mut self, place: &str, allow_unsafe: bool) -> Result<(), Broken> {
        let asked = Query::new("settings", |_| {});
        let found = self.pipeline(&[&asked], None, None).await?.concat();
        judge(place, &found, allow_unsafe)
    }

    fn is_lost(&self) -> bool {
        self.client.is_closed()
    }

    async fn ping(&mut self) -> Result<(), Broken> {
        Ok(self.client.check_connection().await?)
    }
}

impl Driver for Postgres {
    const AT_ONCE: usize = 1_024;
    const TOGETHER: usize = 4_096;

    fn texts(&self) -> Texts {
        sql::POSTGRES
    }

    async fn read(&mut self, asked: &[Query]) -> Result<Vec<Vec<Row>>, Broken> {
        let asked: Vec<&Query> = asked.iter().collect();
        self.pipeline(&asked, None, None).await
    }

    async fn write(&mut self, groups: &[&[Step]], ending: Ending) -> Result<Vec<Vec<Did>>, Broken> {
        let asked: Vec<&Query> =
            groups.iter().flat_map(|steps| steps.iter()).map(Step::query).collect();
        let (first, last) = match ending {
            Ending::Alone => (None, None),
            Ending::Committed => (Some("BEGIN"), Some("COMMIT")),
            Ending::Open => (Some("BEGIN"), None),
        };
        let mut did = self.pipeline(&asked, first, last).await?.into_iter().map(|rows| {
            // A statement that writes returns the time once for each row that it wrote.
            let now_ms = rows.first().and_then(|row| row.int(0).ok());
            Did { rows: rows.len() as u64, now_ms }
        });
        Ok(groups.iter().map(|steps| did.by_ref().take(steps.len()).collect()).collect())
    }

    async fn begin_making(&mut self) -> Result<(), Broken> {
        self.script(&format!("BEGIN; SELECT pg_advisory_xact_lock({MAKING})")).await
    }

    async fn script(&mut self, sql: &str) -> Result<(), Broken> {
        Ok(self.client.batch_execute(sql).await?)
    }
}

/// Connects a client; a task of its own runs the connection.
pub(super) async fn client(address: &Address) -> Result<tokio_postgres::Client, Broken> {
    match &address.tls {
        None => reached(address, NoTls).await,
        Some(tls) => reached(address, tls.clone()).await,
    }
}

async fn reached<T>(address: &Address, tls: T) -> Result<tokio_postgres::Client, Broken>
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static, TlsConnect: Send> + Send + 'static,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = address.config.connect(tls).await?;
    // The connection ends with the client, or by the server: only this task learns why.
    let place = address.place.clone();
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            let why = Broken::from(error).detail;
            tracing::warn!(place, "the database ended the connection: {why}");
        }
    });
    Ok(client)
}

/// Polls each future first in order, then waits for all; the outputs keep that order. `join_all` polls many
/// futures in an order of its own, and a COMMIT must not overtake what it commits.
async fn in_order<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let done: Vec<Poll<F::Output>> = poll_fn(|context| {
        Poll::Ready(futures.iter_mut().map(|future| future.as_mut().poll(context)).collect())
    })
    .await;
    let mut outputs = Vec::with_capacity(futures.len());
    for (future, done) in futures.into_iter().zip(done) {
        outputs.push(match done {
            Poll::Ready(output) => output,
            Poll::Pending => future.await,
        });
    }
    outputs
}

impl From<Error> for Broken {
    /// Classifies an error. Its detail is the server's words or the cause, which the client's own
    /// text leaves out; neither has a password.
    fn from(error: Error) -> Broken {
        let Some(said) = error.as_db_error() else {
            let cause = std::error::Error::source(&error);
            // The client has no error kind for this, and no later try will help.
            if cause.is_some_and(|cause| cause.to_string() == "password missing") {
                return Broken::new("no password in the URL", Breakage::Of(Kind::Denied));
            }
            if let Some(failure) = failure(&error) {
                let detail = advice(failure, "sslrootcert=FILE", Some("sslmode=verify-ca"));
                return Broken::new(detail, Breakage::Untrusted);
            }
            if cause.is_some_and(|cause| cause.to_string() == "server does not support TLS") {
                let detail = "it speaks no TLS: switch `ssl` on there, or leave out `sslmode`";
                return Broken::new(detail, Breakage::Untrusted);
            }
            let detail =
                cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
            let is_lost = error.is_closed() || cause.is_some();
            return if is_lost { Broken::lost(detail) } else { Broken::refused(detail) };
        };
        let (code, message) = (said.code().code(), said.message());
        let kind = kind_of_postgres(code).map_or(Breakage::Refused, Breakage::Of);
        Broken { detail: format!("{message} ({code})"), kind }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::in_order;

    #[tokio::test]
    async fn all_begin_in_their_order_before_any_goes_on() {
        let said = RefCell::new(Vec::new());
        let say = async |n: usize| {
            said.borrow_mut().push(n);
            if !n.is_multiple_of(3) {
                tokio::task::yield_now().await;
                said.borrow_mut().push(1_000 + n);
            }
            n
        };
        let gave = in_order((0..100).map(say)).await;
        assert_eq!(gave, (0..100).collect::<Vec<_>>());
        assert_eq!(said.borrow()[..100], (0..100).collect::<Vec<_>>());
        assert_eq!(said.borrow().len(), 166);
    }
}
