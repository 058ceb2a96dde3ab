//! A generator of either kind, and the verbs of both.

use alloc::boxed::Box;

use leafid_core::{
    Action, Ask, Carryover, Clocks, Code, Event, Grant, HostTime, Layout, Outcome, Refusal,
    Release, Segment, SegmentGrant, Snowflake, Stance, Stats, WindowGrant,
};
use leafid_wire::{segment_config, snowflake_config};

use crate::source::{Source, Wrong, read, read_with};

/// A generator of either kind.
#[derive(Debug)]
pub enum AnyGenerator {
    /// Numbers of a tag.
    Segment(Box<Segment>),
    /// Stamps of a worker's time.
    Snowflake(Box<Snowflake>, Clocks),
}

/// Does the same with either kind.
macro_rules! each {
    ($any:expr, $generator:ident => $body:expr) => {
        match $any {
            AnyGenerator::Segment($generator) => $body,
            AnyGenerator::Snowflake($generator, _) => $body,
        }
    };
}

impl AnyGenerator {
    /// Builds a generator; `kind` is `segment` or `snowflake`.
    ///
    /// # Errors
    /// The wrong field of the configuration; `REQUEST_INVALID` for another kind.
    pub fn new(kind: &str, config: impl Source, seed: u64) -> Result<AnyGenerator, Wrong> {
        match kind {
            "segment" => {
                let config = read_with(config, "config", segment_config)?;
                // The wrong field is not the one that was read last.
                let ids = Segment::new(config, seed).map_err(|refusal| Wrong {
                    field: match refusal.code {
                        Code::StepInvalid if config.is_max_step_wrong() => "max_step",
                        Code::StepInvalid => "step",
                        _ => "",
                    },
                    of: "config",
                    refusal,
                })?;
                Ok(AnyGenerator::Segment(Box::new(ids)))
            }
            "snowflake" => {
                let config = read_with(config, "config", snowflake_config)?;
                let ids = Snowflake::new(config, seed)?;
                Ok(AnyGenerator::Snowflake(Box::new(ids), Clocks::default()))
            }
            _ => Err(Code::RequestInvalid.into()),
        }
    }

    /// Draws one ID.
    ///
    /// # Errors
    /// Why there is none, and until when.
    pub fn next(&mut self, now: HostTime) -> Result<u64, Refusal> {
        each!(self, generator => generator.next(now))
    }

    /// Fills all of `out` with IDs, in order, or draws none.
    ///
    /// # Errors
    /// Why not all can be had, and until when.
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> Result<(), Refusal> {
        each!(self, generator => generator.fill(now, out))
    }

    /// Draws as many IDs as are at hand, in order; returns how many.
    ///
    /// # Errors
    /// Why there is none, and until when.
    pub fn fill_available(&mut self, now: HostTime, out: &mut [u64]) -> Result<usize, Refusal> {
        each!(self, generator => generator.fill_available(now, out))
    }

    /// Whether `n` IDs can be had in one go now.
    ///
    /// # Errors
    /// Why not, and until when.
    pub fn ready(&mut self, now: HostTime, n: u64) -> Result<(), Refusal> {
        each!(self, generator => generator.ready(now, n))
    }

    /// The most IDs that can be had in one go, as far as is known.
    pub fn most(&self) -> u64 {
        each!(self, generator => generator.most())
    }

    /// Whether `poll` has an action.
    pub fn wants(&self, now: HostTime) -> bool {
        each!(self, generator => generator.wants(now))
    }

    /// When `poll` has an action next; `None` while only drawing can cause one.
    pub fn poll_at(&self) -> Option<HostTime> {
        each!(self, generator => generator.poll_at())
    }

