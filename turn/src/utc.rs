//! Moments as text.

use alloc::format;
use alloc::string::String;

use jiff::Timestamp;
use leafid_core::StoreTime;

/// A moment as `2026-11-21T09:15:00.123Z`; beyond the year 9999, as ms since 1970.
pub fn text(at: StoreTime) -> String {
    match Timestamp::from_millisecond(at.get()) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => format!("{} ms", at.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_288_834_974_657, "2010-11-04T01:42:54.657Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (i64::MAX, "9223372036854775807 ms"),
        ] {
            assert_eq!(text(StoreTime::new(ms)), expected);
        }
    }
}
