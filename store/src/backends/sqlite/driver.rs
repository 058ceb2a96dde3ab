//! Runs the SQL texts in SQLite: parameters by name, rows by column.

use std::borrow::Cow;

use leafid_core::Token;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, Error, Row, ToSql};

use crate::backends::{Answer, Want, Write};
use leafid_turn::sql::columns::{Source, Value};
use leafid_turn::sql::gaps::Reading;
use leafid_turn::sql::{self, Query, SQLITE, Step};

type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Copy, Debug)]
pub struct Driver<'c>(pub &'c Connection);

impl<'c> Driver<'c> {
    pub fn look(self, want: &Want) -> Result<Answer> {
        let mut reading = Reading::of(*want);
        loop {
            let found = self.read(want, &reading.query())?;
            if let Some(answer) = reading.learn(found) {
                return Ok(answer);
            }
        }
    }

    /// Writes a group, up to the first row that has changed since it was read; whether none had.
    pub fn put(self, group: &[Write]) -> Result<bool> {
        for step in group.iter().flat_map(|write| sql::steps(write, false)) {
            let done = match step {
                Step::Write(query) => self.run(&query)? > 0,
                Step::Adjust(query) => self.run(&query).map(|_| true)?,
                Step::Find(query) => self.prepared(&query)?.raw_query().next()?.is_some(),
            };
            if !done {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn read(self, want: &Want, query: &Query) -> Result<Answer> {
        let mut answer = Answer::none(want);
        let mut statement = self.prepared(query)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            if let Err(odd) = sql::gather(&mut answer, &Read(row)) {
                return Ok(Answer::Unreadable(sql::unreadable(query, &odd)));
            }
        }
        Ok(answer)
    }

    fn run(self, query: &Query) -> Result<usize> {
        self.prepared(query)?.raw_execute()
    }

    fn prepared(self, query: &Query) -> Result<CachedStatement<'c>> {
        let text = SQLITE.text(query.text);
        let mut statement = self.0.prepare_cached(text.sql)?;
        let mut next = 0;
        for (index, name) in text.names.iter().enumerate() {
            let unknown = || Error::InvalidParameterName((*name).to_owned());
            let (value, after) = query.params.find(name, next).ok_or_else(unknown)?;
            next = after;
            statement.raw_bind_parameter(index + 1, Bound(value))?;
        }
        Ok(statement)
    }
}

struct Bound<'v>(&'v Value<'static>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Flag(value) => ValueRef::Integer((*value).into()),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Token(token) => return Ok(token.bytes().to_vec().into()),
            Value::TooLarge(value) => {
                let detail = format!("{value} is more than a column holds");
                return Err(Error::ToSqlConversionFailure(detail.into()));
            }
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

struct Read<'r>(&'r Row<'r>);

impl Source for Read<'_> {
    fn columns(&self) -> usize {
        self.0.as_ref().column_count()
    }

    fn name(&self, column: usize) -> Option<&str> {
        self.0.as_ref().column_name(column).ok()
    }

    fn value(&self, column: usize) -> Option<Value<'_>> {
        Some(match self.0.get_ref(column).ok()? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Int(value),
            ValueRef::Text(text) => Value::Text(Cow::Borrowed(str::from_utf8(text).ok()?)),
            ValueRef::Blob(bytes) => Value::Token(Token::new(bytes.try_into().ok()?)),
            ValueRef::Real(_) => return None,
        })
    }
}
