//! The field names of the wire, in one place: how asks, answers and rows become plain data (a
//! JSON object, a dict, a JavaScript object) and back.
//!
//! A host implements [`Put`] and [`Get`] once for its own kind of object; every struct that
//! crosses a border is [`Fields`]. IDs, ticks and ends are *big*: a decimal string on the wire, an
//! `int` or a `bigint` in a host.

use crate::ask::{AcquireAsk, Ask, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant};
use crate::carryover::Carryover;
use crate::code::{Code, Refusal};
use crate::layout::Layout;
use crate::name::Name;
use crate::range::Range;
use crate::registry::{Acquired, Candidates, Namespace, TagRow, Worker, WorkerRow};
use crate::stats::Stats;
use crate::time::Millis;
use crate::token::Token;

/// An object that is being written. Fields that are absent are not written.
pub trait Put: Sized {
    /// A number that every language holds exactly.
    fn number(&mut self, field: &'static str, value: u64);
    /// A time or a difference of times, in ms.
    fn millis(&mut self, field: &'static str, value: i64);
    /// A number of 64 bits.
    fn big(&mut self, field: &'static str, value: u64);
    /// True or false.
    fn flag(&mut self, field: &'static str, value: bool);
    /// A text.
    fn text(&mut self, field: &'static str, value: &str);
    /// An object within: `write` fills it.
    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self));

    /// 32 lower-case hex digits.
    fn token(&mut self, field: &'static str, value: Token) {
        self.text(field, core::str::from_utf8(&value.to_hex()).unwrap_or(""));
    }
}

/// An object that is being read. `Ok(None)` is a field that is absent or null; a field of another
/// type is `REQUEST_INVALID`.
pub trait Get: Sized {
    /// A whole number from 0 to 2^53 - 1.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// A whole number between -(2^53 - 1) and 2^53 - 1.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal>;
    /// A number of 64 bits: strict decimal text on the wire, an `int` or `bigint` (or such text)
    /// in a host.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// True or false.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal>;
    /// A text, handed to `read`.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal>;
    /// An object within, handed to `read`.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, and what `read` finds.
    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal>;

    /// A number that fits 32 bits.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn small(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        let fit = |n| u32::try_from(n).map_err(|_| Refusal::new(Code::RequestInvalid));
        self.number(field)?.map(fit).transpose()
    }

    /// 32 lower-case hex digits.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn token(&mut self, field: &'static str) -> Result<Option<Token>, Refusal> {
        self.text(field, Token::parse)?.transpose()
    }

    /// A layout: a nested object, or the name of a preset.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, `LAYOUT_INVALID`.
    fn layout(&mut self, field: &'static str) -> Result<Option<Layout>, Refusal> {
        if let Ok(Some(named)) = self.text(field, Layout::named) {
            return named.map(Some).ok_or(Refusal::new(Code::LayoutInvalid));
        }
        self.nested(field, Layout::get)
    }
}

/// What crosses a border as an object with named fields.
pub trait Fields: Sized {
    /// Writes every field that is not absent.
    fn put(&self, to: &mut impl Put);
    /// Reads it.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a field that is missing or of another type; the codes of names and
    /// layouts. In an answer of a store, all of them mean `GRANT_INVALID`.
    fn get(from: &mut impl Get) -> Result<Self, Refusal>;
}

pub(crate) fn need<T>(value: Result<Option<T>, Refusal>) -> Result<T, Refusal> {
    value?.ok_or(Refusal::new(Code::RequestInvalid))
}

fn width(value: Result<Option<u64>, Refusal>) -> Result<u8, Refusal> {
    u8::try_from(need(value)?).map_err(|_| Refusal::new(Code::LayoutInvalid))
}

impl Fields for Layout {
    fn put(&self, to: &mut impl Put) {
        to.millis("epoch_ms", self.epoch_ms());
        to.number("tick_ms", self.tick_ms().into());
        to.number("time_bits", self.time_bits().into());
        to.number("worker_bits", self.worker_bits().into());
        to.number("sequence_bits", self.sequence_bits().into());
    }

