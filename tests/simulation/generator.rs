//! One type for the core's four generators: segments and snowflakes, on an own and a shared line.
//!
//! The bindings' `AnyGenerator` forwards the same verbs, but knows neither a shared line nor the
//! memory image of a fork.

use std::rc::Rc;

use leafid_core::{
    Action, Ask, Carryover, Code, Event, Grant, HostTime, Ids, Layout, Outcome, Refusal, Release,
    Segment, SegmentConfig, SharedLine, Snowflake, SnowflakeConfig, StateRecord, Stats,
};

#[derive(Clone, Copy, Debug)]
pub enum Config {
    Tag(SegmentConfig),
    Space(SnowflakeConfig),
}

pub enum Generator {
    OwnNumbers(Segment),
    OwnTime(Snowflake),
    SharedNumbers(Segment<Rc<SharedLine>>, Rc<SharedLine>),
    SharedTime(Snowflake<Rc<SharedLine>>, Rc<SharedLine>),
}

/// Forwards the core's verbs; `verbs!(@time …)` those that only snowflakes have, with the result
/// for segments.
macro_rules! verbs {
    ($($name:ident($self:ident: $by:ty $(, $arg:ident: $type:ty)*) -> $out:ty;)*) => {
        impl Generator {
            $(pub fn $name($self: $by $(, $arg: $type)*) -> $out {
                match $self {
                    Generator::OwnNumbers(own) => own.$name($($arg),*),
                    Generator::SharedNumbers(shared, _) => shared.$name($($arg),*),
                    Generator::OwnTime(own) => own.$name($($arg),*),
                    Generator::SharedTime(shared, _) => shared.$name($($arg),*),
                }
            })*
        }
    };
    (@time $($name:ident($self:ident: $by:ty $(, $arg:ident: $type:ty)*) -> $out:ty, $else:expr;)*)
    => {
        impl Generator {
            $(pub fn $name($self: $by $(, $arg: $type)*) -> $out {
                match $self {
                    Generator::OwnTime(own) => own.$name($($arg),*),
                    Generator::SharedTime(shared, _) => shared.$name($($arg),*),
                    _ => $else,
                }
            })*
        }
    };
}

verbs! {
    next(self: &mut Self, now: HostTime) -> Result<u64, Refusal>;
    fill_available(self: &mut Self, now: HostTime, out: &mut [u64]) -> Result<usize, Refusal>;
    fill(self: &mut Self, now: HostTime, out: &mut [u64]) -> Result<(), Refusal>;
    ready(self: &mut Self, now: HostTime, n: u64) -> Result<(), Refusal>;
    most(self: &Self) -> u64;
    wants(self: &Self, now: HostTime) -> bool;
    poll_at(self: &Self) -> Option<HostTime>;
    retire(self: &mut Self) -> Option<Release>;
    give_up(self: &mut Self) -> Option<Release>;
    forget(self: &mut Self) -> ();
    resumed(self: &mut Self) -> ();
    resume(self: &mut Self, before: Carryover) -> Result<(), Refusal>;
    carryover(self: &Self) -> Carryover;
    failure(self: &Self) -> Option<Code>;
    stats(self: &Self) -> Stats;
}

verbs! {
    @time
    layout(self: &Self) -> Option<Layout>, None;
    keep(self: &mut Self, found: Option<StateRecord>, now: HostTime) -> Result<(), Refusal>, Ok(());
    leave(self: &mut Self) -> (), ();
}

impl Generator {
    pub fn poll(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<Action<Ask>> {
        match self {
            Generator::OwnNumbers(own) => own.poll(now, entropy).map(Action::of_any),
            Generator::SharedNumbers(shared, _) => shared.poll(now, entropy).map(Action::of_any),
            Generator::OwnTime(own) => own.poll(now, entropy).map(Action::of_any),
            Generator::SharedTime(shared, _) => shared.poll(now, entropy).map(Action::of_any),
        }
    }

    pub fn handle(&mut self, event: Event<Grant>, now: HostTime) -> Result<Outcome, Refusal> {
        match self {
            Generator::OwnNumbers(own) => own.handle(event.of(), now),
            Generator::SharedNumbers(shared, _) => shared.handle(event.of(), now),
            Generator::OwnTime(own) => own.handle(event.of(), now),
            Generator::SharedTime(shared, _) => shared.handle(event.of(), now),
        }
    }

    /// Builds a generator on an own or a shared line.
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

    /// The generator's memory image, as `fork` makes one; a shared line cannot be copied.
    pub fn image(&self) -> Option<Generator> {
        match self {
            Generator::OwnNumbers(generator) => Some(Generator::OwnNumbers(generator.image())),
            Generator::OwnTime(generator) => Some(Generator::OwnTime(generator.image())),
            _ => None,
        }
    }

    /// Draws an ID past the generator, as a thread does that still has the line.
    pub fn draw_past(&mut self, now: HostTime) -> Option<u64> {
        match self {
            Generator::SharedNumbers(generator, line) => past(generator.ids()?, line, now),
            Generator::SharedTime(generator, line) => past(generator.ids()?, line, now),
            other => other.next(now).ok(),
        }
    }
}

fn past<D: Ids>(mut draw: D, mut line: &SharedLine, now: HostTime) -> Option<u64> {
    let run = draw.run(&mut line, now, 1).ok()?;
    Some(draw.id(run.positions.start, run.worker))
}
