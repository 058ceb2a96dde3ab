//! A holder: a process with one generator, a clock, and its own habits.

use leafid_core::{Action, Ask, HostTime, Token};

use crate::disk::Open;
use crate::draw::Way;
use crate::generator::{Config, Generator};
use crate::host_clock::HostClock;
use crate::ledger;
use crate::rng::Rng;
use crate::thrift::{Stock, Thrift};

#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The pause between two draws, in ms.
    pub every: (u64, u64),
    pub count: (u64, u64),
    pub repeat: u64,
}

/// A holder's make, kept when it restarts.
#[derive(Clone, Copy, Debug)]
pub struct Make {
    pub place: usize,
    pub config: Config,
    pub shared: bool,
    /// Whether it polls by a timer, or only when it draws.
    pub timers: bool,
    pub gives_up: Option<u64>,
    /// Whether its clock is monotonic …
    pub monotonic: bool,
    /// … or compared with one that is.
    pub has_second: bool,
    pub pace: Pace,
    /// The number of draws after which it dies, in every life.
    pub fuse: Option<u32>,
    pub disk: Option<usize>,
}

/// A caller's wish, kept until it is met or given up.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    pub way: Way,
    pub count: usize,
    /// How often the caller still tries what cannot be had.
    pub tries: u32,
    pub waited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    Paused(i64),
    /// Closed, but still receives late answers.
    Closed,
    Crashed,
}

/// Facts of the generator seen from outside, copied with it when it forks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Book {
    pub ids: u64,
    pub grants: u64,
    pub numbers: u64,
    pub last_range: (u64, u64),
    pub last_id: Option<u64>,
    /// The position of the last ID, unless the line was opened since.
    pub last_position: Option<u64>,
    /// A tick that its time has reached.
    pub known_tick: u64,
    pub reached: i64,
    /// The highest end of the numbers that it had.
    pub have_until: Option<u64>,
    /// Whether it resumed above another's position: the skipped positions are counted nowhere.
    pub resumed: bool,
    pub store: Option<usize>,
}

impl Book {
    /// Notes a reading of its time, with this on clock and offset.
    pub fn read(&mut self, shown: i64) {
        self.reached = self.reached.max(shown);
    }

    /// Notes that a window told it the time, which may go back only where the window would else be over.
    pub fn told(&mut self, heard: i64, over_at: i64) {
        if over_at <= self.reached.max(heard) {
            self.known_tick = 0;
            // Readings without a window did not move it: it may be anywhere below.
            self.reached = self.reached.min(over_at);
        }
        self.read(heard);
    }
}

#[derive(Clone, Copy, Debug)]
pub struct OpenCall {
    pub request: Token,
    pub number: u64,
    pub sent: HostTime,
}

pub struct Holder {
    /// Its identity, contained in every request id that it draws. A fork and a `forget` give a new one.
    pub identity: u32,
    counter: u32,
    /// Rises with each start, so that no event of an old life reaches a new one.
    pub life: u64,
    pub make: Make,
    pub generator: Generator,
    pub book: Book,
    pub clock: HostClock,
    pub state: State,
    pub call: Option<OpenCall>,
    pub calls: u64,
    /// An older memory image, with the facts of that moment.
    pub image: Option<(Generator, Book, Option<Open>)>,
    /// Since when it has wanted an ID in vain without an excuse.
    pub starved_since: Option<i64>,
    /// Until when it is excused, as its clock leapt.
    pub excused_until: i64,
    /// Until when it may be ahead of the time, as it drew while its clock had leapt.
    pub ahead_until: i64,
    /// Until when, on its own clock, the store told it to wait.
    pub told_until: i64,
    pub draws: u64,
    /// Its caller's wish, until it is met.
    pub want: Option<Want>,
    pub thrift: Thrift,
    pub born: i64,
    pub open: Option<Open>,
    /// How long it has waited for its state file's write since its last draw, in ms.
    pub waits_for_disk_ms: u64,
}

impl Holder {
    pub fn start(
        (identity, life, born): (u32, u64, i64),
        make: Make,
        clock: HostClock,
        rng: &mut Rng,
    ) -> Option<Holder> {
        let generator = Generator::build(make.config, make.shared, rng.word()).ok()?;
        Some(Holder {
            identity,
            // A holder that comes back under its old identity draws other request ids.
            counter: (life as u32) << 12,
            life,
            make,
            generator,
            book: Book::default(),
            clock,
            state: State::Running,
            call: None,
            calls: 0,
            image: None,
            starved_since: None,
            excused_until: 0,
            ahead_until: 0,
            told_until: i64::MIN,
            draws: 0,
            want: None,
            thrift: Thrift::default(),
            born,
            open: None,
            waits_for_disk_ms: 0,
        })
    }

    /// Compares its clocks, as before each reading. Gives whether one leapt.
    pub fn look(&mut self, t: i64, is_told: bool) -> bool {
        let leapt = self.clock.look(t, is_told);
        if leapt {
            self.generator.resumed();
            self.thrift.disturbed();
        }
        leapt
    }

    /// Reads its clock, for a verb that moves the generator's time.
    pub fn now(&mut self, t: i64) -> HostTime {
        let now = self.clock.read(t);
        self.book.read(now.get() + self.generator.stats().offset_ms);
        now
    }

    /// The generator's next action, with a request id that contains the holder's identity.
    pub fn action(&mut self, t: i64, rng: &mut Rng) -> Option<Action<Ask>> {
        let now = self.clock.read(t);
        if !self.generator.wants(now) {
            return None;
        }
        let entropy = ledger::request(self.identity, self.counter + 1, rng.word());
        let action = self.generator.poll(now, entropy);
        self.counter += u32::from(matches!(action, Some(Action::Ask(_))));
        action
    }

    pub fn forget_as(&mut self, identity: u32) {
        self.generator.forget();
        self.become_another(identity);
    }

    /// Gives it a new identity, whether or not its generator knows.
    pub fn become_another(&mut self, identity: u32) {
        self.identity = identity;
        self.counter = (self.life as u32) << 12;
        self.book.last_position = None;
        self.starved_since = None;
        self.call = None;
        self.image = None;
        self.want = None;
        self.thrift = Thrift::default();
    }

    /// Its stock of numbers, and when it may ask for more.
    pub fn stock(&self) -> Stock {
        let Config::Tag(config) = self.make.config else { return Stock::default() };
        let stats = self.generator.stats();
        let ask_below = (stats.step * u64::from(config.ask_below_percent)).div_ceil(100);
        Stock { in_hand: stats.in_hand, ask_below, most: self.generator.most() }
    }

    pub fn is_numbers(&self) -> bool {
        matches!(self.make.config, Config::Tag(_))
    }

    pub fn hears(&self) -> bool {
        matches!(self.state, State::Running | State::Paused(_) | State::Closed)
    }
}
