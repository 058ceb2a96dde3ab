//! Converts asks, releases, grants, and the rows of a store.

use leafid_core::registry::{Candidates, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Layout, Name, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};

use crate::bindings::exports::leafid::generator::registry as wit;
use crate::bindings::leafid::generator::types;
use crate::values::{Crosses, at, range, records, token};

records! {
    types::SegmentAsk { tag: Name::tag; request, store, step, at_least, exactly, have_until }
    types::AcquireAsk {
        namespace: Name::namespace, owner: Name::owner;
        request, store, layout, length_ms, sticky, strict
    }
    types::RenewAsk {
        namespace: Name::namespace; request, store, worker, key, have_until, length_ms
    }
    types::Release { namespace: Name::namespace; store, worker, key, unused_from }
    types::SegmentGrant { tag: Name::tag; request, store, range, step, max_step, remaining, now }
    types::WindowGrant { ; request, store, worker, ticks, layout, now, max_window_ms }
    wit::TagRow { ; max_id, step, max_step, deleted, until, claimed_until }
}

/// # Errors
/// `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`.
pub fn namespace(row: wit::NamespaceRow) -> Result<Namespace, Refusal> {
    let (layout, workers) = (Layout::read(row.layout)?, range(row.workers));
    let namespace = Namespace::create(layout, Some(workers), Some(row.max_window_ms))?;
    Ok(Namespace { floor: row.floor, ..namespace })
}

pub fn shown_namespace(row: Namespace) -> wit::NamespaceRow {
    wit::NamespaceRow {
        layout: row.layout.shown(),
        max_window_ms: row.max_window_ms,
        workers: row.workers.shown(),
        floor: row.floor,
    }
}

/// # Errors
/// `REQUEST_INVALID` for an invalid owner.
pub fn worker(row: wit::WorkerRow) -> Result<Worker, Refusal> {
    let owner = if row.owner.is_empty() { Name::EMPTY } else { Name::owner(&row.owner)? };
    let read = WorkerRow {
        owner,
        sticky: row.sticky,
        key: row.key.map(token),
        held_from: row.held_from,
        reserved_until: row.reserved_until,
        granted: at(row.granted),
    };
    Ok((row.worker, read))
}

pub fn shown_worker((worker, row): Worker) -> wit::WorkerRow {
    wit::WorkerRow {
        worker,
        owner: row.owner.as_str().to_owned(),
        sticky: row.sticky,
        key: row.key.shown(),
        held_from: row.held_from,
        reserved_until: row.reserved_until,
        granted: row.granted.get(),
    }
}

/// # Errors
/// As [`worker`].
pub fn candidates(rows: wit::Candidates) -> Result<Candidates, Refusal> {
    let read = |row: Option<wit::WorkerRow>| row.map(worker).transpose();
    Ok(Candidates {
        mine: read(rows.mine)?,
        own: [read(rows.kept)?, read(rows.spare)?],
        rested: read(rows.rested)?,
    })
}
