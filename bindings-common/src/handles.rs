//! Generators named by handles, for hosts that pass numbers faster than objects.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::{RefCell, RefMut};

use leafid_core::{
    Action, Ask, Carryover, Code, Event, Failure, Grant, HostTime, Layout, Outcome, Refusal,
    Release, Snowflake, Stance, Stats, Token,
};

use crate::any::{Answers, AnyGenerator};
use crate::draw::Entry;
use crate::source::{Source, Wrong, read};

/// A table of generators by handle, one per thread, so that threads share nothing. The caller chooses
/// the handles and uses none twice. A handle that names nothing acts as a closed generator.
///
/// Sorted by handle: hosts count up, so a new one belongs at the end. A tree would be a twentieth of
/// the wasm engine.
#[derive(Debug, Default)]
pub struct Handles(RefCell<Vec<(u32, Box<Entry>)>>);

impl Handles {
    /// An empty table.
    pub const fn new() -> Handles {
        Handles(RefCell::new(Vec::new()))
    }

    /// Runs `act` on a generator. No code of the host may run within `act`, as it could call back here.
    fn with<T>(&self, handle: u32, act: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        self.entry(handle).map(|mut entry| act(&mut entry))
    }

    fn entry(&self, handle: u32) -> Option<RefMut<'_, Entry>> {
        let all = self.0.borrow_mut();
        let at = place(&all, handle).ok()?;
        RefMut::filter_map(all, |all| all.get_mut(at).map(|(_, entry)| &mut **entry)).ok()
    }

    /// Runs `act` on a snowflake generator, if the handle names one: for a host that keeps state files.
    /// No code of the host may run within `act`.
    pub fn snowflake<T>(&self, handle: u32, act: impl FnOnce(&mut Snowflake) -> T) -> Option<T> {
        self.with(handle, |entry| match &mut entry.generator {
            AnyGenerator::Snowflake(ids, _) => Some(act(ids)),
            AnyGenerator::Segment(_) => None,
        })?
    }

    /// Builds a generator under a handle.
    ///
    /// # Errors
    /// [`AnyGenerator::new`]'s.
    pub fn create(
        &self,
        handle: u32,
        kind: &str,
        config: impl Source,
        seed: u64,
    ) -> Result<(), Wrong> {
        let generator = AnyGenerator::new(kind, config, seed)?;
        let mut all = self.0.borrow_mut();
        let entry = Box::new(Entry::new(generator));
        match place(&all, handle) {
            Err(at) => all.insert(at, (handle, entry)),
            Ok(at) => {
                if let Some((_, old)) = all.get_mut(at) {
                    *old = entry;
                }
            }
        }
        Ok(())
    }

    /// Drops a generator.
    pub fn free(&self, handle: u32) {
        let mut all = self.0.borrow_mut();
        if let Ok(at) = place(&all, handle) {
            all.remove(at);
        }
    }

    /// [`Entry::fill`].
    pub fn fill(&self, handle: u32, now: HostTime, out: &mut [u64]) -> u32 {
        self.with(handle, |entry| entry.fill(now, out)).unwrap_or(0)
    }

    /// [`Entry::fill_available`].
    pub fn fill_available(&self, handle: u32, now: HostTime, out: &mut [u64]) -> u32 {
        self.with(handle, |entry| entry.fill_available(now, out)).unwrap_or(0)
    }

    /// [`Entry::ready`].
    pub fn ready(&self, handle: u32, now: HostTime, n: u64) -> bool {
        self.with(handle, |entry| entry.ready(now, n)).unwrap_or(false)
    }

    /// [`AnyGenerator::most`].
    pub fn most(&self, handle: u32) -> u64 {
        self.with(handle, |entry| entry.generator.most()).unwrap_or(0)
    }

    /// Why the last draw or `ready` gave nothing.
    pub fn refusal(&self, handle: u32) -> Wrong {
        let refusal = self.with(handle, |entry| entry.refusal).flatten();
        refusal.map_or(Code::Closed.into(), Wrong::from)
    }

    /// [`AnyGenerator::stance`] on a refusal with this code and end. Raises an unknown code as `INTERNAL`,
    /// and any refusal of a closed generator as `CLOSED`.
    pub fn stance(
        &self,
        handle: u32,
        code: &str,
        until: Option<HostTime>,
        now: HostTime,
    ) -> Stance {
        let Some(code) = Code::parse(code) else { return Stance::Raise(Code::Internal) };
        let refusal = Refusal { code, until };
        let stance = self.with(handle, |entry| entry.generator.stance(refusal, now));
        stance.unwrap_or(Stance::Raise(Code::Closed))
    }

    /// Until when the IDs of the last draw are timely: the end of the tick of the first.
    pub fn good_until(&self, handle: u32) -> HostTime {
        self.with(handle, |entry| entry.good_until).unwrap_or(HostTime::MIN)
    }

    /// [`AnyGenerator::wants`].
    pub fn wants(&self, handle: u32, now: HostTime) -> bool {
        self.with(handle, |entry| entry.generator.wants(now)).unwrap_or(false)
    }

    /// [`AnyGenerator::poll_at`].
    pub fn poll_at(&self, handle: u32) -> Option<HostTime> {
        self.with(handle, |entry| entry.generator.poll_at()).flatten()
    }

    /// [`AnyGenerator::poll`]. `entropy` is 16 random bytes.
    pub fn poll(&self, handle: u32, now: HostTime, entropy: &[u8]) -> Option<Action<Ask>> {
        let mut sixteen = [0; 16];
        sixteen.iter_mut().zip(entropy).for_each(|(place, byte)| *place = *byte);
        self.with(handle, |entry| entry.generator.poll(now, sixteen)).flatten()
    }

    /// [`AnyGenerator::handle`].
    ///
    /// # Errors
    /// Why its ask has failed.
    pub fn handle(
        &self,
        handle: u32,
        event: Event<Grant>,
        now: HostTime,
    ) -> Result<Outcome, Refusal> {
        let outcome = self.with(handle, |entry| entry.generator.handle(event, now));
        outcome.unwrap_or(Ok(Outcome::Ignored))
    }

    /// Applies the answer to the ask of this request. An answer that is unreadable or invalid fails that
    /// ask.
    ///
    /// # Errors
    /// `GRANT_INVALID` and the field that could not be read; the generator's.
    pub fn handle_grant(
        &self,
        handle: u32,
        request: &str,
        answer: impl Source,
        sent: HostTime,
        now: HostTime,
    ) -> Result<Outcome, Wrong> {
        let answers = self.with(handle, |entry| entry.generator.answers());
        let read = answers.unwrap_or(Answers::Windows).read(answer);
        let request = Token::parse(request)?;
        let answer = read.map_err(|wrong| wrong.refusal.code.into());
        let outcome = self.handle(handle, Event::Answer { request, sent, answer }, now);
        read?;
        Ok(outcome?)
    }

    /// Notes that the ask of this request failed; an unknown code counts as `INTERNAL`.
    pub fn handle_failure(
        &self,
        handle: u32,
        request: &str,
        code: &str,
        retry_after_ms: Option<u32>,
        now: HostTime,
    ) {
        let Ok(request) = Token::parse(request) else { return };
        let code = Code::parse(code).unwrap_or(Code::Internal);
        let answer = Err(Failure { code, retry_after_ms });
        let _ = self.handle(handle, Event::Answer { request, sent: now, answer }, now);
    }

    /// [`AnyGenerator::retire`].
    pub fn retire(&self, handle: u32) -> Option<Release> {
        self.with(handle, |entry| entry.generator.retire()).flatten()
    }

    /// [`AnyGenerator::give_up`].
    pub fn give_up(&self, handle: u32) -> Option<Release> {
        self.with(handle, |entry| entry.generator.give_up()).flatten()
    }

    /// [`AnyGenerator::forget`].
    pub fn forget(&self, handle: u32) {
        self.with(handle, |entry| entry.generator.forget());
    }

    /// [`AnyGenerator::resumed`].
    pub fn resumed(&self, handle: u32) {
        self.with(handle, |entry| entry.generator.resumed());
    }

    /// [`AnyGenerator::look`].
    pub fn look(&self, handle: u32, ticking: HostTime, wall: HostTime) -> i64 {
        self.with(handle, |entry| entry.generator.look(ticking, wall)).unwrap_or(0)
    }

    /// [`AnyGenerator::carryover`].
    pub fn carryover(&self, handle: u32) -> Carryover {
        self.with(handle, |entry| entry.generator.carryover()).unwrap_or_default()
    }

    /// [`AnyGenerator::resume`].
    ///
    /// # Errors
    /// What could not be read; `CLOSED` for a handle that names nothing; the generator's.
    pub fn resume<S: Source>(
        &self,
        handle: u32,
        before: S,
        highest: Option<u64>,
        layout: Option<S>,
    ) -> Result<(), Wrong> {
        let before = read(before, "carryover")?;
        let layout = layout.map(|layout| read(layout, "layout")).transpose()?;
        let resumed = self.with(handle, |entry| entry.generator.resume(before, highest, layout));
        Ok(resumed.unwrap_or(Err(Code::Closed.into()))?)
    }

    /// [`AnyGenerator::layout`].
    pub fn layout_in_use(&self, handle: u32) -> Option<Layout> {
        self.with(handle, |entry| entry.generator.layout()).flatten()
    }

    /// [`AnyGenerator::failing`].
    pub fn failing(&self, handle: u32) -> Option<Code> {
        self.with(handle, |entry| entry.generator.failing()).flatten()
    }

    /// The counters.
    ///
    /// # Errors
    /// `CLOSED` for a handle that names nothing.
    pub fn stats(&self, handle: u32) -> Result<Stats, Wrong> {
        let stats = self.with(handle, |entry| entry.generator.stats());
        stats.ok_or(Code::Closed.into())
    }
}

fn place(all: &[(u32, Box<Entry>)], handle: u32) -> Result<usize, usize> {
    all.binary_search_by_key(&handle, |(known, _)| *known)
}
