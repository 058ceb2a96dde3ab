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
    /// The end of a range is taken as inclusive (PROTOCOL R2).
    InclusiveEnd,
    /// A renewal may lower the high-water mark (PROTOCOL R16).
    RenewLowers,
    /// A release does not stop at the beginning of the lease (PROTOCOL R18).
    ReleaseWithoutHeldFrom,
    /// A lease is over by time-out since it was granted, whatever was promised (PROTOCOL R13).
    TimeoutLease,
    /// A number borrowed by an owner that has its own becomes its own as well.
    BorrowedSticky,
    /// `forget` keeps the ask that is out, and its request id (PROTOCOL R25).
    ForgetKeepsAsk,
    /// A child sends the release of its parent's window (PROTOCOL R25).
    ForgetKeepsLease,
    /// `forget` leaves the range in hand (PROTOCOL R25).
    ForgetKeepsRange,
    /// The request id survives an answer that was of no use (PROTOCOL R22).
    RequestSurvives,
    /// An answer is used without comparing the request that it echoes (PROTOCOL R22).
    NoEcho,
    /// An answer of another store is used (PROTOCOL R22).
    NoStoreCheck,
    /// The holder rounds the end of its window up once more.
    RoundTwice,
    /// A refusal puts the sequence back to the beginning of the tick (PROTOCOL R2).
    RefusalResets,
    /// The release is computed before the line is closed (PROTOCOL R6).
    ReleaseBeforeClose,
    /// The generator follows the clock back (PROTOCOL R3).
    FollowsClock,
    /// The offset to the store's time may take time back.
    OffsetGoesBack,
    /// A renewal is applied to whatever end is in hand (PROTOCOL R23).
    RenewalAnyEnd,
    /// A new window opens at the tick of the cursor, not above it (PROTOCOL R5).
    OpenAtOldTick,
    /// The cursor is written before the bound when a range opens (PROTOCOL R5).
    CursorBeforeBound,
    /// The bound is read before the cursor (PROTOCOL R4).
    BoundBeforeCursor,
    /// A renewal is granted below the beginning of the lease (PROTOCOL R17).
    RenewWithoutHeldFrom,
    /// `forget` drops where the line stood (PROTOCOL R3).
    ForgetDropsPosition,
    /// What another memory image knew is not taken over.
    ResumeIgnored,
    /// The store is not told where another memory image stood (PROTOCOL R25).
    ResumeUntold,
    /// A range of numbers below an end that was seen is used (PROTOCOL R3).
    SegmentBelowSeen,
    /// A window is renewed only when it is over.
    NeverRenewsEarly,
    /// A tag whose holder has shown that grants were lost is leased from on (PROTOCOL R10).
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
    /// The store is not told which end the holder has (PROTOCOL R9).
    HaveUntilUnsent,
    /// A number outside the namespace's range is renewed, and goes to its owner (PROTOCOL R17).
    OutsideWorkers,
    /// Of two numbers that one owner keeps, none is freed.
    TwoSticky,
    /// Of two numbers that one owner keeps, the newer is its own though only the older is free.
    KeptNewest,
    /// An answer that took long never mends the offset.
    SlowAnswerIgnored,
    /// What is asked for again brings nothing, and the next is asked for at once.
    NothingIsSuccess,
    /// A tag's upper end does not bind its leases (PROTOCOL R8).
    UntilIgnored,
    /// An operator's advance may take a tag's position back (PROTOCOL R12).
    AdvanceGoesDown,
    /// A fence moves a tag to its last known end, and no further (PROTOCOL R21).
    FenceWithoutGap,
    /// A fence lets windows begin at once (PROTOCOL R20).
    FenceForgetsWindows,
    /// What the state file reserves is used before that is written (PROTOCOL R28).
    ReserveAfterUse,
    /// A state file's slot is read whatever its checksum says (PROTOCOL R27).
    ChecksumIgnored,
    /// A state file is read wherever it was written (PROTOCOL R27).
    PlaceIgnored,
    /// Of a state file's two slots the older counts (PROTOCOL R30).
    OlderSlot,
    /// Of a state file's two slots the whole one counts, whatever happened to the other
    /// (PROTOCOL R27).
    BrokenSlotSkipped,
    /// A restart goes on in the tick in which the line was closed (PROTOCOL R30).
    CloseInsideTick,
    /// A holder with a state file gives its window back when it closes.
    CloseReleases,
    /// A window is given back while the state file still names it (PROTOCOL R31).
    ReleaseLeavesFile,
    /// `forget` leaves the state file as it is (PROTOCOL R31).
    ForgetLeavesFile,
    /// A generator whose state file could not be written goes on in the window that it may name
    /// (PROTOCOL R29).
    AbandonedWindowUsed,
    /// A state file that could not be written is written again (PROTOCOL R29).
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
