//! Windows: what to ask a namespace for, and which answers to accept.
//!
//! | in hand | asks | accepts | next ask |
//! |---|---|---|---|
//! | nothing | acquire | any window that is not over | after 2 s, or a third of what is left |
//! | a window | renew | a window from the end in hand, on the same worker | after a minute, or a third |
//! | a window, its lease lost | acquire | any window that is not over | as above |
//!
//! Windows pass with time, whatever was drawn: one that is renewed when a third is gone survives an
//! outage of two thirds, without a second window in reserve. The holder trusts no clock of its own:
//! every figure here is a tick of the store, or a duration.

use super::age::Age;
use super::keeping::Keeping;
use super::lease::Lease;
use super::{SnowflakeConfig, SnowflakeIds};
use crate::generator::kind::{Kind, NewRange, Standing};
use crate::line::{Ids, Shape};
use crate::protocol::{AcquireAsk, Release, RenewAsk, WindowAsk, WindowGrant};
use crate::values::{Code, HostTime, LINE_END, Range, StoreTime, Token};

/// The pause before the first renewal. A first window is short, so that a process that crashes at
/// once blocks its number for seconds only; one that lives should get a longer one soon.
const FIRST_RENEWAL_MS: i64 = 2_000;
const RENEWAL_MS: i64 = 60_000;
/// The shortest pause before a renewal.
const SHORTEST_RENEWAL_MS: i64 = 100;
/// The first window that a holder asks for; later ones are twice its age. So a holder that crashes at
/// once, or lives for one task, does not block its number for long.
const YOUNG_WINDOW_MS: u32 = 10_000;

/// Gets windows from a namespace of a store. The [`Kind`] of a [`Snowflake`](crate::Snowflake).
#[derive(Clone, Copy, Debug)]
pub struct Snowflakes {
    pub(super) config: SnowflakeConfig,
    pub(super) seed: u64,
    pub(super) ids: Option<SnowflakeIds>,
    pub(super) lease: Option<Lease>,
    /// How much was left of the window in hand when it was granted, in ms.
    pub(super) length_ms: u64,
    pub(super) longest_ms: Option<u32>,
    pub(super) age: Age,
    pub(super) keeping: Option<Keeping>,
}

impl Snowflakes {
    /// The length of window to ask for: 10 s up to an age of 5 s, a minute at 30 s, all that the
    /// namespace allows (`None`) once twice the age is more than that.
    fn window_ms(&mut self, now: HostTime) -> Option<u32> {
        let grown = self.age.at(now).saturating_mul(2).max(YOUNG_WINDOW_MS);
        match self.config.length_ms {
            Some(most) => Some(most.min(grown)),
            // `None`, all that there is, once the holder is old enough.
            None => Some(grown).filter(|grown| self.longest_ms.is_none_or(|all| *grown < all)),
        }
    }
}

impl Snowflakes {
    /// The state file, if one is kept and not abandoned.
    pub(super) fn kept(&self) -> Option<&Keeping> {
        self.keeping.as_ref().filter(|keeping| !keeping.abandoned)
    }

    /// The release of a lease that is unused at or above `cursor`. It covers whole ticks only: a tick that
    /// was begun has handed out positions.
    pub(super) fn released(&self, lease: Lease, cursor: u64) -> Option<Release> {
        let unused_from = self.ids?.shape().first_unused_tick(cursor).min(lease.end_tick);
        let Lease { worker, key, store, .. } = lease;
        Some(Release { namespace: self.config.namespace, store, worker, key, unused_from })
    }
}

impl Kind for Snowflakes {
    type Ids = SnowflakeIds;
    type Ask = WindowAsk;
    type Grant = WindowGrant;
    const DOUBLE_BUFFERED: bool = false;

    #[inline]
    fn ids(&self) -> Option<SnowflakeIds> {
        self.ids
    }

    #[inline]
    fn ids_mut(&mut self) -> Option<&mut SnowflakeIds> {
        self.ids.as_mut()
    }

    fn dry_code(&self) -> Code {
        Code::WindowSpent
    }

    /// Always: windows are asked for by time, whatever was drawn.
    #[inline]
    fn ask_from(&self, _standing: &Standing) -> u64 {
        0
    }

    fn ask(&mut self, standing: &Standing, request: Token, now: HostTime) -> WindowAsk {
        let length_ms = self.window_ms(now);
        match self.lease {
            Some(lease) => WindowAsk::Renew(RenewAsk {
                namespace: self.config.namespace,
                request,
                store: lease.store,
                worker: lease.worker,
                key: lease.key,
                have_until: lease.end_tick,
                length_ms,
            }),
            None => WindowAsk::Acquire(AcquireAsk {
                namespace: self.config.namespace,
                request,
                store: standing.store,
                owner: self.config.owner,
                layout: self.config.layout,
                length_ms,
                sticky: self.config.sticky,
                strict: self.config.strict,
            }),
        }
    }

