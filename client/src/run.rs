//! Iterators: over a generator, and over blocks of IDs that one thread has to itself.

use std::fmt;

use leafid_core::{Ids as _, Range};

use crate::Error;
use crate::driver::Numbering;
use crate::generator::{Generator, Kind, signed};
use crate::host::fork::{self, Generation};

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
    /// The rest of the block, and how its positions become IDs.
    rest: Range,
    worker: u32,
    numbering: Option<Numbering>,
    /// The process that drew it.
    drawn_in: Generation,
}

impl<K> fmt::Debug for Local<K> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Local({:?})", self.generator)
    }
}

impl<K: Kind> Local<K> {
    pub(crate) fn new(generator: Generator<K>, block: u32) -> Local<K> {
        let (block, rest) = (u64::from(block).max(1), Range::new(0, 0));
        Local { generator, block, rest, worker: 0, numbering: None, drawn_in: fork::current() }
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
        if self.rest.start < self.rest.end && fork::is_current_by_load(self.drawn_in) {
            return Ok(self.step());
        }
        self.next_otherwise()
    }

    #[inline]
    fn step(&mut self) -> i64 {
        let at = self.rest.start;
        self.rest.start = at + 1;
        match self.numbering {
            Some(Numbering::Snowflake(ids)) if K::STAMPS => signed(ids.id(at, self.worker)),
            // A number is its own position.
            _ => signed(at),
        }
    }

    #[cold]
    fn next_otherwise(&mut self) -> Result<i64, Error> {
        // A forked child leaves its parent's block.
        if self.rest.start >= self.rest.end || !fork::is_current(self.drawn_in) {
            (self.drawn_in, self.rest) = (fork::current(), Range::new(0, 0));
            let drawn = self.generator.driven().last_holding().draw_run(self.block);
            let Some((numbering, run)) = drawn else { return self.generator.next() };
            (self.numbering, self.rest, self.worker) = (Some(numbering), run.positions, run.worker);
        }
        Ok(self.step())
    }
}

impl<K: Kind> Iterator for Local<K> {
    type Item = Result<i64, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<i64, Error>> {
        Some(Local::next(self))
    }
}
