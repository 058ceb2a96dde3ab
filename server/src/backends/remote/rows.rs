//! What is read: a statement for each want, and what its rows mean.

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{Layout, Name, Refusal, StoreTime, Token};

use super::driver::Row;
use super::statement::{Asked, Statement, Value};
use crate::backends::{Answer, NamespaceRow, Seen, Want};

/// A row that says what no row of ours does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odd(pub String);

type Result<T> = std::result::Result<T, Odd>;

/// So many numbers are looked at together for one that was never handed out.
pub const STRETCH: u32 = 1_000;

/// The statement that reads what is wanted.
pub fn asked(want: &Want) -> Asked {
    let of =
        |statement, namespace: &Name| Asked::new(statement).with("namespace", namespace.as_str());
    let page_of = |statement, after: Option<Name>, limit: u32| {
        let after = after.unwrap_or(Name::EMPTY);
        Asked::new(statement).with("after", after.as_str()).with("count", limit)
    };
    match want {
        Want::Tag(tag) => Asked::new(Statement::Tag).with("tag", tag.as_str()),
        Want::Namespace(name) => of(Statement::Namespace, name),
        Want::Worker(name, worker) => of(Statement::Worker, name).with("worker", *worker),
        Want::Mine(name, request) => of(Statement::Mine, name).with("key", request.bytes()),
        Want::Own(name, owner) => of(Statement::Own, name).with("owner", owner.as_str()),
        Want::Rested(name, count) => of(Statement::Rested, name).with("count", *count as u64),
        Want::Kept(name, count) => of(Statement::Kept, name).with("count", *count as u64),
        Want::Unused { namespace, from, .. } => used(namespace, *from),
        Want::Leaving { namespace, before, after } => of(Statement::Leaving, namespace)
            .with("before_start", before.start)
            .with("before_end", before.end)
            .with("after_start", after.start)
            .with("after_end", after.end),
        Want::Tags(page) => page_of(Statement::Tags, page.after, page.limit),
        Want::Namespaces(page) => page_of(Statement::Namespaces, page.after, page.limit),
        Want::Workers(name, page) => of(Statement::Workers, name)
            .with("after", page.after.map_or(-1, i64::from))
            .with("count", page.limit),
    }
}

/// The numbers from `from` on that have rows.
pub fn used(namespace: &Name, from: u64) -> Asked {
    let asked = Asked::new(Statement::Used).with("namespace", namespace.as_str());
    asked.with("from", from).with("count", STRETCH)
}

/// What was found; [`Want::Unused`] has its own way.
pub fn answer(want: &Want, rows: Vec<Row>) -> Result<Answer> {
    let seen = |row| Seen { row, revision: 0 };
    let first = || rows.first();
    Ok(match want {
        Want::Tag(_) => Answer::Tag(first().map(tag).transpose()?.map(|(_, row)| seen(row))),
        Want::Namespace(_) => {
            let found = first().map(namespace).transpose()?;
            Answer::Namespace(found.map(|(_, row)| Seen { row, revision: 0 }))
        }
        Want::Tags(_) => Answer::Tags(rows.iter().map(tag).collect::<Result<_>>()?),
        Want::Namespaces(_) => {
            let found = rows.iter().map(namespace).collect::<Result<Vec<_>>>()?;
            Answer::Namespaces(found.into_iter().map(|(name, row)| (name, row.namespace)).collect())
        }
        Want::Unused { .. } => Answer::Unused(Vec::new()),
        _ => {
            let found = rows.iter().map(worker).collect::<Result<Vec<_>>>()?;
            let found = found.into_iter().map(|(n, row)| (n, Seen { row, revision: 0 }));
            Answer::Workers(found.collect())
        }
    })
}

/// The lowest numbers from `next` on that are not among those that have rows, as far as these rows
/// tell; where to go on if that is not far enough.
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
        let used = number(row, 0)?;
        while *next < used && !enough(found) {
            found.push(*next);
            *next += 1;
        }
        if enough(found) {
            return Ok(true);
        }
        *next = used.saturating_add(1);
    }
    // More rows than were asked for may follow.
    if rows.len() >= STRETCH as usize {
        return Ok(false);
    }
    while !enough(found) {
        found.push(*next);
        *next = next.saturating_add(1);
    }
    Ok(true)
}

fn tag(row: &Row) -> Result<(Name, TagRow)> {
    let read = TagRow {
        max_id: number(row, 0)?,
        step: small(row, 1)?,
        max_step: small(row, 2)?,
        deleted: flag(row, 3)?,
        until: optional(row, 5)?,
    };
    Ok((name(row, 4, Name::tag)?, read))
}

