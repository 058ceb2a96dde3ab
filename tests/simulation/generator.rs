//! The four generators of the core, as one: numbers and time, on a line of one's own and on a
//! shared one.
//!
//! The bindings have an `AnyGenerator` that forwards the same verbs. It is not used here: it knows
//! neither a shared line nor the memory image of a fork, which a host's generator behind a handle
//! does not need. With the line as its parameter there would be two types of it, and this enum
//! around them. What is simulated is the core, besides, without what bindings put around it.

use std::rc::Rc;

use leafid_core::{
    Ask, Carryover, Code, Grant, HostTime, Ids, Layout, Outcome, Refusal, Release, Segment,
    SegmentConfig, SharedLine, Snowflake, SnowflakeConfig, StateRecord, StateWrite, Stats, Token,
};

/// What a generator is built from.
#[derive(Clone, Copy, Debug)]
pub enum Config {
    /// Numbers of a tag.
    Tag(SegmentConfig),
    /// Time of a namespace's workers.
    Space(SnowflakeConfig),
}

/// A generator.
pub enum Generator {
    /// Numbers, `&mut`.
    OwnNumbers(Segment),
    /// Time, `&mut`.
    OwnTime(Snowflake),
    /// Numbers, lock-free.
    SharedNumbers(Segment<Rc<SharedLine>>, Rc<SharedLine>),
    /// Time, lock-free.
    SharedTime(Snowflake<Rc<SharedLine>>, Rc<SharedLine>),
}

macro_rules! each {
    ($generator:expr, $g:ident => $body:expr) => {
        match $generator {
            Generator::OwnNumbers($g) => $body,
            Generator::OwnTime($g) => $body,
            Generator::SharedNumbers($g, _) => $body,
            Generator::SharedTime($g, _) => $body,
        }
    };
}

macro_rules! timed {
    ($generator:expr, $g:ident => $body:expr, $numbers:expr) => {
        match $generator {
            Generator::OwnTime($g) => $body,
            Generator::SharedTime($g, _) => $body,
            _ => $numbers,
        }
    };
}

impl Generator {
    /// A generator on one of the two faces.
    pub fn build(config: Config, shared: bool, seed: u64) -> Result<Generator, Refusal> {
        let line = Rc::new(SharedLine::new());
        Ok(match (config, shared) {
            (Config::Tag(config), false) => Generator::OwnNumbers(Segment::new(config, seed)?),
            (Config::Space(config), false) => Generator::OwnTime(Snowflake::new(config, seed)?),
            (Config::Tag(config), true) => {
                Generator::SharedNumbers(Segment::with_line(config, seed, Rc::clone(&line))?, line)
            }
            (Config::Space(config), true) => {
                let time = Snowflake::with_line(config, seed, Rc::clone(&line))?;
                Generator::SharedTime(time, line)
            }
        })
    }

    /// The memory image of it, as `fork` makes one; a shared line cannot be copied so.
    pub fn image(&self) -> Option<Generator> {
        match self {
            Generator::OwnNumbers(generator) => Some(Generator::OwnNumbers(generator.image())),
            Generator::OwnTime(generator) => Some(Generator::OwnTime(generator.image())),
            _ => None,
        }
    }

    /// The layout, if it has one and knows it.
    pub fn layout(&self) -> Option<Layout> {
        match self {
            Generator::OwnTime(generator) => generator.layout(),
            Generator::SharedTime(generator, _) => generator.layout(),
            _ => None,
        }
    }

    /// One ID past the generator, as a thread draws that still holds the line.
    pub fn draw_past(&mut self, now: HostTime) -> Option<u64> {
        match self {
            Generator::SharedNumbers(generator, line) => past(generator.ids()?, line, now),
            Generator::SharedTime(generator, line) => past(generator.ids()?, line, now),
            other => other.next(now).ok(),
        }
    }

    /// See `Generator`.
    pub fn next(&mut self, now: HostTime) -> Result<u64, Refusal> {
        each!(self, g => g.next(now))
    }

