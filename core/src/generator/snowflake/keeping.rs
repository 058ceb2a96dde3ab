//! What stands in the state file, and when it is written.
//!
//! | in hand | is written | then |
//! |---|---|---|
//! | a window that the file does not name | it, with its first `reserved` | the line opens on it |
//! | a window that the file names | a higher `reserved`, in time | the line may go up to there |
//! | nothing that may be used again | that there is none | what waits for that may be done |
//! | the rest of a window, when it closes | where the line stands | a restart goes on there |
//!
//! The line's end is the lower of the window's and of `reserved`, so the step that commits knows
//! nothing of files. One write is on its way at a time. After one that failed the file is abandoned:
//! it may name what was held, so the generator goes on in a window that it never names, as if it
//! had none.

use super::lease::Lease;
use crate::generator::kind::NewRange;
use crate::line::Shape;
use crate::protocol::Release;
use crate::values::HostTime;

/// So far ahead of what is used the file reserves at least, in ms …
const AHEAD_MS: u64 = 1_000;
/// … and at most: a restart waits for as long.
const MOST_AHEAD_MS: u64 = 30_000;
/// It is written again when less than this is left, in ms, or earlier where writes are slow.
const LEFT_MS: u64 = 500;
/// A holder from which nothing is drawn lets what it reserved run out after this, in ms.
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
    /// Whether it was over when it was to be named: it waits for a renewal, or for another.
    pub(super) over: bool,
}

/// A write that is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Void,
    /// Raises what the file reserves of the window in hand.
    Raise(Named),
    /// Names a window, which is opened then.
    Open(Named, Fresh),
    /// Where the line stood when it was closed.
    Last(Named),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    pub(super) way: Way,
    /// What it was for is gone: nothing follows from it.
    pub(super) stale: bool,
    pub(super) since: HostTime,
}

/// What a generator knows of its state file. Without the feature `state` there is never one, which
/// the compiler knows: nothing of this is then in a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    #[cfg(not(feature = "state"))]
    #[expect(dead_code, reason = "that nothing can be in it is what it is for")]
    never: core::convert::Infallible,
    pub(super) named: Option<Named>,
    pub(super) fresh: Option<Fresh>,
    pub(super) out: Option<Out>,
    /// What the file says must not be used any more.
    pub(super) void: bool,
    /// Where the line stood when it was closed.
    pub(super) last: Option<Named>,
    /// What is sent once the file is void.
    pub(super) release: Option<Release>,
    /// Somebody waits for what is granted and not reserved.
    pub(super) demand: bool,
    /// Nothing is written before this.
    pub(super) pause_until: Option<HostTime>,
    /// Where the line stood when it was looked at …
    cursor: u64,
    /// … and when that was seen …
    moved: Option<HostTime>,
    /// … which is long ago.
    pub(super) idle: bool,
    /// How long the slowest of the last writes took, in ms; each later one forgets an eighth of it.
    slow_ms: u64,
    /// A write failed: no right is written any more.
    pub(super) abandoned: bool,
}

impl Keeping {
    /// Of a file that says nothing; `None` without the feature.
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

    /// Of a file that says nothing; `None` without the feature.
    #[cfg(not(feature = "state"))]
    pub(super) const fn begin() -> Option<Keeping> {
        None
    }

    /// A write was made that took so long, in ms.
    pub(super) fn took(&mut self, ms: i64) {
        let faded = self.slow_ms.saturating_sub(self.slow_ms.div_ceil(8));
        self.slow_ms = u64::try_from(ms).unwrap_or(0).max(faded);
    }

    /// How far ahead of what is used a window of this length is reserved, and how much of that is
    /// left when it is to be written again, in ms: nobody waits for a write that takes no longer
    /// than the last ones, and half of the window is left to a restart.
    pub(super) fn margins(&self, length_ms: u64) -> (u64, u64) {
        let most = (length_ms / 2).clamp(AHEAD_MS, MOST_AHEAD_MS);
        let slow = self.slow_ms.min(most.saturating_sub(AHEAD_MS) / 3);
        (slow.saturating_mul(3).saturating_add(AHEAD_MS), LEFT_MS.max(slow.saturating_mul(3) / 2))
    }

    /// A window that was granted or found: it waits for its first write.
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

    /// The window in hand was renewed: what could not be written, as it was over, can be.
    pub(super) fn renewed(&mut self) {
        self.pause_until = None;
        if let Some(fresh) = &mut self.fresh {
            fresh.over = false;
        }
    }

    /// What was held may not be used any more, in this life or another.
    pub(super) fn void(&mut self) {
        if let Some(out) = &mut self.out {
            out.stale = true;
        }
        let is_found = self.fresh.is_some_and(|fresh| fresh.found);
        self.void |= self.named.is_some() || self.out.is_some() || is_found || self.abandoned;
        (self.fresh, self.last, self.demand) = (None, None, false);
        self.pause_until = None;
    }

    /// As [`void`](Keeping::void), of a memory that may be older than the file: what stands in it may
    /// have been written after the image was taken that goes on here.
    pub(super) fn void_whatever_it_says(&mut self) {
        self.void();
        self.void = true;
    }

    /// Whether something is written without anybody's waiting for it.
    pub(super) fn is_due_now(&self) -> bool {
        let opens = self.fresh.is_some_and(|fresh| !fresh.over);
        self.void || opens || self.last.is_some() || self.demand
    }

    /// Whether what is reserved is raised by time: while the generator is used.
    pub(super) fn is_warm(&mut self, cursor: u64, now: HostTime) -> bool {
        if self.cursor != cursor || self.moved.is_none() || self.demand {
            (self.cursor, self.moved) = (cursor, Some(now));
        }
        self.idle = self.moved.is_some_and(|moved| now.since(moved) >= WARM_MS);
        !self.idle
    }

    /// Writes no right any more. What the file says is left to a next life, and the window that it
    /// cannot say, if there is one, is given back: that may be opened.
    pub(super) fn abandon(&mut self) -> Option<Fresh> {
        self.abandoned = true;
        (self.named, self.last, self.demand) = (None, None, false);
        self.fresh.take().filter(|fresh| !fresh.found)
    }

    /// Nothing is written for a moment: what was wanted could not be had, or changes nothing.
    pub(super) fn pause(&mut self, now: HostTime) {
        self.pause_until = Some(now.plus(PAUSE_MS));
    }

    /// The line is closed where it stands: what a restart may know of that, and the release of a
    /// window that was never opened, nor named in the file.
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