    fn get(from: &mut impl Get) -> Result<Layout, Refusal> {
        let epoch_ms = need(from.millis("epoch_ms"))?;
        let tick_ms = u32::try_from(need(from.number("tick_ms"))?);
        let time_bits = width(from.number("time_bits"))?;
        let worker_bits = width(from.number("worker_bits"))?;
        let sequence_bits = width(from.number("sequence_bits"))?;
        let tick_ms = tick_ms.map_err(|_| Refusal::new(Code::LayoutInvalid))?;
        Layout::new(epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits)
    }
}

/// Worker numbers, as small numbers.
impl Fields for Range {
    fn put(&self, to: &mut impl Put) {
        to.number("start", self.start);
        to.number("end", self.end);
    }

    fn get(from: &mut impl Get) -> Result<Range, Refusal> {
        Ok(Range::new(need(from.number("start"))?, need(from.number("end"))?))
    }
}

impl Fields for SegmentAsk {
    fn put(&self, to: &mut impl Put) {
        to.text("tag", self.tag.as_str());
        to.token("request", self.request);
        self.store.inspect(|store| to.token("store", *store));
        self.step.inspect(|step| to.number("step", u64::from(*step)));
        self.at_least.inspect(|n| to.number("at_least", (*n).into()));
        self.have_until.inspect(|end| to.big("have_until", *end));
    }

    fn get(from: &mut impl Get) -> Result<SegmentAsk, Refusal> {
        Ok(SegmentAsk {
            tag: need(from.text("tag", Name::tag).and_then(Option::transpose))?,
            request: need(from.token("request"))?,
            store: from.token("store")?,
            step: from.small("step")?,
            at_least: from.small("at_least")?,
            have_until: from.big("have_until")?,
        })
    }
}

impl Fields for AcquireAsk {
    fn put(&self, to: &mut impl Put) {
        to.text("namespace", self.namespace.as_str());
        to.token("request", self.request);
        self.store.inspect(|store| to.token("store", *store));
        to.text("owner", self.owner.as_str());
        self.layout.inspect(|layout| to.nested("layout", |to| layout.put(to)));
        self.length_ms.inspect(|ms| to.number("length_ms", u64::from(*ms)));
        to.flag("sticky", self.sticky);
        to.flag("strict", self.strict);
    }

    fn get(from: &mut impl Get) -> Result<AcquireAsk, Refusal> {
        Ok(AcquireAsk {
            namespace: need(from.text("namespace", Name::namespace).and_then(Option::transpose))?,
            request: need(from.token("request"))?,
            store: from.token("store")?,
            owner: need(from.text("owner", Name::owner).and_then(Option::transpose))?,
            layout: from.layout("layout")?,
            length_ms: from.small("length_ms")?,
            sticky: from.flag("sticky")?.unwrap_or(false),
            strict: from.flag("strict")?.unwrap_or(false),
        })
    }
}

impl Fields for RenewAsk {
    fn put(&self, to: &mut impl Put) {
        to.text("namespace", self.namespace.as_str());
        to.token("request", self.request);
        to.token("store", self.store);
        to.number("worker", self.worker.into());
        to.token("key", self.key);
        to.big("have_until", self.have_until);
        self.length_ms.inspect(|ms| to.number("length_ms", u64::from(*ms)));
    }

    fn get(from: &mut impl Get) -> Result<RenewAsk, Refusal> {
        Ok(RenewAsk {
            namespace: need(from.text("namespace", Name::namespace).and_then(Option::transpose))?,
            request: need(from.token("request"))?,
            store: need(from.token("store"))?,
            worker: need(from.small("worker"))?,
            key: need(from.token("key"))?,
            have_until: need(from.big("have_until"))?,
            length_ms: from.small("length_ms")?,
        })
    }
}

impl Ask {
    /// Writes the fields of the ask that it is, and `ask`: `segment`, `acquire` or `renew`.
    pub fn put(&self, to: &mut impl Put) {
        to.text("ask", self.verb());
        match self {
            Ask::Segment(ask) => ask.put(to),
            Ask::Acquire(ask) => ask.put(to),
            Ask::Renew(ask) => ask.put(to),
        }
    }

