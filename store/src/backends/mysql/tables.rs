//! In which tables a store lies: in a database of its own, or beside another program's.

use std::borrow::Cow;

use mysql_async::{Conn, Error};

use crate::backends::remote::{self, About};
use crate::backends::sql::{self, Texts};
use crate::problem::Problem;

/// The tables of a store.
pub trait Tables: Send + Sync + 'static {
    /// The texts for rows.
    const TEXTS: Texts;
    /// The texts about the store.
    const ABOUT: About;

    /// A text as these tables are called.
    fn named(text: &str) -> Cow<'_, str>;

    /// Looks whether what others keep for us is there.
    ///
    /// # Errors
    /// What the exchange failed with; within it, what is wrong with the tables.
    fn examine(
        connection: &mut Conn,
        place: &str,
    ) -> impl Future<Output = Result<Result<(), Problem>, Error>> + Send;
}

/// A database of our own.
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl Tables for Own {
    const TEXTS: Texts = sql::MYSQL;
    const ABOUT: About = remote::MYSQL;

    fn named(text: &str) -> Cow<'_, str> {
        Cow::Borrowed(text)
    }

    async fn examine(_: &mut Conn, _: &str) -> Result<Result<(), Problem>, Error> {
        Ok(Ok(()))
    }
}