fn namespace(row: &Row) -> Result<(Name, NamespaceRow)> {
    let bits = |at| small::<u8>(row, at);
    let layout = Layout::new(int(row, 0)?, small(row, 1)?, bits(2)?, bits(3)?, bits(4)?);
    let layout = layout.map_err(|refusal| odd(0, refusal.code.as_str()))?;
    let workers = leafid_core::Range::new(number(row, 6)?, number(row, 7)?);
    let (max_window_ms, floor) = (small(row, 5)?, number(row, 8)?);
    let namespace = Namespace { layout, max_window_ms, workers, floor };
    Ok((name(row, 10, Name::namespace)?, NamespaceRow { namespace, used_until: number(row, 9)? }))
}

fn worker(row: &Row) -> Result<Worker> {
    let nobody = |text: &str| if text.is_empty() { Ok(Name::EMPTY) } else { Name::owner(text) };
    let key = match row.get(3) {
        Some(Value::Null) => None,
        _ => Some(token(row, 3)?),
    };
    let read = WorkerRow {
        owner: name(row, 1, nobody)?,
        sticky: flag(row, 2)?,
        key,
        held_from: number(row, 4)?,
        reserved_until: number(row, 5)?,
        granted: StoreTime::new(int(row, 6)?),
    };
    Ok((small(row, 0)?, read))
}

/// A number, which may be negative.
pub fn int(row: &Row, at: usize) -> Result<i64> {
    match row.get(at) {
        Some(Value::Int(value)) => Ok(*value),
        other => Err(odd(at, &format!("{other:?} is no number"))),
    }
}

/// A number from 0 on.
pub fn number(row: &Row, at: usize) -> Result<u64> {
    let value = int(row, at)?;
    u64::try_from(value).map_err(|_| odd(at, &format!("{value} is below 0")))
}

fn optional(row: &Row, at: usize) -> Result<Option<u64>> {
    match row.get(at) {
        Some(Value::Null) => Ok(None),
        _ => number(row, at).map(Some),
    }
}

/// A number that is small.
pub fn small<T: TryFrom<i64>>(row: &Row, at: usize) -> Result<T> {
    let value = int(row, at)?;
    T::try_from(value).map_err(|_| odd(at, &format!("{value} is out of range")))
}

/// A flag.
pub fn flag(row: &Row, at: usize) -> Result<bool> {
    match row.get(at) {
        Some(Value::Flag(value)) => Ok(*value),
        Some(Value::Int(value)) => Ok(*value != 0),
        other => Err(odd(at, &format!("{other:?} is no flag"))),
    }
}

/// A text.
pub fn text(row: &Row, at: usize) -> Result<&str> {
    match row.get(at) {
        Some(Value::Text(text)) => Ok(text),
        Some(Value::Bytes(bytes)) => {
            std::str::from_utf8(bytes).map_err(|_| odd(at, "the bytes are no text"))
        }
        other => Err(odd(at, &format!("{other:?} is no text"))),
    }
}

/// 16 bytes.
pub fn token(row: &Row, at: usize) -> Result<Token> {
    match row.get(at) {
        Some(Value::Bytes(bytes)) => match <[u8; 16]>::try_from(bytes.as_slice()) {
            Ok(bytes) => Ok(Token::new(bytes)),
            Err(_) => Err(odd(at, "they are not 16 bytes")),
        },
        other => Err(odd(at, &format!("{other:?} is no bytes"))),
    }
}

fn name(
    row: &Row,
    at: usize,
    read: impl FnOnce(&str) -> std::result::Result<Name, Refusal>,
) -> Result<Name> {
    let text = text(row, at)?;
    read(text).map_err(|_| odd(at, &format!("`{text}` is no name")))
}

fn odd(at: usize, why: &str) -> Odd {
    Odd(format!("a row of the store has a wrong column {}: {why}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_rows_are_found_between_those_that_have_some() {
        let rows = |used: &[i64]| used.iter().map(|n| vec![Value::Int(*n)]).collect::<Vec<_>>();
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
        let many: Vec<i64> = (0..i64::from(STRETCH)).collect();
        let (mut next, mut found) = (0, Vec::new());
        assert!(!gaps(&rows(&many), &mut next, 2_000, 1, &mut found).unwrap());
        assert_eq!((next, found.len()), (u64::from(STRETCH), 0));
    }
}
