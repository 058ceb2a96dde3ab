//! A moment as a reader knows it.

/// Ms since 1970 as the time of their day in UTC, `09:31:12.345Z`.
pub fn time_of_day(ms: i64) -> String {
    let ms = ms.rem_euclid(86_400_000);
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    let (seconds, ms) = (ms / 1_000 % 60, ms % 1_000);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
}

#[cfg(test)]
mod tests {
    use super::time_of_day;

    #[test]
    fn known_moments() {
        for (ms, text) in [
            (0, "00:00:00.000Z"),
            (1_288_834_974_657, "01:42:54.657Z"),
            (1_735_689_599_999, "23:59:59.999Z"),
            (-1, "23:59:59.999Z"),
        ] {
            assert_eq!(time_of_day(ms), text);
        }
    }
}
