//! Moments and lengths of time as text.

use leafid_core::StoreTime;

/// A moment as `2026-11-21T09:15:00.123Z`.
pub fn text(at: StoreTime) -> String {
    let (days, ms) = (at.get().div_euclid(86_400_000), at.get().rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hour, minute) = (ms / 3_600_000, ms / 60_000 % 60);
    let (second, ms) = (ms / 1_000 % 60, ms % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
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

/// The date of a day since 1970, in the Gregorian calendar carried on both ways.
fn date(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that a leap day is the last of its year; 719,468 days lie
    // between the 1st of March of year 0 and 1970, 146,097 in 400 years.
    let since = days.saturating_add(719_468);
    let (era, day) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
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
            (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] {
            assert_eq!(text(StoreTime::new(ms)), expected);
        }
    }
}
