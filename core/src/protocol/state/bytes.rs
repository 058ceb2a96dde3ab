//! Reads and writes numbers as successive bytes, without an index that could be wrong.

/// Writes into a buffer that is large enough.
pub(super) struct Put<'a>(pub(super) &'a mut [u8]);

impl Put<'_> {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let rest = core::mem::take(&mut self.0);
        if let Some((place, rest)) = rest.split_at_mut_checked(bytes.len()) {
            place.copy_from_slice(bytes);
            self.0 = rest;
        }
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }
}

/// Reads what [`Put`] wrote; `None` beyond the end.
pub(super) struct Take<'a>(pub(super) &'a [u8]);

impl<'a> Take<'a> {
    pub(super) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn slice(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.bytes().map(|[byte]| byte)
    }
}

/// FNV-1a of 64 bits, which shows whether a slot is whole. It guards against writes that were
/// broken off, not against people, who could write any record.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
