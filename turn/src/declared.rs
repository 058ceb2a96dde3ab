//! Tags and namespaces that a program declares in code: created where they are missing, compared where they
//! exist.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{Code, LINE_END, Layout, Name};

use crate::change::{NamespaceChange, TagChange};
use crate::explain;
use crate::namespaces;
use crate::problem::Problem;
use crate::rows::TurnRows;
use crate::segments;
use crate::stop::Stop;

/// How to treat a row that differs from its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Refuse it, because operators change this store by commands. The text is the store's place, which the
    /// refusal names. Fields that the declaration leaves out match anything; a deleted tag stays deleted.
    Refused(String),
    /// Change the row, because there are no commands (D1, Durable Objects). Fields that the declaration leaves
    /// out mean their default.
    Changed {
        /// Whether a new tag must declare its first number, because a new store looks like a lost one.
        needs_from: bool,
    },
}

/// Creates, compares or changes a tag to match its declaration.
///
/// # Errors
/// `TAG_EXISTS`, and [`segments::put`]'s.
pub fn tag(
    turn: &mut TurnRows,
    name: &Name,
    said: &TagChange,
    how: &Difference,
) -> Result<(), Stop> {
    let made = || {
        let made = TagRow::create(None, &said.spec());
        made.map_err(|refusal| explain::tag_change(refusal, name, said, None))
    };
    match (turn.tag(name)?, how) {
        (None, Difference::Changed { needs_from: true }) if said.from.is_none() => {
            let detail = format!(
                "tag `{name}` needs `from`: it has no row here, as a new tag has none, and one whose \
                 object lost its storage; declare `from: '1'` for a new one, else a first number above \
                 every one in use"
            );
            Err(Problem::new(Code::RequestInvalid, detail).into())
        }
        (None, _) => segments::put(turn, name, said).map(drop),
        (Some(row), Difference::Refused(_)) if row.deleted => Ok(()),
        (Some(row), Difference::Changed { .. }) if row.deleted => {
            segments::put(turn, name, said).map(drop)
        }
        (Some(row), Difference::Refused(place)) => {
            let made = made()?;
            let mut others: Vec<String> = below(said, &row).into_iter().collect();
            let until = |until: Option<u64>| until.map_or("none".into(), |until| until.to_string());
            others.extend(other("step", said.step, row.step, made.step));
            others.extend(other("max_step", said.max_step, row.max_step, made.max_step));
            others.extend(other("until", said.until, until(row.until), until(made.until)));
            let way = format!(
                "declare what is there, or change it: leafid tag set {name} --store {place}"
            );
            exists(Code::TagExists, format!("tag `{name}`"), &others, &way)
        }
        (Some(row), Difference::Changed { .. }) => {
            let (made, below) = (made()?, below(said, &row));
            let way = "leave `from` out, or take another name";
            exists(Code::TagExists, format!("tag `{name}`"), below.as_slice(), way)?;
            let whole = TagChange {
                step: Some(made.step),
                max_step: Some(made.max_step),
                until: Some(made.until.unwrap_or(LINE_END)),
                ..TagChange::default()
            };
            segments::put(turn, name, &whole).map(drop)
        }
    }
}

/// Creates, compares or changes a namespace to match its declaration.
///
/// # Errors
/// `LAYOUT_MISMATCH`, and [`namespaces::put`]'s.
pub fn namespace(
    turn: &mut TurnRows,
    name: &Name,
    said: &NamespaceChange,
    how: &Difference,
) -> Result<(), Stop> {
    let made =
        Namespace::create(said.layout.unwrap_or(Layout::LEAF), said.workers, said.max_window_ms);
    // Requests the fence now, so that creating the namespace needs no further read.
    let _ = turn.lost_before();
    match (turn.namespace(name)?.map(|row| row.namespace), how, made) {
        (Some(row), Difference::Refused(place), Ok(made)) => {
            let workers = |of: &Namespace| format!("{}..{}", of.workers.start, of.workers.end);
            let (is, wanted) = (explain::words(&row.layout), explain::words(&made.layout));
            let others: Vec<String> = [
                other("layout", said.layout, is, wanted),
                other("workers", said.workers, workers(&row), workers(&made)),
                other("max_window_ms", said.max_window_ms, row.max_window_ms, made.max_window_ms),
            ]
            .into_iter()
            .flatten()
            .collect();
            let way = format!(
                "declare what is there, or change it: leafid namespace set {name} --store {place}"
            );
            exists(Code::LayoutMismatch, format!("namespace `{name}`"), &others, &way)
        }
        // Nothing to change, or already changed by this request before it had to read more rows.
        (Some(row), Difference::Changed { .. }, Ok(made))
            if row == (Namespace { floor: row.floor, ..made }) =>
        {
            Ok(())
        }
        (_, Difference::Changed { .. }, Ok(Namespace { layout, workers, max_window_ms, .. })) => {
            let whole = NamespaceChange {
                layout: Some(layout),
                workers: Some(workers),
                max_window_ms: Some(max_window_ms),
                only_create: false,
            };
            namespaces::put(turn, name, &whole).map(drop)
        }
        // A missing namespace is created; an invalid declaration is refused by `put`.
        _ => namespaces::put(turn, name, said).map(drop),
    }
}

/// The mismatch of a tag whose position lies below the declared `from`: it was created with another one, and
/// would hand out numbers below it.
fn below(said: &TagChange, row: &TagRow) -> Option<String> {
    let from = said.from.filter(|from| row.max_id < *from)?;
    let stands = row.max_id;
    Some(format!(
        "it stands at `{stands}`, below `from` `{from}`, which counts only when a tag is made"
    ))
}

/// The mismatch of a field that is declared with another value.
fn other<S, T: PartialEq + core::fmt::Display>(
    field: &str,
    said: Option<S>,
    is: T,
    wanted: T,
) -> Option<String> {
    let differs = said.is_some() && is != wanted;
    differs.then(|| format!("`{field}` is `{is}`, not `{wanted}`"))
}

fn exists(code: Code, about: String, others: &[String], way: &str) -> Result<(), Stop> {
    if others.is_empty() {
        return Ok(());
    }
    let others = others.join(", ");
    let detail = format!("{about} exists already, and not as declared: {others}; {way}");
    Err(Problem::new(code, detail).into())
}
