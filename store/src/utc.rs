//! Moments and lengths of time as text.

use jiff::Timestamp;
use leafid_core::StoreTime;

/// A moment as `2026-11-21T09:15:00.123Z`; beyond the year 9999, as ms since 1970.
pub fn text(at: StoreTime) -> String {
    match Timestamp::from_millisecond(at.get()) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => format!("{} ms", at.get()),
    }
}

/// A length of time, as in `0s`, `1500ms`, `10m`, `1h`, in ms.
///
/// # Errors
/// What would have been one.
pub fn span_ms(text: &str) -> Result<u32, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let Some(scale) = scale.filter(|_| digits > 0) else {
        return Err("use a number and a unit, as in 1500ms, 10s, 5m, 1h".to_owned());
    };
    // More digits than a number holds are too many ms all the same.
    let ms = number.parse().unwrap_or(u64::MAX).saturating_mul(scale);
    Ok(u32::try_from(ms).unwrap_or(u32::MAX))
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