    /// `segment`, `acquire` or `renew`.
    pub fn verb(&self) -> &'static str {
        match self {
            Ask::Segment(_) => "segment",
            Ask::Acquire(_) => "acquire",
            Ask::Renew(_) => "renew",
        }
    }
}

impl Fields for Release {
    fn put(&self, to: &mut impl Put) {
        to.text("namespace", self.namespace.as_str());
        to.token("store", self.store);
        to.number("worker", self.worker.into());
        to.token("key", self.key);
        to.big("unused_from", self.unused_from);
    }

    fn get(from: &mut impl Get) -> Result<Release, Refusal> {
        Ok(Release {
            namespace: need(from.text("namespace", Name::namespace).and_then(Option::transpose))?,
            store: need(from.token("store"))?,
            worker: need(from.small("worker"))?,
            key: need(from.token("key"))?,
            unused_from: need(from.big("unused_from"))?,
        })
    }
}

impl Fields for SegmentGrant {
    fn put(&self, to: &mut impl Put) {
        to.token("request", self.request);
        to.token("store", self.store);
        to.text("tag", self.tag.as_str());
        to.big("start", self.range.start);
        to.big("end", self.range.end);
        to.number("step", self.step.into());
        to.number("max_step", self.max_step.into());
        to.big("remaining", self.remaining);
        to.millis("now_ms", self.now.get());
    }

    fn get(from: &mut impl Get) -> Result<SegmentGrant, Refusal> {
        Ok(SegmentGrant {
            request: need(from.token("request"))?,
            store: need(from.token("store"))?,
            tag: need(from.text("tag", Name::tag).and_then(Option::transpose))?,
            range: Range::new(need(from.big("start"))?, need(from.big("end"))?),
            step: need(from.small("step"))?,
            max_step: need(from.small("max_step"))?,
            remaining: from.big("remaining")?.unwrap_or(0),
            now: Millis::new(need(from.millis("now_ms"))?),
        })
    }
}

impl Fields for WindowGrant {
    fn put(&self, to: &mut impl Put) {
        to.token("request", self.request);
        to.token("store", self.store);
        to.number("worker", self.worker.into());
        to.big("start", self.ticks.start);
        to.big("end", self.ticks.end);
        to.nested("layout", |to| self.layout.put(to));
        to.millis("now_ms", self.now.get());
        to.number("max_window_ms", self.max_window_ms.into());
    }

    fn get(from: &mut impl Get) -> Result<WindowGrant, Refusal> {
        Ok(WindowGrant {
            request: need(from.token("request"))?,
            store: need(from.token("store"))?,
            worker: need(from.small("worker"))?,
            ticks: Range::new(need(from.big("start"))?, need(from.big("end"))?),
            layout: need(from.layout("layout"))?,
            now: Millis::new(need(from.millis("now_ms"))?),
            max_window_ms: need(from.small("max_window_ms"))?,
        })
    }
}

impl Fields for TagRow {
    fn put(&self, to: &mut impl Put) {
        to.big("max_id", self.max_id);
        to.number("step", self.step.into());
        to.number("max_step", self.max_step.into());
        to.flag("deleted", self.deleted);
    }

    fn get(from: &mut impl Get) -> Result<TagRow, Refusal> {
        Ok(TagRow {
            max_id: need(from.big("max_id"))?,
            step: need(from.small("step"))?,
            max_step: need(from.small("max_step"))?,
            deleted: from.flag("deleted")?.unwrap_or(false),
        })
    }
}

