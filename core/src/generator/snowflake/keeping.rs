//! The content of the state file, and when it is written.
//!
//! | in hand | what is written | then |
//! |---|---|---|
//! | a window that the file does not name | the window and its first `reserved` | the line opens on it |
//! | a window that the file names | a higher `reserved`, in time | the line may go up to there |
//! | nothing that may be used again | void | what waits for that may be done |
//! | the rest of a window, when it closes | where the line stands | a restart goes on there |
//!
//! The line ends at the lower of the window's end and `reserved`, so drawing needs to know nothing of
//! files. One write is under way at a time. After one that failed the file is abandoned: as it may
//! name the window in hand, the generator goes on without a file, in a window that is never
//! written to it.

use super::lease::Lease;
use crate::generator::kind::NewRange;
use crate::line::Shape;
use crate::protocol::Release;
use crate::values::HostTime;

/// The least time that the file reserves ahead of what is used, in ms.
const AHEAD_MS: u64 = 1_000;
/// The most time that it reserves ahead, in ms: a restart waits for as long.
const MOST_AHEAD_MS: u64 = 30_000;
/// The file is written again when less than this is left, in ms, or earlier where writes are slow.
const LEFT_MS: u64 = 500;
/// A holder that was not drawn from for this long, in ms, stops renewing `reserved`.
const WARM_MS: i64 = 60_000;
/// The pause after a void that failed, or a write that would have changed nothing, in ms.
const PAUSE_MS: i64 = 500;

/// A window as the file names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub(super) lease: Lease,
    pub(super) reserved: u64,
}

/// A window that the line may not open yet, because the file does not name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fresh {
    pub(super) range: NewRange,
    pub(super) lease: Lease,
    pub(super) found: bool,
    /// Whether it was over when it should have been written: it waits for a renewal or another window.
    pub(super) over: bool,
}

/// A write under way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Void,
    /// Raises `reserved` of the window in hand.
    Raise(Named),
    /// Names a window, which opens once this is written.
    Open(Named, Fresh),
    /// Notes where the line stood when it was closed.
    Last(Named),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    pub(super) way: Way,
    /// Its purpose is gone: its completion changes nothing.
    pub(super) stale: bool,
    pub(super) since: HostTime,
}

/// A generator's view of its state file. Without the feature `state` there is never one, so the
/// compiler removes all of this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    #[cfg(not(feature = "state"))]
    #[expect(dead_code, reason = "that nothing can be in it is what it is for")]
    never: core::convert::Infallible,
    pub(super) named: Option<Named>,
    pub(super) fresh: Option<Fresh>,
    pub(super) out: Option<Out>,
    /// The file has to be voided.
    pub(super) void: bool,
    /// Where the line stood when it was closed.
    pub(super) last: Option<Named>,
    /// The release to send once the file is void.
    pub(super) release: Option<Release>,
    /// A caller waits for IDs that are granted and not reserved.
    pub(super) demand: bool,
    /// No write before this.
    pub(super) pause_until: Option<HostTime>,
    /// Where the line stood at the last look.
    cursor: u64,
    /// When it was first seen there.
    moved: Option<HostTime>,
    /// Whether that is long ago.
    pub(super) idle: bool,
    /// How long the slowest of the recent writes took, in ms; it decays by an eighth with each write.
    slow_ms: u64,
    /// A write failed: only voids are still written.
    pub(super) abandoned: bool,
}

impl Keeping {
    /// For a file that names no window; `None` without the feature.
    #[cfg(feature = "state")]
    pub(super) const fn begin() -> Option<Keeping> {
        Some(Keeping {
            named: None,
            fresh: None,
            out: None,
            void: false,
            last: None,
            release: None,
            demand: false,
            pause_until: None,
            cursor: 0,
            moved: None,
            idle: false,
            slow_ms: 0,
            abandoned: false,
        })
    }

    /// For a file that names no window; `None` without the feature.
    #[cfg(not(feature = "state"))]
    pub(super) const fn begin() -> Option<Keeping> {
        None
    }

