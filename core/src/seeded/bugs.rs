//! Seeded protocol bugs: each is a mistake that a system of this kind has made, kept behind a
//! switch so that the models and the simulator can prove that they would find it.
//!
//! Compiled only under `--cfg leafid_bugs` or `--cfg loom`; elsewhere `bug!` is the constant
//! `false` and nothing of this file is in the crate.

use std::sync::atomic::{AtomicU8, Ordering};

macro_rules! seeded {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One seeded bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Bug {
            /// None: the code as it is.
            None,
            $($(#[$doc])* $name,)*
        }

        impl Bug {
            /// Every bug there is, without [`Bug::None`].
            pub const ALL: &'static [Bug] = &[$(Bug::$name,)*];
        }
    };
}

seeded! {
    /// The end of a range is taken as inclusive.
    InclusiveEnd,
    /// A renewal may lower the high-water mark.
    RenewLowers,
    /// A release does not stop at the beginning of the lease.
    ReleaseWithoutHeldFrom,
    /// A lease is over by time-out since it was granted, whatever was promised.
    TimeoutLease,
    /// A number borrowed by an owner that has its own becomes its own as well.
    BorrowedSticky,
    /// `forget` keeps the ask that is out, and its request id.
    ForgetKeepsAsk,
    /// A child sends the release of its parent's window.
    ForgetKeepsLease,
    /// `forget` leaves the range in hand.
    ForgetKeepsRange,
    /// The request id survives an answer that was of no use.
    RequestSurvives,
    /// An answer is used without comparing the request that it echoes.
    NoEcho,
    /// An answer of another store is used.
    NoStoreCheck,
    /// The holder rounds the end of its window up once more.
    RoundTwice,
    /// A refusal puts the sequence back to the beginning of the tick.
    RefusalResets,
    /// The release is computed before the line is closed.
    ReleaseBeforeClose,
    /// The generator follows the clock back.
    FollowsClock,
    /// The offset to the store's time may take time back.
    OffsetGoesBack,
    /// A renewal is applied to whatever end is in hand.
    RenewalAnyEnd,
    /// A new window opens at the tick of the cursor, not above it.
    OpenAtOldTick,
    /// The cursor is written before the bound when a range opens.
    CursorBeforeBound,
    /// The bound is read before the cursor.
    BoundBeforeCursor,
    /// A renewal is granted below the beginning of the lease.
    RenewWithoutHeldFrom,
    /// `forget` drops where the line stood.
    ForgetDropsPosition,
    /// What another memory image knew is not taken over.
    ResumeIgnored,
    /// The store is not told where another memory image stood.
    ResumeUntold,
    /// A range of numbers below an end that was seen is used.
    SegmentBelowSeen,
    /// A window is renewed only when it is over.
    NeverRenewsEarly,
    /// A tag whose holder has shown that grants were lost is leased from on.
    EvidenceIgnored,
    /// After a failure there is no pause.
    NoBackOff,
    /// A clock that leapt over its window is never put right.
    NeverLeaps,
    /// A wall clock that leapt is believed, whatever the clock says that only ticks.
    LeapBelieved,
    /// An owner's own number is not looked for.
    StickyIgnored,
    /// An owner that wants no other number gets one.
    StrictIgnored,
    /// What a caller once wanted in one go is wanted for ever.
    WantedStays,
    /// A grant that comes after closing is not given back.
    LateGrantKept,
    /// The store is not told which end the holder has.
    HaveUntilUnsent,
    /// A number outside the namespace's range is renewed, and goes to its owner.
    OutsideWorkers,
    /// Of two numbers that one owner keeps, none is freed.
    TwoSticky,
    /// Of two numbers that one owner keeps, the newer is its own though only the older is free.
    KeptNewest,
    /// An answer that took long never mends the offset.
    SlowAnswerIgnored,
    /// What is asked for again brings nothing, and the next is asked for at once.
    NothingIsSuccess,
    /// A tag's upper end does not bind its leases.
    UntilIgnored,
    /// An operator's advance may take a tag's position back.
    AdvanceGoesDown,
    /// A fence moves a tag to its last known end, and no further.
    FenceWithoutGap,
    /// A fence lets windows begin at once.
    FenceForgetsWindows,
    /// What the state file reserves is used before that is written.
    ReserveAfterUse,
    /// A state file's slot is read whatever its checksum says.
    ChecksumIgnored,
    /// A state file is read wherever it was written.
    PlaceIgnored,
    /// Of a state file's two slots the older counts.
    OlderSlot,
    /// Of a state file's two slots the whole one counts, whatever happened to the other.
    BrokenSlotSkipped,
    /// A restart goes on in the tick in which the line was closed.
    CloseInsideTick,
    /// A holder with a state file gives its window back when it closes.
    CloseReleases,
    /// A window is given back while the state file still names it.
    ReleaseLeavesFile,
    /// `forget` leaves the state file as it is.
    ForgetLeavesFile,
    /// A generator whose state file could not be written goes on in the window that it may name.
    AbandonedWindowUsed,
    /// A state file that could not be written is written again.
    AbandonedFileWritten,
    /// What the state file reserves does not follow how long its writes take.
    ReserveIgnoresWrites,
}

static SEEDED: AtomicU8 = AtomicU8::new(0);

/// Switches one bug on, for the whole process.
pub fn seed(bug: Bug) {
    SEEDED.store(bug as u8, Ordering::SeqCst);
}

pub(crate) fn on(bug: Bug) -> bool {
    SEEDED.load(Ordering::Relaxed) == bug as u8
}
