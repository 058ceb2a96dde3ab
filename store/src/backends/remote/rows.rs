//! Rows that were read, and the numbers without rows between them.

use std::sync::Arc;

use leafid_core::Token;

use crate::backends::link::Broken;
use crate::backends::sql::columns::{Source, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    names: Arc<[String]>,
    values: Vec<Value<'static>>,
}

type Result<T> = std::result::Result<T, Broken>;

/// How many numbers are looked at together for one that was never handed out: as many as the text
/// says.
pub const STRETCH: usize = 1_000;

impl Row {
    pub fn new(names: Arc<[String]>, values: Vec<Value<'static>>) -> Row {
        Row { names, values }
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

/// The lowest numbers from `next` on that are not among those that have rows, as far as these rows
/// tell; whether that is far enough.
pub fn gaps(
    rows: &[Row],
    next: &mut u64,
    end: u64,
    count: usize,
    found: &mut Vec<u64>,
) -> Result<bool> {
    let enough =
        |found: &Vec<u64>| found.len() >= count || found.last().is_some_and(|last| *last >= end);
    for row in rows {
        let used = row.number(0)?;
        while *next < used && !enough(found) {
            found.push(*next);
            *next += 1;
        }
        if enough(found) {
            return Ok(true);
        }
        *next = used.saturating_add(1);
    }
    // Where all that were asked for came, more may follow.
    if rows.len() >= STRETCH {
        return Ok(false);
    }
    while !enough(found) {
        found.push(*next);
        *next = next.saturating_add(1);
    }
    Ok(true)
}

/// A row that is not ours is not written over.
fn odd(at: usize, why: &str) -> Broken {
    Broken::refused(format!("a row of the store has a wrong column {}: {why}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_rows_are_found_between_those_that_have_some() {
        let names: Arc<[String]> = Arc::new(["worker".to_owned()]);
        let rows = |used: &[i64]| {
            let row = |n: &i64| Row::new(Arc::clone(&names), vec![Value::Int(*n)]);
            used.iter().map(row).collect::<Vec<_>>()
        };
        for (used, from, end, count, gives) in [
            (&[][..], 5, 100, 3, &[5, 6, 7][..]),
            (&[5, 6, 8], 5, 100, 3, &[7, 9, 10]),
            (&[6], 5, 100, 1, &[5]),
            (&[5], 5, 6, 4, &[6]),
            (&[5], 5, 5, 4, &[6]),
            (&[], 5, 7, 4, &[5, 6, 7]),
        ] {
            let (mut next, mut found) = (from, Vec::new());
            assert!(gaps(&rows(used), &mut next, end, count, &mut found).unwrap());
            assert_eq!(found, gives, "{used:?} {from} {end} {count}");
        }
        let many: Vec<i64> = (0..STRETCH as i64).collect();
        let (mut next, mut found) = (0, Vec::new());
        assert!(!gaps(&rows(&many), &mut next, 2_000, 1, &mut found).unwrap());
        assert_eq!((next, found.len()), (STRETCH as u64, 0));
    }
}
