//! What is written: the statements of a group, and whether it was written whole.

use leafid_core::registry::{Namespace, TagRow, WorkerRow};

use super::driver::{Did, Step};
use super::statement::{Asked, Statement, Value};
use crate::backends::{Group, NamespaceRow, WorkerWrite, Write};

/// How much of a group was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// All of it.
    Whole,
    /// A part: the transaction must not be committed.
    Half,
    /// Nothing.
    Not,
}

/// The statements that write a group, what is only looked at first.
pub fn of_group(group: &Group) -> Vec<Step> {
    group.iter().flat_map(of_write).collect()
}

/// Looks at what the statements of a group did; those that were left out did nothing.
pub fn applied(steps: &[Step], did: &[Did]) -> Applied {
    let rows = |at: usize| did.get(at).map_or(0, |did| did.rows);
    let holds = steps
        .iter()
        .enumerate()
        .all(|(at, step)| at < did.len() && (!step.conditional || rows(at) > 0));
    let wrote = steps.iter().enumerate().any(|(at, step)| step.writes && rows(at) > 0);
    match (holds, wrote) {
        (true, _) => Applied::Whole,
        (false, true) => Applied::Half,
        (false, false) => Applied::Not,
    }
}

fn of_write(write: &Write) -> Vec<Step> {
    match write {
        Write::Same(name, before) => {
            let asked = Asked::new(Statement::NamespaceSame).with("namespace", name.as_str());
            let asked = asked.was(namespace_columns(&before.row));
            vec![Step { asked, conditional: true, writes: false }]
        }
        Write::Tag { tag, before, after } => {
            let statement = if before.is_some() { Statement::TagChange } else { Statement::TagAdd };
            let asked = Asked::new(statement).with("tag", tag.as_str()).columns(tag_columns(after));
            let before = before.map_or_else(Vec::new, |before| tag_columns(&before.row));
            vec![conditional(asked.was(before))]
        }
        Write::Namespace { namespace, before, after } => {
            let statement = match before {
                Some(_) => Statement::NamespaceChange,
                None => Statement::NamespaceAdd,
            };
            let of = |statement| Asked::new(statement).with("namespace", namespace.as_str());
            let asked = of(statement).columns(namespace_columns(after));
            let was = before.map_or_else(Vec::new, |before| namespace_columns(&before.row));
            let mut steps = vec![conditional(asked.was(was))];
            let workers = after.namespace.workers;
            if before.is_some_and(|before| before.row.namespace.workers != workers) {
                // After the namespace, whose lock keeps others from adding numbers meanwhile.
                let asked = of(Statement::Range).with("start", workers.start);
                let asked = asked.with("end", workers.end);
                steps.push(Step { asked, conditional: false, writes: true });
            }
            steps
        }
        Write::Worker(write) => {
            let WorkerWrite { namespace, worker, before, after } = write.as_ref();
            let statement = match before {
                Some(_) => Statement::WorkerChange,
                None => Statement::WorkerAdd,
            };
            let asked = Asked::new(statement).with("namespace", namespace.as_str());
            let asked = asked.with("worker", *worker).columns(worker_columns(after));
            let before = before.map_or_else(Vec::new, |before| worker_columns(&before.row));
            vec![conditional(asked.was(before))]
        }
        Write::Beat(now) => {
            let asked = Asked::new(Statement::Beat).with("now", now.get());
            vec![Step { asked, conditional: false, writes: true }]
        }
    }
}

fn conditional(asked: Asked) -> Step {
    Step { asked, conditional: true, writes: true }
}

fn tag_columns(row: &TagRow) -> Vec<(&'static str, Value)> {
    let TagRow { max_id, step, max_step, deleted, until } = *row;
    vec![
        ("max_id", max_id.into()),
        ("step", step.into()),
        ("max_step", max_step.into()),
        ("deleted", deleted.into()),
        ("until", until.into()),
    ]
}

