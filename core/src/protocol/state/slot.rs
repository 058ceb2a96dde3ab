//! One slot: 512 bytes, little-endian, the last eight of them the checksum of the others.
//!
//! | at | bytes | |
//! |---|---|---|
//! | 0 | 8 | `LEAFIDST` |
//! | 8 | 2, 1, 1 | the form, which is 1; 1 where there is a right, else 0; the length of the namespace |
//! | 12 | 4 | worker |
//! | 16 | 8 | counter: it rises with each write |
//! | 24 | 16, 16, 8, 8 | where the file belongs: machine, boot, device and number of the lock's file |
//! | 72 | 16, 16 | store, key |
//! | 104 | 8, 4, 1, 1, 1, 1 | layout: epoch in ms, tick in ms, the three widths, 0 |
//! | 120 | 8, 8 | end, reserved; ticks |
//! | 136 | 8 | the store's time when the machine was started, in ms since 1970 |
//! | 144 | 128 | namespace, and zeros |
//! | 272 | 232 | zeros |
//! | 504 | 8 | checksum: FNV-1a, 64 bits |

use super::bytes::{Put, Take, checksum};
use super::{StatePlace, StateRecord};
use crate::values::{Layout, NAME_BYTES, Name, StoreTime, Token};

/// The length of a slot.
pub(super) const SLOT: usize = 512;
const MAGIC: &[u8; 8] = b"LEAFIDST";
const FORM: [u8; 2] = 1u16.to_le_bytes();
const SUM_AT: usize = SLOT - 8;

/// The content of a whole slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) counter: u64,
    pub(super) place: StatePlace,
    /// The right, with the store's time when the machine was started; `None` if void.
    pub(super) record: Option<StateRecord>,
}

/// The contents read in the place of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is no allocator, and two at a time")]
pub(super) enum Seen {
    /// Nothing was ever written.
    Zeros,
    /// A whole slot.
    Whole(Slot),
    /// A slot that is not whole, or of a format that this version does not know.
    Broken,
    /// Something else, or a slot that has lost its beginning.
    Strange,
}

impl Slot {
    pub(super) fn write(&self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        let mut put = Put(&mut bytes);
        let name = self.record.as_ref().map_or("", |record| record.namespace.as_str());
        put.bytes(MAGIC);
        put.bytes(&FORM);
        put.bytes(&[u8::from(self.record.is_some()), name.len() as u8]);
        put.u32(self.record.map_or(0, |record| record.worker));
        put.u64(self.counter);
        put.bytes(&self.place.machine);
        put.bytes(&self.place.boot);
        put.u64(self.place.device);
        put.u64(self.place.lock);
        if let Some(record) = self.record {
            let StateRecord { store, key, layout, end, reserved, now, .. } = record;
            put.bytes(&store.bytes());
            put.bytes(&key.bytes());
            put.u64(layout.epoch_ms().cast_unsigned());
            put.u32(layout.tick_ms());
            put.bytes(&[layout.time_bits(), layout.worker_bits(), layout.sequence_bits(), 0]);
            put.u64(end);
            put.u64(reserved);
            put.u64(now.get().cast_unsigned());
            put.bytes(name.as_bytes());
        }
        if let Some((body, sum)) = bytes.split_last_chunk_mut::<8>() {
            *sum = checksum(body).to_le_bytes();
        }
        bytes
    }

    pub(super) fn read(bytes: &[u8; SLOT]) -> Seen {
        if bytes.iter().all(|byte| *byte == 0) {
            return Seen::Zeros;
        }
        if !bytes.starts_with(MAGIC) {
            return Seen::Strange;
        }
        let Some((body, sum)) = bytes.split_last_chunk::<8>() else { return Seen::Broken };
        if *sum != checksum(body).to_le_bytes() {
            return Seen::Broken;
        }
        Slot::parse(body).map_or(Seen::Broken, Seen::Whole)
    }

    /// `None` for content that no version of this format writes.
    fn parse(body: &[u8]) -> Option<Slot> {
        let mut take = Take(body);
        let (_magic, form) = (take.bytes::<8>()?, take.bytes::<2>()?);
        let (kind, name_len) = (take.byte()?, take.byte()?);
        let worker = take.u32()?;
        let counter = take.u64()?;
        let place = StatePlace {
            machine: take.bytes()?,
            boot: take.bytes()?,
            device: take.u64()?,
            lock: take.u64()?,
        };
        if form != FORM || counter == 0 {
            return None;
        }
        let (store, key) = (Token::new(take.bytes()?), Token::new(take.bytes()?));
        let (epoch_ms, tick_ms) = (take.u64()?.cast_signed(), take.u32()?);
        let [time_bits, worker_bits, sequence_bits, _] = take.bytes()?;
        let (end, reserved) = (take.u64()?, take.u64()?);
        let now = StoreTime::new(take.u64()?.cast_signed());
        let name = take.slice(NAME_BYTES)?.get(..name_len.into())?;
        let record = match kind {
            0 => None,
            1 => {
                let namespace = Name::namespace(core::str::from_utf8(name).ok()?).ok()?;
                let widths = (time_bits, worker_bits, sequence_bits);
                let (time, workers, sequence) = widths;
                let layout = Layout::new(epoch_ms, tick_ms, time, workers, sequence).ok()?;
                let fits = reserved <= end
                    && end <= layout.last_end()
                    && u64::from(worker) < layout.workers();
                if !fits {
                    return None;
                }
                Some(StateRecord { namespace, store, worker, key, layout, end, reserved, now })
            }
            _ => return None,
        };
        Some(Slot { counter, place, record })
    }
}

const _: () = assert!(SUM_AT == 144 + NAME_BYTES + 232);