    /// See `Generator`.
    pub fn fill_available(&mut self, now: HostTime, out: &mut [u64]) -> Result<usize, Refusal> {
        each!(self, g => g.fill_available(now, out))
    }

    /// See `Generator`.
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> Result<(), Refusal> {
        each!(self, g => g.fill(now, out))
    }

    /// See `Generator`.
    pub fn ready(&mut self, now: HostTime, n: u64) -> Result<(), Refusal> {
        each!(self, g => g.ready(now, n))
    }

    /// See `Generator`.
    pub fn most(&self) -> u64 {
        each!(self, g => g.most())
    }

    /// See `Generator`.
    pub fn wants_ask(&self, now: HostTime) -> bool {
        each!(self, g => g.wants_ask(now))
    }

    /// See `Generator`.
    pub fn poll_at(&self) -> Option<HostTime> {
        each!(self, g => g.poll_at())
    }

    /// See `Generator`.
    pub fn poll_ask(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<Ask> {
        each!(self, g => g.poll_ask(now, entropy))
    }

    /// See `Generator`.
    pub fn handle_grant(
        &mut self,
        grant: &Grant,
        sent: HostTime,
        now: HostTime,
    ) -> Result<Outcome, Refusal> {
        each!(self, g => g.handle_grant(grant, sent, now))
    }

    /// See `Generator`.
    pub fn handle_failure(
        &mut self,
        request: Token,
        code: Code,
        after: Option<u32>,
        now: HostTime,
    ) {
        each!(self, g => g.handle_failure(request, code, after, now));
    }

    /// See `Generator`.
    pub fn retire(&mut self) -> Option<Release> {
        each!(self, g => g.retire())
    }

    /// See `Generator`.
    pub fn forget(&mut self) {
        each!(self, g => g.forget());
    }

    /// See `Generator`; nothing for numbers, which have no state file.
    pub fn keep(
        &mut self,
        found: Option<StateRecord>,
        now: HostTime,
        since_boot: HostTime,
    ) -> Result<(), Refusal> {
        timed!(self, g => g.keep(found, now, since_boot), Ok(()))
    }

    /// See `Generator`.
    pub fn leave(&mut self) {
        timed!(self, g => g.leave(), ());
    }

    /// See `Generator`.
    pub fn wants_write(&self, now: HostTime) -> bool {
        timed!(self, g => g.wants_write(now), false)
    }

    /// See `Generator`.
    pub fn write_at(&self) -> Option<HostTime> {
        timed!(self, g => g.write_at(), None)
    }

    /// See `Generator`.
    pub fn poll_write(&mut self, now: HostTime, since_boot: HostTime) -> Option<StateWrite> {
        timed!(self, g => g.poll_write(now, since_boot), None)
    }

    /// See `Generator`.
    pub fn written(&mut self, now: HostTime) -> Option<Release> {
        timed!(self, g => g.written(now), None)
    }

    /// See `Generator`.
    pub fn not_written(&mut self, now: HostTime) -> bool {
        timed!(self, g => g.not_written(now), false)
    }

    /// See `Generator`.
    pub fn give_up(&mut self) -> Option<Release> {
        timed!(self, g => g.give_up(), None)
    }

    /// See `Generator`.
    pub fn resumed(&mut self) {
        each!(self, g => g.resumed());
    }

    /// See `Generator`.
    pub fn resume(&mut self, before: Carryover) -> Result<(), Refusal> {
        each!(self, g => g.resume(before))
    }

    /// See `Generator`.
    pub fn carryover(&self) -> Carryover {
        each!(self, g => g.carryover())
    }

    /// See `Generator`.
    pub fn failure(&self) -> Option<Code> {
        each!(self, g => g.failure())
    }

    /// See `Generator`.
    pub fn stats(&self) -> Stats {
        each!(self, g => g.stats())
    }
}

fn past<D: Ids>(draw: D, mut line: &SharedLine, now: HostTime) -> Option<u64> {
    let run = draw.run(&mut line, now, 1).ok()?;
    Some(draw.id(run.positions.start, run.worker))
}