/// The columns of a namespace.
pub fn namespace_columns(row: &NamespaceRow) -> Vec<(&'static str, Value)> {
    let NamespaceRow { namespace, used_until } = *row;
    let Namespace { layout, max_window_ms, workers, floor } = namespace;
    vec![
        ("epoch_ms", layout.epoch_ms().into()),
        ("tick_ms", layout.tick_ms().into()),
        ("time_bits", layout.time_bits().into()),
        ("worker_bits", layout.worker_bits().into()),
        ("sequence_bits", layout.sequence_bits().into()),
        ("max_window_ms", max_window_ms.into()),
        ("workers_start", workers.start.into()),
        ("workers_end", workers.end.into()),
        ("floor", floor.into()),
        ("used_until", used_until.into()),
    ]
}

fn worker_columns(row: &WorkerRow) -> Vec<(&'static str, Value)> {
    let WorkerRow { owner, sticky, key, held_from, reserved_until, granted } = *row;
    vec![
        ("owner", owner.as_str().into()),
        ("sticky", sticky.into()),
        ("key", key.map(|key| key.bytes()).into()),
        ("held_from", held_from.into()),
        ("reserved_until", reserved_until.into()),
        ("granted_ms", granted.get().into()),
    ]
}

#[cfg(test)]
mod tests {
    use leafid_core::{Layout, Name, Range, StoreTime, Token};

    use super::super::text::{Style, Text};
    use super::*;
    use crate::backends::Seen;

    fn seen<T>(row: T) -> Option<Seen<T>> {
        Some(Seen { row, revision: 0 })
    }

    /// Every write that there is.
    fn writes() -> Vec<Write> {
        let name = Name::tag("a").unwrap();
        let tag = TagRow { max_id: 1, step: 2, max_step: 3, deleted: false, until: Some(9) };
        let namespace = Namespace::create(Layout::LEAF, None, None).unwrap();
        let row = NamespaceRow { namespace, used_until: 0 };
        let workers = Range::new(1, 4);
        let other = NamespaceRow { namespace: Namespace { workers, ..namespace }, used_until: 1 };
        let worker = |before| {
            let after = WorkerRow { key: Some(Token::new([1; 16])), ..WorkerRow::default() };
            Write::Worker(Box::new(WorkerWrite { namespace: name, worker: 1, before, after }))
        };
        vec![
            Write::Same(name, Seen { row, revision: 0 }),
            Write::Tag { tag: name, before: None, after: tag },
            Write::Tag { tag: name, before: seen(tag), after: tag },
            Write::Namespace { namespace: name, before: None, after: row },
            Write::Namespace { namespace: name, before: seen(row), after: other },
            worker(None),
            worker(seen(WorkerRow::default())),
            Write::Beat(StoreTime::new(1)),
        ]
    }

    #[test]
    fn every_parameter_of_a_writing_has_a_value() {
        let mut checked = 0;
        for step in writes().iter().flat_map(of_write) {
            let text = Text::translate(step.asked.statement.postgres(), Style::Numbered);
            for name in text.names {
                assert!(step.asked.value(name).is_some(), "{name} of {:?}", step.asked.statement);
                checked += 1;
            }
        }
        assert!(checked > 80, "{checked}");
    }

    #[test]
    fn a_group_is_whole_only_where_every_condition_held() {
        let steps: Vec<_> = [&writes()[0], &writes()[6]].into_iter().flat_map(of_write).collect();
        let did = |rows: &[u64]| {
            rows.iter().map(|rows| Did { rows: *rows, now_ms: None }).collect::<Vec<_>>()
        };
        for (rows, gives) in [
            (&[1, 1][..], Applied::Whole),
            (&[1, 0], Applied::Not),
            (&[0], Applied::Not),
            (&[0, 1], Applied::Half),
            (&[], Applied::Not),
        ] {
            assert_eq!(applied(&steps, &did(rows)), gives, "{rows:?}");
        }
    }
}
