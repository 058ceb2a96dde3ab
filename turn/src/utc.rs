//! Times as text.

use alloc::format;
use alloc::string::String;

use leafid_core::StoreTime;

/// A time as `2026-11-21T09:15:00.123Z`; after the year 9999, as ms since 1970.
pub fn text(at: StoreTime) -> String {
    let (days, ms) = (at.get().div_euclid(86_400_000), at.get().rem_euclid(86_400_000));
    // Howard Hinnant's `civil_from_days` (https://howardhinnant.github.io/date_algorithms.html): its years
    // begin in March, so that a leap day is the last day of its year.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let of_era_year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * of_era_year + of_era_year / 4 - of_era_year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = of_era_year + era * 400 + i64::from(month <= 2);
    if !(0..=9_999).contains(&year) {
        return format!("{} ms", at.get());
    }
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1_000)
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
