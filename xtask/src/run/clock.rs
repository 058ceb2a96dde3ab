//! A moment as a reader knows it.

/// Ms since 1970 as `2026-11-21 09:31:12.345Z`.
pub fn shown(ms: i64) -> String {
    let (days, ms) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    let (seconds, ms) = (ms / 1_000 % 60, ms % 1_000);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
}

/// Days since 1970 as a date of the Gregorian calendar. A year is counted from March, so that the
/// leap day is its last.
fn date(days: i64) -> (i64, i64, i64) {
    let from_march_0 = days + 719_468;
    let (era, day_of_era) = (from_march_0.div_euclid(146_097), from_march_0.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn known_moments() {
        for (ms, text) in [
            (0, "1970-01-01 00:00:00.000Z"),
            (951_782_400_000, "2000-02-29 00:00:00.000Z"),
            (1_288_834_974_657, "2010-11-04 01:42:54.657Z"),
            (1_735_689_599_999, "2024-12-31 23:59:59.999Z"),
            (-1, "1969-12-31 23:59:59.999Z"),
        ] {
            assert_eq!(shown(ms), text);
        }
    }
}
