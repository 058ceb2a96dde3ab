//! An example of everything that crosses the wire: one small story, as the core decides it and the
//! routes write it.

use std::sync::Arc;

use leafid_core::registry::{
    self, Candidates, Namespace, NamespaceSpec, TagRow, TagSpec, WorkerRow,
};
use leafid_core::{
    AcquireAsk, Ask, FieldWriter, Fields, Layout, Name, Range, Refusal, Release, RenewAsk,
    SegmentAsk, SegmentGrant, StoreTime, Token, WindowGrant,
};
use leafid_store::dispense::driver::AtHand;
use leafid_store::json::Writer;
use leafid_store::meter::histogram::Histogram;
use leafid_store::meter::leases::Leased;
use leafid_store::problem::Figure;
use leafid_store::registry::{aside, explain};
use leafid_store::store::{Aside, JournalSight};
use leafid_wire::{Call, tree};
use serde_json::{Value, json};

use crate::routes::overview::{InUse, Overview, StoreSight, Within};
use crate::routes::{decode, health, namespaces, numbers, overview, tags, workers};
use crate::seen::census::{SpaceSight, TagSight};
use crate::seen::numbers::{Count, Numbers};

const STORE: Token =
    Token::new([201, 240, 248, 149, 251, 152, 171, 145, 89, 245, 31, 208, 41, 126, 35, 109]);
const NOW: StoreTime = StoreTime::new(1_800_000_000_000);
/// When the window was renewed.
const LATER: StoreTime = StoreTime::new(1_800_000_030_000);
const WORKER: u32 = 7;
/// The journal, begun when the tag was made.
const JOURNAL: JournalSight = JournalSight { written: true, since: NOW, apart: true };

/// What happened: a tag and a namespace were made, numbers leased, a window acquired, renewed and
/// given back.
pub struct Story {
    tag: Name,
    tag_spec: TagSpec,
    tag_row: TagRow,
    advanced: TagRow,
    lease: SegmentAsk,
    numbers: SegmentGrant,
    space: Name,
    space_spec: NamespaceSpec,
    space_row: Namespace,
    acquire: AcquireAsk,
    window: WindowGrant,
    held: WorkerRow,
    renew: RenewAsk,
    renewed: WindowGrant,
    release: Release,
}

impl Story {
    /// Tells it.
    ///
    /// # Errors
    /// None: no figure in it is refused.
    pub fn tell() -> Result<Story, Refusal<StoreTime>> {
        let tag = Name::tag("orders")?;
        let tag_spec = TagSpec {
            from: Some(5_000_001),
            step: Some(1_000),
            max_step: Some(100_000),
            until: Some(1 << 53),
        };
        let created = TagRow::create(None, &tag_spec)?;
        let lease = SegmentAsk { at_least: Some(3), ..SegmentAsk::new(tag, request(1)) };
        let (tag_row, numbers) = registry::lease_segment(STORE, &created, &lease, NOW)?;
        let numbers = numbers?;
        let advanced = tag_row.advance(6_000_001)?;

        let space = Name::namespace("edge")?;
        let workers = Range::new(0, 64);
        let space_spec = NamespaceSpec {
            layout: Some(Layout::EDGE),
            workers: Some(workers),
            max_window_ms: Some(600_000),
        };
        let space_row = Namespace::create(Layout::EDGE, Some(workers), space_spec.max_window_ms)?;
        let acquire = AcquireAsk {
            layout: Some(Layout::EDGE),
            length_ms: Some(60_000),
            ..AcquireAsk::new(space, request(2), Name::owner("host-7/4711")?)
        };
        let free = Some((WORKER, WorkerRow::default()));
        let candidates = Candidates { rested: free, ..Candidates::default() };
        let acquired = registry::acquire(STORE, &space_row, &candidates, &acquire, NOW)?;
        let window = acquired.grant;
        let renew = RenewAsk::new(space, request(3), &window);
        let renew = RenewAsk { length_ms: Some(60_000), ..renew };
        let (held, renewed) =
            registry::renew(STORE, &space_row, &acquired.worker.1, &renew, LATER)?;
        let renewed = renewed?;
        let unused_from = window.ticks.end;
        let release = Release { unused_from, ..Release::new(space, &window) };
        Ok(Story {
            tag,
            tag_spec,
            tag_row,
            advanced,
            lease,
            numbers,
            space,
            space_spec,
            space_row,
            acquire,
            window,
            held,
            renew,
            renewed,
            release,
        })
    }

    /// The body of a lease of numbers, and its answer.
    pub fn lease(&self) -> (Value, Value) {
        (body(Call::ask(&Ask::Segment(self.lease))), fields(&self.numbers))
    }

    /// The body of an acquire, and its answer.
    pub fn acquire(&self) -> (Value, Value) {
        (body(Call::ask(&Ask::Acquire(self.acquire))), fields(&self.window))
    }

    /// The body of a renewal, and its answer.
    pub fn renew(&self) -> (Value, Value) {
        (body(Call::ask(&Ask::Renew(self.renew))), fields(&self.renewed))
    }

    /// The body of a release.
    pub fn release(&self) -> Value {
        body(Call::release(&self.release))
    }