    /// Notes how long a write took, in ms.
    pub(super) fn took(&mut self, ms: i64) {
        let faded = self.slow_ms.saturating_sub(self.slow_ms.div_ceil(8));
        self.slow_ms = u64::try_from(ms).unwrap_or(0).max(faded);
    }

    /// How far ahead a window of this length is reserved, and how much of that is left at the next write,
    /// both in ms: so that no caller waits for a write that takes no longer than the last ones, and
    /// half of the window is left to a restart.
    pub(super) fn margins(&self, length_ms: u64) -> (u64, u64) {
        let most = (length_ms / 2).clamp(AHEAD_MS, MOST_AHEAD_MS);
        let slow = self.slow_ms.min(most.saturating_sub(AHEAD_MS) / 3);
        (slow.saturating_mul(3).saturating_add(AHEAD_MS), LEFT_MS.max(slow.saturating_mul(3) / 2))
    }

    /// Keeps a window that was granted or found, until its first write is done.
    pub(super) fn hold(&mut self, range: NewRange, lease: Lease, found: bool) {
        self.fresh = Some(Fresh { range, lease, found, over: false });
        self.pause_until = None;
    }

    pub(super) fn opening(&self) -> Option<Fresh> {
        match self.out {
            Some(Out { way: Way::Open(_, fresh), stale: false, .. }) => Some(fresh),
            _ => self.fresh.filter(|fresh| !fresh.over),
        }
    }

    /// Notes that the window was renewed: if it was over before, it can be written now.
    pub(super) fn renewed(&mut self) {
        self.pause_until = None;
        if let Some(fresh) = &mut self.fresh {
            fresh.over = false;
        }
    }

    /// Makes the file void: the lease must not be used any more, in this run or another.
    pub(super) fn void(&mut self) {
        if let Some(out) = &mut self.out {
            out.stale = true;
        }
        let is_found = self.fresh.is_some_and(|fresh| fresh.found);
        self.void |= self.named.is_some() || self.out.is_some() || is_found || self.abandoned;
        (self.fresh, self.last, self.demand) = (None, None, false);
        self.pause_until = None;
    }

    /// As [`void`](Keeping::void), whatever the file is known to contain: it may have been written after
    /// this memory image was taken.
    pub(super) fn void_whatever_it_says(&mut self) {
        self.void();
        self.void = true;
    }

    /// Whether a write is due though no caller waits for it.
    pub(super) fn is_due_now(&self) -> bool {
        let opens = self.fresh.is_some_and(|fresh| !fresh.over);
        self.void || opens || self.last.is_some() || self.demand
    }

    /// Whether `reserved` is raised by time: while the generator is in use.
    pub(super) fn is_warm(&mut self, cursor: u64, now: HostTime) -> bool {
        if self.cursor != cursor || self.moved.is_none() || self.demand {
            (self.cursor, self.moved) = (cursor, Some(now));
        }
        self.idle = self.moved.is_some_and(|moved| now.since(moved) >= WARM_MS);
        !self.idle
    }

    /// Stops writing rights. What the file names is left to the next run; returns the window that waited
    /// to be written, if any, which may be opened.
    pub(super) fn abandon(&mut self) -> Option<Fresh> {
        self.abandoned = true;
        (self.named, self.last, self.demand) = (None, None, false);
        self.fresh.take().filter(|fresh| !fresh.found)
    }

    /// Pauses writing: the last attempt failed or would have changed nothing.
    pub(super) fn pause(&mut self, now: HostTime) {
        self.pause_until = Some(now.plus(PAUSE_MS));
    }

    /// Notes for a restart where the line was closed; returns a window that was neither opened nor named
    /// in the file, to be released.
    pub(super) fn close(&mut self, cursor: u64, shape: Shape) -> Option<Fresh> {
        let unopened = self.fresh.take().filter(|fresh| !fresh.found);
        let stands = shape.first_unused_tick(cursor);
        self.last = self
            .named
            .filter(|named| stands < named.reserved && !self.void)
            .map(|named| Named { reserved: stands, ..named });
        self.demand = false;
        unopened
    }
}
