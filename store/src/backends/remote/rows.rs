//! Rows as read from an SQL database, and the gaps between their numbers.

use std::sync::Arc;

use leafid_core::Token;

use crate::backends::link::Broken;
use leafid_turn::sql::columns::{Source, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    names: Arc<[String]>,
    values: Vec<Value<'static>>,
}

type Result<T> = std::result::Result<T, Broken>;

impl Row {
    pub fn new(names: Arc<[String]>, values: Vec<Value<'static>>) -> Row {
        Row { names, values }
    }

    /// The row of a query that always gives one.
    pub fn only(rows: &[Row]) -> Result<&Row> {
        rows.first().ok_or_else(|| Broken::refused("no row came where one always does"))
    }

    pub fn int(&self, at: usize) -> Result<i64> {
        match self.values.get(at) {
            Some(Value::Int(value)) => Ok(*value),
            other => Err(odd(at, &format!("expected a number, got {other:?}"))),
        }
    }

    pub fn number<T: TryFrom<i64>>(&self, at: usize) -> Result<T> {
        let value = self.int(at)?;
        T::try_from(value).map_err(|_| odd(at, &format!("{value} is out of range")))
    }

    pub fn text(&self, at: usize) -> Result<&str> {
        match self.values.get(at) {
            Some(Value::Text(text)) => Ok(text),
            other => Err(odd(at, &format!("expected text, got {other:?}"))),
        }
    }

    /// The text of a column, unless it is null.
    pub fn said(&self, at: usize) -> Result<Option<&str>> {
        match self.values.get(at) {
            Some(Value::Null) => Ok(None),
            _ => self.text(at).map(Some),
        }
    }

    pub fn token(&self, at: usize) -> Result<Token> {
        match self.values.get(at) {
            Some(Value::Token(token)) => Ok(*token),
            other => Err(odd(at, &format!("expected 32 hex digits, got {other:?}"))),
        }
    }
}

impl Source for Row {
    fn columns(&self) -> usize {
        self.values.len()
    }

    fn name(&self, column: usize) -> Option<&str> {
        self.names.get(column).map(String::as_str)
    }

    fn value(&self, column: usize) -> Option<Value<'_>> {
        self.values.get(column).cloned()
    }
}

/// The error for a row that is not ours, so that it is not overwritten.
fn odd(at: usize, why: &str) -> Broken {
    Broken::refused(format!("a row of the store has a wrong column {}: {why}", at + 1))
}