    /// The next action.
    pub fn poll(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<Action<Ask>> {
        each!(self, generator => generator.poll(now, entropy).map(Action::of_any))
    }

    /// Takes the outcome of an action.
    ///
    /// # Errors
    /// Why its ask has failed.
    pub fn handle(&mut self, event: Event<Grant>, now: HostTime) -> Result<Outcome, Refusal> {
        each!(self, generator => generator.handle(event.of(), now))
    }

    /// Stops gracefully; returns the release to send.
    pub fn retire(&mut self) -> Option<Release> {
        each!(self, generator => generator.retire())
    }

    /// As `retire`, and also gives back what a state file keeps.
    pub fn give_up(&mut self) -> Option<Release> {
        each!(self, generator => generator.give_up())
    }

    /// Drops every right and the ask that is out.
    pub fn forget(&mut self) {
        each!(self, generator => generator.forget());
    }

    /// Notes a leap of the host's clock: makes a renewal due.
    pub fn resumed(&mut self) {
        each!(self, generator => generator.resumed());
    }

    /// How many ms the host's wall clock leapt since the last look, compared with one that only ticks; a
    /// leap makes a renewal due. 0 for a segment, where nothing ends with time.
    pub fn look(&mut self, ticking: HostTime, wall: HostTime) -> i64 {
        let AnyGenerator::Snowflake(ids, clocks) = self else { return 0 };
        let leapt_ms = clocks.look(ticking, wall);
        if leapt_ms != 0 {
            ids.resumed();
        }
        leapt_ms
    }

    /// The facts that another memory image may take over.
    pub fn carryover(&self) -> Carryover {
        each!(self, generator => generator.carryover())
    }

    /// Takes over the facts of another memory image, and goes on above the highest ID that it handed out,
    /// in this layout, or the configured one.
    ///
    /// # Errors
    /// `ID_INVALID` for an ID that is none of this layout, `REQUEST_INVALID` for a snowflake's
    /// without a layout; the core's.
    pub fn resume(
        &mut self,
        before: Carryover,
        highest: Option<u64>,
        layout: Option<Layout>,
    ) -> Result<(), Refusal> {
        let before = match (highest, &*self) {
            (None, _) => before,
            (Some(id), AnyGenerator::Segment(_)) => before.above(id, None)?,
            (Some(id), AnyGenerator::Snowflake(..)) => {
                let layout = layout.or(self.layout()).ok_or(Code::RequestInvalid)?;
                before.above(id, Some(&layout))?
            }
        };
        each!(self, generator => generator.resume(before))
    }

    /// The layout of a snowflake generator, once it is known.
    pub fn layout(&self) -> Option<Layout> {
        match self {
            AnyGenerator::Snowflake(ids, _) => ids.layout(),
            AnyGenerator::Segment(_) => None,
        }
    }

    /// Decides whether the caller of a refused draw raises or waits, once the ask that is due was sent.
    pub fn stance(&self, refusal: Refusal, now: HostTime) -> Stance {
        each!(self, generator => generator.stance(refusal, now))
    }

    /// Why the last ask failed, until one succeeds.
    pub fn failing(&self) -> Option<Code> {
        each!(self, generator => generator.failure())
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        each!(self, generator => generator.stats())
    }

    /// The kind of answers to this generator's asks.
    pub fn answers(&self) -> Answers {
        match self {
            AnyGenerator::Segment(_) => Answers::Segments,
            AnyGenerator::Snowflake(..) => Answers::Windows,
        }
    }
}

/// The kind of answers to a generator's asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Ranges of a tag.
    Segments,
    /// Windows of a worker number.
    Windows,
}

impl Answers {
    /// Reads an answer of this kind.
    ///
    /// # Errors
    /// `GRANT_INVALID`, and the field.
    pub fn read(self, from: impl Source) -> Result<Grant, Wrong> {
        let grant = match self {
            Answers::Segments => read::<SegmentGrant>(from, "grant").map(Grant::Segment),
            Answers::Windows => read::<WindowGrant>(from, "grant").map(Grant::Window),
        };
        grant.map_err(|wrong| Wrong { refusal: Code::GrantInvalid.into(), ..wrong })
    }
}