    /// The last check before a window is used: a worker or an end beyond the layout would run into
    /// another worker's IDs, and a renewal that begins elsewhere would cover a hole. A window that is
    /// already over does no harm, but counts as a failure for the back-off.
    fn vet(
        &self,
        ask: &WindowAsk,
        grant: &WindowGrant,
        _standing: &Standing,
        store_now: StoreTime,
    ) -> Result<NewRange, Code> {
        if self.ids.is_some_and(|ids| ids.layout() != grant.layout) {
            return Err(Code::LayoutMismatch);
        }
        let layout = grant.layout;
        let WindowGrant { worker, ticks, .. } = *grant;
        if ticks.start > ticks.end
            || ticks.end > layout.last_end()
            || u64::from(worker) >= layout.workers()
        {
            return Err(Code::GrantInvalid);
        }
        let extends = match (ask, self.lease) {
            (WindowAsk::Renew(ask), Some(lease)) => {
                let in_hand = ticks.start == lease.end_tick;
                if ask.key != lease.key || worker != lease.worker || !in_hand {
                    return Err(Code::GrantInvalid);
                }
                true
            }
            (WindowAsk::Acquire(_), _) if !ticks.is_empty() => false,
            _ => return Err(Code::GrantInvalid),
        };
        let over = layout.tick(store_now).map_err(|refusal| refusal.code)? >= ticks.end;
        if over && !ticks.is_empty() {
            return Err(Code::GrantInvalid);
        }
        let end_tick = ticks.end;
        let shape = Shape::ticks(layout.worker_bits(), layout.sequence_bits());
        let positions = Range::new(shape.position(ticks.start), shape.position(end_tick));
        Ok(NewRange { positions, bound: shape.bound(worker, end_tick), extends })
    }

    /// Pauses for a third of what is left, so that two more attempts fit in before the window is over.
    fn accept(
        &mut self,
        ask: &WindowAsk,
        grant: &WindowGrant,
        range: NewRange,
        _now: HostTime,
        store_now: StoreTime,
    ) -> (i64, Option<NewRange>) {
        let key = match (ask, self.lease) {
            (WindowAsk::Renew(_), Some(lease)) => lease.key,
            _ => grant.request,
        };
        self.ids = Some(SnowflakeIds::new(&self.config, grant.layout, self.seed));
        let lease =
            Lease { worker: grant.worker, key, store: grant.store, end_tick: grant.ticks.end };
        self.lease = Some(lease);
        self.longest_ms = Some(grant.max_window_ms);
        let left = grant.layout.time(grant.ticks.end).since(store_now);
        self.length_ms = u64::try_from(left).unwrap_or(0);
        let longest = match ask {
            WindowAsk::Renew(_) => RENEWAL_MS,
            WindowAsk::Acquire(_) => FIRST_RENEWAL_MS,
        };
        let pause_ms = (left / 3).clamp(SHORTEST_RENEWAL_MS, longest);
        match self.keeping.as_mut().filter(|keeping| !keeping.abandoned) {
            None => return (pause_ms, Some(range)),
            Some(keeping) if range.extends => keeping.renewed(),
            Some(keeping) => keeping.hold(range, lease, false),
        }
        (pause_ms, None)
    }

    /// A lost lease ends only renewals: the window is still used to its end, while another number is
    /// acquired.
    fn refused(&mut self, code: Code) -> bool {
        if let Some(keeping) = self.keeping.as_mut().filter(|_| code.stops()) {
            keeping.void();
        }
        code == Code::LeaseLost && self.lease.take().is_some()
    }

    /// The number of IDs up to `max_ahead` after now, or in half a window: the other half may pass before the
    /// next window arrives.
    fn most(&self) -> u64 {
        let Some(ids) = self.ids else { return LINE_END };
        let SnowflakeIds { layout, max_ahead_ms, spread, .. } = ids;
        let ahead = layout.in_ticks(max_ahead_ms.into()).saturating_add(1);
        let longest_ms = self.longest_ms.unwrap_or(u32::MAX);
        let window = layout.ticks(self.config.length_ms.unwrap_or(u32::MAX).min(longest_ms).into());
        let ticks = ahead.min((window / 2).max(1));
        ticks.saturating_mul(layout.per_tick()).saturating_sub(spread.most()).max(1)
    }

    fn release_unopened(&self, ask: &WindowAsk, grant: &WindowGrant) -> Option<Release> {
        match ask {
            WindowAsk::Acquire(ask) => Some(Release {
                namespace: self.config.namespace,
                store: grant.store,
                worker: grant.worker,
                key: ask.request,
                unused_from: grant.ticks.start,
            }),
            WindowAsk::Renew(_) => None,
        }
    }

    /// Keeps what a state file names: the holder comes back to it.
    fn release(&mut self, cursor: u64) -> Option<Release> {
        let (lease, ids) = (self.lease.take(), self.ids?);
        match self.keeping.as_mut().filter(|keeping| !keeping.abandoned) {
            Some(keeping) => {
                let unopened = keeping.close(cursor, ids.shape())?;
                self.released(unopened.lease, unopened.range.positions.start)
            }
            None => self.released(lease?, cursor),
        }
    }

    fn give_up(&mut self, cursor: u64) -> Option<Release> {
        let Some(opening) = self.kept().map(|keeping| keeping.opening()) else {
            return self.release(cursor);
        };
        // A window that was never opened is unused from its beginning.
        let (lease, cursor) = match opening {
            Some(fresh) => (Some(fresh.lease), fresh.range.positions.start),
            None => (self.lease, cursor),
        };
        self.lease = None;
        let release = lease.and_then(|lease| self.released(lease, cursor));
        let keeping = self.keeping.as_mut()?;
        keeping.void();
        if !keeping.void {
            return release;
        }
        keeping.release = release;
        None
    }

    /// Also resets the age: a forked child is a new holder and may live for one task only, so it begins
    /// with 10 s again.
    fn forget(&mut self) {
        self.age = Age::default();
        self.lease = None;
        if let Some(keeping) = &mut self.keeping {
            keeping.void_whatever_it_says();
        }
    }

    fn step(&self) -> u64 {
        self.length_ms
    }
}
