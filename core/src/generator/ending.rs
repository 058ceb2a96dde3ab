//! The end of a generator, and what another memory image of it may take over.

use super::{Generator, Kind};
use crate::line::{INSIDE, Line};
use crate::protocol::{Carryover, Release};
use crate::values::{Code, LINE_END, Refusal};

impl<K: Kind, L: Line> Generator<K, L> {
    /// Stops gracefully: closes the line, and returns the release that gives back the ticks of a window
    /// that were not begun, if any. The rest of a segment becomes a gap: numbers are not given back, as
    /// a repeated return would hand them out twice.
    ///
    /// Send the release and do not wait for it: if it is lost, the worker number is only blocked until
    /// its window is over. From now on every draw is `CLOSED`.
    ///
    /// ```
    /// use leafid_core::{
    ///     Code, HostTime, MemoryStore, Snowflake, SnowflakeConfig, Store, StoreTime, refill,
    /// };
    /// // A store with one worker number only, and two processes that want it.
    /// let mut store: MemoryStore<1, 1, 1> = MemoryStore::new([1; 16]);
    /// store.set_clock(StoreTime::new(1_800_000_000_000));
    /// let mut old = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
    /// let mut new = Snowflake::new(SnowflakeConfig::new("default", "host/2")?, 8)?;
    /// let ms = HostTime::new;
    /// refill(&mut old, &mut store, || ms(0), || [2; 16])?;
    /// let last = old.next(ms(0))?;
    /// let refused = refill(&mut new, &mut store, || ms(0), || [3; 16]);
    /// assert_eq!(refused.unwrap_err().code, Code::WorkersExhausted);
    ///
    /// let release = old.retire().unwrap();
    /// assert!(store.release(&release).is_ok());
    /// assert_eq!(old.next(ms(1)).unwrap_err().code, Code::Closed);
    /// // Ten seconds were leased and one tick of them was begun: the number is free after that.
    /// store.set_clock(StoreTime::new(1_800_000_000_001));
    /// let again = new.poll_at().unwrap();
    /// refill(&mut new, &mut store, || again, || [4; 16])?;
    /// assert!(new.next(again)? > last);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn retire(&mut self) -> Option<Release> {
        self.end(K::release)
    }

    /// As [`retire`](Generator::retire), for a holder that will not come back: also gives back what a
    /// state file would keep. Where this returns no release, the [`Event::Written`](crate::Event) of the
    /// write that voids the file may give one.
    pub fn give_up(&mut self) -> Option<Release> {
        self.end(K::give_up)
    }

    fn end(&mut self, release: fn(&mut K, u64) -> Option<Release>) -> Option<Release> {
        if self.ended.is_some() {
            return None;
        }
        // Else other users of the line would go on drawing until it is closed, if ever.
        self.drop_range();
        self.ended = Some(Code::Closed);
        release(&mut self.kind, self.line.stands_at())
    }

    /// Whether a state file still has to be voided: after a `forget` or a `give_up`, until that is
    /// written.
    pub fn is_voiding(&self) -> bool {
        self.kind.is_voiding()
    }

    /// Drops every right and the ask that is out, at once and without telling the store: after a fork,
    /// a restored memory image, a rebuilt instance. The next ID waits for a new range; only facts are
    /// kept (the store, where the line stood, the highest end seen).
    ///
    /// Call it in the child, before its first ID. The parent calls nothing and keeps its ranges. Where a
    /// mutex may be held by a thread that the fork did not copy, do not touch this generator: build
    /// another above its [`Carryover`].
    ///
    /// ```
    /// use leafid_core::{Code, HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut parent = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut parent, &mut store, || now, || [2; 16])?;
    ///
    /// let mut careless = parent.image(); // as `fork` copies it
    /// let mut child = parent.image();
    /// child.forget();
    /// assert_eq!(parent.next(now)?, 1);
    /// assert_eq!(careless.next(now)?, 1, "a duplicate");
    /// assert_eq!(child.next(now).unwrap_err().code, Code::SegmentDry);
    /// refill(&mut child, &mut store, || now, || [3; 16])?;
    /// assert_eq!(child.next(now)?, 1_001);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn forget(&mut self) {
        self.drop_range();
        self.pending.forget();
        self.kind.forget();
        self.wanted = 0;
    }

    /// Copies the whole generator, as a fork or a snapshot of the machine does: to test that
    /// [`Generator::forget`] is called. Drawing from both copies without it gives duplicates, which is
    /// why this is not `Clone`, and why a shared line has none.
    pub fn image(&self) -> Generator<K, L>
    where
        K: Copy,
        L: Copy,
    {
        Generator { ..*self }
    }

    /// The facts that another memory image of this generator may take over, and no right to anything:
    /// see [`Carryover`]. A child that must not touch its parent's mutex takes the position from the
    /// line instead ([`SharedLine::stands_at`](crate::SharedLine::stands_at)).
    pub fn carryover(&self) -> Carryover {
        let position = self.line.stands_at();
        Carryover { store: self.store, position, have_until: self.have_until }
    }

    /// Takes over the facts of another memory image of this generator: IDs go on above its last one, and
    /// a store that is another or has lost grants is noticed. Call it once, before the first grant.
    ///
    /// The position is sent to the store, which refuses with `STORE_WENT_BACK` if its numbers begin
    /// below: it has lost grants, or never made them.
    ///
    /// ```
    /// use leafid_core::{Carryover, Code, HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// // The highest number in its table, which the store never granted: it begins at 1.
    /// orders.resume(Carryover::default().above(5_000_000, None)?)?;
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let now = HostTime::new(0);
    /// let refused = refill(&mut orders, &mut store, || now, || [2; 16]);
    /// assert_eq!(refused.unwrap_err().code, Code::StoreWentBack);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// `REQUEST_INVALID` if a store is known already, `RANGE_INVALID` for positions beyond 2^63 - 1, and
    /// the reason if the generator has ended. Then nothing was changed.
    pub fn resume(&mut self, before: Carryover) -> Result<(), Refusal> {
        if let Some(code) = self.ended {
            return Err(code.into());
        }
        if self.store.is_some() {
            return Err(Code::RequestInvalid.into());
        }
        // All that was handed out had been in hand.
        let stood_at = Some(before.position).filter(|position| *position > 0);
        let have_until = before.have_until.max(stood_at);
        if have_until > Some(LINE_END) {
            return Err(Code::RangeInvalid.into());
        }
        self.store = before.store;
        self.have_until = self.have_until.max(have_until);
        self.line.close_at(INSIDE, self.line.stands_at().max(before.position));
        Ok(())
    }

    /// Closes the line and drops what is in hand, counted as lost. The count comes first, as a closed
    /// line has no end to count to.
    pub(super) fn drop_range(&mut self) {
        let in_hand = self.in_hand();
        self.drop_positions(in_hand);
        self.next_range = None;
        self.line.close(INSIDE);
    }
}
