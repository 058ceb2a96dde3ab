//! The facts that a memory image of a generator leaves to another: no right to anything.

use crate::values::{Code, LINE_END, Layout, Refusal, Token};

/// The facts that a forked child, a rebuilt instance or a restarted process may know of the previous
/// generator. It contains no range, lease or request, so nothing can be handed out with it; a new
/// generator goes on above its position, and notices a store that changed or went back.
///
/// ```
/// use leafid_core::{HostTime, MemoryStore, Segment, SegmentConfig, refill};
/// let (config, now) = (SegmentConfig::new("orders")?, HostTime::new(0));
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let mut parent = Segment::new(config, 7)?;
/// refill(&mut parent, &mut store, || now, || [2; 16])?;
/// assert_eq!(parent.next(now)?, 1);
///
/// let mut child = Segment::new(config, 8)?;
/// child.resume(parent.carryover())?;
/// refill(&mut child, &mut store, || now, || [3; 16])?;
/// assert_eq!(child.next(now)?, 1_001, "not one number of its parent's range");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carryover {
    /// The store that answered.
    pub store: Option<Token>,
    /// The first position that was not handed out.
    pub position: u64,
    /// The highest end that was ever in hand, as a position.
    pub have_until: Option<u64>,
}

impl Carryover {
    /// Raises the position above an ID that was handed out; `layout` is that of a snowflake, `None` for
    /// a segment. For a host that lost the generator, and draws a pool ahead or knows the highest ID
    /// of its table:
    ///
    /// ```
    /// use leafid_core::{Carryover, Code};
    /// let before = Carryover::default().above(1_000, None)?;
    /// assert_eq!(before.position, 1_001);
    /// assert_eq!(before.above(500, None)?, before, "never down");
    /// assert_eq!(before.above(u64::MAX, None).unwrap_err().code, Code::IdInvalid);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// `ID_INVALID` for a number that is no ID, or none of this layout.
    pub fn above(self, id: u64, layout: Option<&Layout>) -> Result<Carryover, Refusal> {
        let position = match layout {
            None if id >= LINE_END => return Err(Code::IdInvalid.into()),
            None => id,
            Some(layout) => {
                let parts = layout.decompose(id)?;
                parts.tick.wrapping_shl(layout.sequence_bits().into()) | parts.sequence
            }
        };
        let position = self.position.max(position.saturating_add(1));
        Ok(Carryover { position, ..self })
    }
}
