//! The end of a generator, and what is left to another memory image of it.

use super::{Generator, Kind};
use crate::line::{INSIDE, Line};
use crate::protocol::{Carryover, Release};
use crate::values::Code;

impl<K: Kind, L: Line> Generator<K, L> {
    /// Graceful stop: the line is closed first; what of a window was not begun is to be given
    /// back with the release, if there is one. The rest of a segment is a gap.
    pub fn retire(&mut self) -> Option<Release> {
        if self.ended.is_some() {
            return None;
        }
        if bug!(ReleaseBeforeClose) {
            // Who holds the line goes on drawing until it is closed, if ever.
            return self.kind.release(self.line.stands_at());
        }
        self.drop_range();
        self.ended = Some(Code::Closed);
        self.kind.release(self.line.stands_at())
    }

    /// Drops every right and the ask that is out, at once and without a word to the store: after
    /// a fork, a restored memory image, a rebuilt instance. The next ID waits for a new range;
    /// what is kept are facts (the store, where the line stood, the highest end seen).
    pub fn forget(&mut self) {
        if !bug!(ForgetKeepsRange) {
            self.drop_range();
        }
        if bug!(ForgetDropsPosition) {
            self.line.close_at(INSIDE, 0);
        }
        self.pending.forget();
        self.kind.forget();
        self.wanted = 0;
    }

    /// A copy of all of it, as a fork or a snapshot of the machine makes one: to test that
    /// [`Generator::forget`] is called. Whoever draws from both without it hands out duplicates.
    pub fn image(&self) -> Generator<K, L>
    where
        K: Copy,
        L: Copy,
    {
        Generator { ..*self }
    }

    /// What another memory image of this generator may know: facts, and no right to anything.
    pub fn carryover(&self) -> Carryover {
        let position = self.line.stands_at();
        Carryover { store: self.store, position, have_until: self.have_until }
    }

    /// Takes over what another memory image of this generator knew: IDs go on above its last one,
    /// another store is noticed, and so is one that no longer knows what it granted. For a
    /// generator that was granted nothing yet; later it changes nothing.
    pub fn resume(&mut self, before: Carryover) {
        if self.store.is_some() || !self.line.is_closed() || bug!(ResumeIgnored) {
            return;
        }
        self.store = before.store;
        self.have_until = self.have_until.max(before.have_until);
        self.line.close_at(INSIDE, self.line.stands_at().max(before.position));
    }

    pub(super) fn drop_range(&mut self) {
        let in_hand = self.in_hand();
        self.drop_positions(in_hand);
        self.next_range = None;
        self.line.close(INSIDE);
    }
}