    /// The body that makes a tag, and the tag.
    pub fn tag(&self) -> (Value, Value) {
        let row = tree(|to| tags::put_row(to, &self.tag, &self.tag_row));
        (fields(&self.tag_spec), row)
    }

    /// The body that moves the tag up, and the tag.
    pub fn advance(&self) -> (Value, Value) {
        let row = tree(|to| tags::put_row(to, &self.tag, &self.advanced));
        (tree(|to| to.big("to", self.advanced.max_id)), row)
    }

    /// The body that makes a namespace, and the namespace.
    pub fn namespace(&self) -> (Value, Value) {
        let row = tree(|to| namespaces::put_row(to, &self.space, &self.space_row));
        (fields(&self.space_spec), row)
    }

    /// The list of the namespace's worker numbers.
    pub fn workers(&self) -> Value {
        let rows = vec![(WORKER, self.held)];
        tree(|to| workers::put_list(to, LATER, rows, &self.space_row.layout))
    }

    /// The body that takes a number over from outside, and its row.
    pub fn aside(&self) -> (Value, Value) {
        let owner = Name::owner("192.0.2.2:54215").unwrap_or(Name::EMPTY);
        let aside = Aside { owner, until: Some(NOW) };
        let row = aside::decide(&self.space_row.layout, &WorkerRow::default(), &aside, LATER);
        let row = row.unwrap_or_default();
        let put = |to: &mut Writer| workers::put_row(to, WORKER, &row, &self.space_row.layout);
        (tree(|to| aside.put(to)), tree(put))
    }

    /// The tag, after the store lost a lease of it.
    pub fn ready(&self) -> Value {
        let (max_id, claimed_until) = (self.numbers.range.start, Some(self.numbers.range.end));
        let stopped = vec![(self.tag, TagRow { max_id, claimed_until, ..self.tag_row })];
        let ready = health::Ready {
            store: STORE,
            now: NOW,
            generation: 1,
            floor: LATER,
            journal: Some(JOURNAL),
            stopped,
        };
        tree(|to| health::put_ready(to, &ready))
    }

    fn numbers_seen(&self) -> Numbers {
        let mut count = Count::new(self.space_row, LATER);
        count.row((WORKER, self.held));
        count.done()
    }

    /// The namespace's worker numbers, one by one.
    pub fn numbers(&self) -> Value {
        let (seen, layout) = (self.numbers_seen(), &self.space_row.layout);
        tree(|to| numbers::put(to, &self.space, 0, &seen, layout))
    }

    /// All of it at a glance.
    pub fn overview(&self) -> Value {
        let writes = Histogram::times();
        writes.note(400);
        let leased = Leased { range: self.numbers.range, at: NOW };
        let at_hand =
            AtHand { next: self.numbers.range.start + 3, ranges: vec![self.numbers.range] };
        let (tag, row) = (self.tag, self.tag_row);
        let tags = vec![(
            TagSight { tag, row, per_second: Some(0.5) },
            InUse { at_hand, recent: vec![leased] },
        )];
        let numbers = Arc::new(self.numbers_seen());
        let (name, row) = (self.space, self.space_row);
        let store = StoreSight {
            place: "sqlite:/var/lib/leafid/leafid.db".to_owned(),
            id: STORE,
            generation: 0,
            found: Ok(health::Ready {
                store: STORE,
                now: LATER,
                generation: 0,
                floor: StoreTime::new(0),
                journal: Some(JOURNAL),
                stopped: Vec::new(),
            }),
            inside: Some(Within {
                waiting: 0,
                journal: Some(JOURNAL),
                position: 0,
                write: writes.read(),
            }),
        };
        let overview = Overview {
            store,
            tags: Some(tags),
            more_tags: false,
            spaces: Some(vec![SpaceSight { name, row, numbers, per_second: Some(0.0) }]),
        };
        tree(|to| overview::put(to, &overview))
    }

    /// What an ID of the namespace `default` is made of.
    pub fn decoded(&self) -> Value {
        let decoded = Name::namespace("default").and_then(|name| {
            let parts = Layout::LEAF.decompose(id())?;
            Ok(tree(|to| decode::put_parts(to, (id(), parts), &Layout::LEAF, Some(&name))))
        });
        decoded.unwrap_or_default()
    }

    /// The tag, asked for under a name that is not quite its own.
    pub fn problem(&self) -> Value {
        let misspelt = Name::tag("ordres").unwrap_or(Name::EMPTY);
        let id = Figure::Text("5f1e0c7a9b3d2e4600000000000000a7".to_owned());
        let problem = explain::tag_unknown(&misspelt).with("request_id", id);
        serde_json::from_str(&problem.json()).unwrap_or_default()
    }
}

/// An ID of the layout `leaf`.
pub fn id() -> u64 {
    Layout::LEAF.compose(NOW, WORKER, 17).unwrap_or_default()
}

/// A list with one row.
pub fn list(field: &str, row: Value) -> Value {
    json!({ field: [row] })
}

fn request(last: u8) -> Token {
    Token::new([143, 20, 228, 95, 206, 234, 22, 122, 90, 54, 222, 221, 75, 234, 37, last])
}

fn fields(value: &impl Fields) -> Value {
    tree(|to| value.put(to))
}

fn body(call: Call) -> Value {
    serde_json::from_str(&call.body).unwrap_or_default()
}