impl Fields for Namespace {
    fn put(&self, to: &mut impl Put) {
        to.nested("layout", |to| self.layout.put(to));
        to.number("max_window_ms", self.max_window_ms.into());
        to.nested("workers", |to| self.workers.put(to));
        to.big("floor", self.floor);
    }

    fn get(from: &mut impl Get) -> Result<Namespace, Refusal> {
        let layout = need(from.layout("layout"))?;
        let workers = from.nested("workers", Range::get)?;
        let namespace = Namespace::create(layout, workers, from.small("max_window_ms")?)?;
        Ok(Namespace { floor: from.big("floor")?.unwrap_or(0), ..namespace })
    }
}

/// A row of a worker number; the number itself stands beside it as `worker`.
impl Fields for WorkerRow {
    fn put(&self, to: &mut impl Put) {
        to.text("owner", self.owner.as_str());
        to.flag("sticky", self.sticky);
        self.key.inspect(|key| to.token("key", *key));
        to.big("held_from", self.held_from);
        to.big("reserved_until", self.reserved_until);
        to.millis("granted_ms", self.granted.get());
    }

    fn get(from: &mut impl Get) -> Result<WorkerRow, Refusal> {
        let owner = |text: &str| if text.is_empty() { Ok(Name::EMPTY) } else { Name::owner(text) };
        Ok(WorkerRow {
            owner: from.text("owner", owner)?.transpose()?.unwrap_or(Name::EMPTY),
            sticky: from.flag("sticky")?.unwrap_or(false),
            key: from.token("key")?,
            held_from: from.big("held_from")?.unwrap_or(0),
            reserved_until: from.big("reserved_until")?.unwrap_or(0),
            granted: Millis::new(from.millis("granted_ms")?.unwrap_or(0)),
        })
    }
}

/// A row of a worker number with the number beside it, as `worker`.
impl Fields for Worker {
    fn put(&self, to: &mut impl Put) {
        to.number("worker", self.0.into());
        self.1.put(to);
    }

    fn get(from: &mut impl Get) -> Result<Worker, Refusal> {
        Ok((need(from.small("worker"))?, WorkerRow::get(from)?))
    }
}

impl Candidates {
    /// Reads `mine`, `own` (and `spare`, the other one that the owner keeps) and `rested`, each a
    /// row with its `worker`, as far as they are there.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn get(from: &mut impl Get) -> Result<Candidates, Refusal> {
        Ok(Candidates {
            mine: from.nested("mine", Worker::get)?,
            own: [from.nested("own", Worker::get)?, from.nested("spare", Worker::get)?],
            rested: from.nested("rested", Worker::get)?,
        })
    }
}

impl Acquired {
    /// Writes `row`, `freed` (if another row is to be written, too) and `grant`.
    pub fn put(&self, to: &mut impl Put) {
        to.nested("row", |to| self.worker.put(to));
        if let Some(freed) = self.freed {
            to.nested("freed", |to| freed.put(to));
        }
        to.nested("grant", |to| self.grant.put(to));
    }
}

impl Fields for Carryover {
    fn put(&self, to: &mut impl Put) {
        self.store.inspect(|store| to.token("store", *store));
        to.big("position", self.position);
        self.have_until.inspect(|end| to.big("have_until", *end));
    }

    fn get(from: &mut impl Get) -> Result<Carryover, Refusal> {
        Ok(Carryover {
            store: from.token("store")?,
            position: from.big("position")?.unwrap_or(0),
            have_until: from.big("have_until")?,
        })
    }
}

impl Stats {
    /// Writes the counters.
    pub fn put(&self, to: &mut impl Put) {
        to.big("ids", self.ids);
        to.big("asks", self.asks);
        to.big("grants", self.grants);
        to.big("failures", self.failures);
        to.big("waits", self.waits);
        to.big("dropped", self.dropped);
        to.big("gaps", self.gaps);
        to.big("in_hand", self.in_hand);
        to.big("step", self.step);
        to.millis("offset_ms", self.offset_ms);
        self.last_code.inspect(|code| to.text("last_code", code.as_str()));
    }
}
