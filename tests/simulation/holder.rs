//! A holder: a process with one generator, a clock, and habits.

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
    /// Between two draws, in ms.
    pub every: (u64, u64),
    pub count: (u64, u64),
    pub repeat: u64,
}

/// What a holder is made of, kept when it is restarted.
#[derive(Clone, Copy, Debug)]
pub struct Make {
    pub place: usize,
    pub config: Config,
    pub shared: bool,
    /// Whether it asks when it is time to, or only when it draws.
    pub timers: bool,
    pub gives_up: Option<u64>,
    /// Whether its clock is monotonic …
    pub monotonic: bool,
    /// … or compared with one that is.
    pub has_second: bool,
    pub pace: Pace,
    /// After how many draws it dies, again and again.
    pub fuse: Option<u32>,
    pub disk: Option<usize>,
}

/// What a caller of a holder wants, and goes on wanting.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    pub way: Way,
    pub count: usize,
    /// How often it still tries what cannot be had.
    pub tries: u32,
    pub waited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    Paused(i64),
    /// It was closed, and still hears late answers.
    Closed,
    Crashed,
}

/// What is known of the generator from outside, copied with it when it forks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Book {
    pub ids: u64,
    pub grants: u64,
    pub numbers: u64,
    pub last_range: (u64, u64),
    pub last_id: Option<u64>,
    /// The position of the last ID, unless the line was opened since.
    pub last_position: Option<u64>,
    /// Its time has reached this tick.
    pub known_tick: u64,
    pub reached: i64,
    /// The highest end of numbers that it had.
    pub have_until: Option<u64>,
    /// Whether it went on above where another stood: what it skipped so is nowhere counted.
    pub resumed: bool,
    pub store: Option<usize>,
}

impl Book {
    /// Its time was read while clock and offset showed this.
    pub fn read(&mut self, shown: i64) {
        self.reached = self.reached.max(shown);
    }

    /// It was told the time with a window: back it may go only where that would else be over.
    pub fn told(&mut self, heard: i64, over_at: i64) {
        if over_at <= self.reached.max(heard) {
            self.known_tick = 0;
            // What it read while it had no window did not move it: it may stand anywhere below.
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
    /// Who it is: carried by every request id that it draws. A fork and a `forget` give a new one.
    pub identity: u32,
    counter: u32,
    /// Rises with each start, so that nothing of an old life reaches a new one.
    pub life: u64,
    pub make: Make,
    pub generator: Generator,
    pub book: Book,
    pub clock: HostClock,
    pub state: State,
    pub call: Option<OpenCall>,
    pub calls: u64,
    /// The last request of it that had its answer.
    pub answered: Option<Token>,
    /// An older image of it, with what was known then.
    pub image: Option<(Generator, Book, Option<Open>)>,
    /// Since when it has had no ID although it wanted one, nothing excusing it.
    pub starved_since: Option<i64>,
    /// Until when it is excused, because its clock leapt.
    pub excused_until: i64,
    /// Until when it may stand ahead of the time, because it drew while its clock had leapt.
    pub ahead_until: i64,
    /// Until when, on its own clock, the store told it to wait.
    pub told_until: i64,
    pub draws: u64,
    /// What its caller wants, until that is had.
    pub want: Option<Want>,
    pub thrift: Thrift,
    pub born: i64,
    pub open: Option<Open>,
    /// For how long it has waited for that to be written, in ms, since it drew last.
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
            // Who comes back under its old name draws other request ids.
            counter: (life as u32) << 12,
            life,
            make,
            generator,
            book: Book::default(),
            clock,
            state: State::Running,
            call: None,
            calls: 0,
            answered: None,
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

    /// Compares its clocks, as it does before each reading; whether one leapt.
    pub fn look(&mut self, t: i64, is_told: bool) -> bool {
        let leapt = self.clock.look(t, is_told);
        if leapt {
            self.generator.resumed();
            self.thrift.disturbed();
        }
        leapt
    }

    /// Reads its clock, as it does for every verb that moves the generator's time.
    pub fn now(&mut self, t: i64) -> HostTime {
        let now = self.clock.read(t);
        self.book.read(now.get() + self.generator.stats().offset_ms);
        now
    }

    /// What its generator wants done now. A request id says who asks.
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

    /// It is somebody else, whatever its generator knows of that.
    pub fn become_another(&mut self, identity: u32) {
        self.identity = identity;
        self.counter = (self.life as u32) << 12;
        self.book.last_position = None;
        self.starved_since = None;
        self.call = None;
        self.answered = None;
        self.image = None;
        self.want = None;
        self.thrift = Thrift::default();
    }

    /// What it has of numbers, and when it may ask for more.
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
