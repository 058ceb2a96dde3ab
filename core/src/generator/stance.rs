//! The stance of a refused caller: whether to wait or to raise, decided once for every host.

use super::{Generator, Kind};
use crate::line::Line;
use crate::values::{Code, HostTime, Refusal};

/// Whether a refused caller waits, or raises an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Raise this at once: waiting would not help.
    Raise(Code),
    /// Wait, and draw again after the next answer, or at this time (host's clock) at the latest;
    /// `None` if only an answer or another caller can change anything.
    Wait(Option<HostTime>),
}

impl<K: Kind, L: Line> Generator<K, L> {
    /// Decides whether the caller of a refused draw raises or waits, once the ask that is due was sent.
    ///
    /// A permanent code ([`Code::is_permanent`]) is raised: that of the refusal itself, or of the last
    /// ask. The latter counts only while nothing is at hand (a wait for the next tick needs no
    /// answer), and until the next ask is due: the tag may have been created meanwhile, so the store
    /// is asked again first.
    ///
    /// ```
    /// use leafid_core::{Action, Code, Event, HostTime, Segment, SegmentConfig, Stance};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let ms = HostTime::new;
    /// let refusal = orders.next(ms(0)).unwrap_err();
    /// assert_eq!(orders.stance(refusal, ms(0)), Stance::Wait(Some(ms(0))), "ask first");
    /// let Some(Action::Ask(ask)) = orders.poll(ms(0), [2; 16]) else { panic!() };
    /// assert_eq!(orders.stance(refusal, ms(0)), Stance::Wait(Some(ms(3_000))), "it is out");
    /// let answer = Err(Code::TagUnknown.into());
    /// let event = Event::Answer { request: ask.request, sent: ms(0), answer };
    /// assert!(orders.handle(event, ms(5)).is_err());
    /// assert_eq!(orders.stance(refusal, ms(5)), Stance::Raise(Code::TagUnknown));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn stance(&self, refusal: Refusal, now: HostTime) -> Stance {
        if refusal.code.is_permanent() {
            return Stance::Raise(refusal.code);
        }
        // IDs that are granted and kept back need no answer, only the write of the state file.
        let is_answered = !self.kept_back && self.pending.out().is_none() && !self.is_ask_due(now);
        if refusal.code == self.kind.dry_code()
            && is_answered
            && let Some(code) = self.failure().filter(|code| code.is_permanent())
        {
            return Stance::Raise(code);
        }
        let until = [refusal.until, self.ask_at()].into_iter().flatten().min();
        Stance::Wait(until.map(|until| until.max(now)))
    }
}
