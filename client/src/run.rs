//! Iterators: over a generator, and over blocks of IDs that one thread has to itself.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{Ids as _, Run};

use crate::Error;
use crate::driver::{Numbering, each};
use crate::generator::{Generator, Kind, signed};
use crate::host::fork::{self, Generation};

/// How often a generator of this process forgot what it held.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// Has every handle of this process leave its block: a copy of the memory has the same one.
pub(crate) fn forget_blocks() {
    FORGOTTEN.fetch_add(1, Ordering::AcqRel);
}

/// The IDs of a generator, one after another, without an end: [`Generator::iter`].
#[derive(Debug)]
pub struct Ids<K>(pub(crate) Generator<K>);

impl<K: Kind> Iterator for Ids<K> {
    type Item = Result<i64, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<i64, Error>> {
        Some(self.0.next())
    }
}

/// The IDs of blocks that one thread has to itself: [`Generator::local`].
pub struct Local<K> {
    generator: Generator<K>,
    block: u64,
    /// Successive IDs, from `next` on and below `end`: all of a block of numbers, or of a tick.
    next: u64,
    end: u64,
    /// The rest of the block, and how its positions become IDs.
    rest: Option<(Numbering, Run)>,
    /// The process that drew it, and how often anything was forgotten before.
    drawn_in: Generation,
    forgotten: u64,
}

impl<K> fmt::Debug for Local<K> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Local({:?})", self.generator)
    }
}

impl<K: Kind> Local<K> {
    pub(crate) fn new(generator: Generator<K>, block: u32) -> Local<K> {
        let (block, drawn_in) = (u64::from(block).max(1), fork::current());
        Local { generator, block, next: 0, end: 0, rest: None, drawn_in, forgotten: 0 }
    }

    /// The next ID of the block. At its end draws another, and waits as [`Generator::next`] if none is at hand.
    ///
    /// # Errors
    /// As `Generator::next`.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// # orders.ready(100)?;
    /// let mut own = orders.local(100);
    /// assert_eq!((own.next()?, own.next()?), (1, 2));
    /// assert_eq!(orders.next()?, 101); // the block is its own
    /// # Ok::<(), leafid::Error>(())
    /// ```
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "the trait is implemented as well")]
    pub fn next(&mut self) -> Result<i64, Error> {
        if self.next < self.end
            && fork::is_current_by_load(self.drawn_in)
            && FORGOTTEN.load(Ordering::Relaxed) == self.forgotten
        {
            return Ok(self.step());
        }
        self.next_otherwise()
    }

    #[inline]
    fn step(&mut self) -> i64 {
        let id = self.next;
        self.next = id + 1;
        signed(id)
    }

    #[cold]
    fn next_otherwise(&mut self) -> Result<i64, Error> {
        let forgotten = FORGOTTEN.load(Ordering::Acquire);
        if !fork::is_current(self.drawn_in) || forgotten != self.forgotten {
            // A forked child leaves its parent's block, and a copy that of its original.
            (self.drawn_in, self.forgotten) = (fork::current(), forgotten);
            (self.end, self.rest) = (0, None);
        }
        if self.next >= self.end {
            let holding = self.generator.driven().last_holding();
            let Some((numbering, run)) = self.rest.take().or_else(|| holding.draw_run(self.block))
            else {
                return self.generator.next();
            };
            self.begin(numbering, run);
        }
        Ok(self.step())
    }

    /// Begins with the first successive IDs of a run.
    fn begin(&mut self, numbering: Numbering, mut run: Run) {
        let Run { positions, worker } = run;
        (self.next, run.positions.start) = each!(Numbering, numbering, ids => {
            (ids.id(positions.start, worker), positions.start + ids.successive(positions))
        });
        self.end = self.next + (run.positions.start - positions.start);
        self.rest = Some((numbering, run)).filter(|_| !run.positions.is_empty());
    }
}

impl<K: Kind> Iterator for Local<K> {
    type Item = Result<i64, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<i64, Error>> {
        Some(Local::next(self))
    }
}
