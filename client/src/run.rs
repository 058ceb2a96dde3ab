//! Iterators: over a generator, and over blocks of IDs that one thread has to itself.

use std::fmt;

use leafid_core::{Ids as _, Run};

use crate::Error;
use crate::driver::{Numbering, each};
use crate::generator::{Generator, Kind, signed};

/// The IDs of a generator, one after another: [`Generator::iter`].
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
    /// The rest of the block, and the process that drew it.
    rest: Option<(Numbering, Run)>,
    drawn_in: crate::host::fork::Generation,
}

impl<K> fmt::Debug for Local<K> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Local({:?})", self.generator)
    }
}

impl<K: Kind> Local<K> {
    pub(crate) fn new(generator: Generator<K>, block: u32) -> Local<K> {
        let drawn_in = crate::host::fork::current();
        Local { generator, block: u64::from(block).max(1), rest: None, drawn_in }
    }

    /// The next ID of the block. At its end draws another, and waits as [`Generator::next`] if none is at hand.
    ///
    /// # Errors
    /// As `Generator::next`.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "the trait is implemented as well")]
    pub fn next(&mut self) -> Result<i64, Error> {
        if let Some((numbering, run)) = &mut self.rest
            && run.positions.start < run.positions.end
            && crate::host::fork::is_current(self.drawn_in)
        {
            let at = run.positions.start;
            run.positions.start += 1;
            return Ok(signed(each!(Numbering, numbering, ids => ids.id(at, run.worker))));
        }
        self.another()
    }

    #[cold]
    fn another(&mut self) -> Result<i64, Error> {
        // A forked child leaves its parent's block.
        self.drawn_in = crate::host::fork::current();
        self.rest = self.generator.driven().last_holding().draw_run(self.block);
        match self.rest {
            Some(_) => self.next(),
            None => self.generator.next(),
        }
    }
}

impl<K: Kind> Iterator for Local<K> {
    type Item = Result<i64, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<i64, Error>> {
        Some(Local::next(self))
    }
}
