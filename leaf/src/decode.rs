//! Leaf's page that decodes a snowflake into its parts.

use axum::http::{StatusCode, Uri};
use axum::response::Response;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use leafid_core::Layout;
use percent_encoding::percent_decode_str;

use super::answer;

/// Answers `/decodeSnowflakeId?snowflakeId=N`.
pub fn decoded(uri: &Uri, layout: &Layout) -> Response {
    let Some(text) = parameter(uri.query().unwrap_or("")) else {
        let exception = "org.springframework.web.bind.MissingServletRequestParameterException";
        let message = "Required String parameter 'snowflakeId' is not present";
        return answer::error(StatusCode::BAD_REQUEST, Some(exception), message, uri.path());
    };
    // As Java's `Long.parseLong`, which takes a sign.
    let text = match text.parse::<i64>() {
        Ok(id) => parts(id, layout, &TimeZone::system()),
        Err(_) => "{\"errorMsg\":\"snowflake Id反解析发生异常!\"}".to_owned(),
    };
    answer::json(text)
}

/// The first value of `snowflakeId`, decoded.
fn parameter(query: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == "snowflakeId")?;
    Some(percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned())
}

/// The parts of any 64 bits, negative numbers included.
fn parts(id: i64, layout: &Layout, zone: &TimeZone) -> String {
    let (worker_bits, sequence_bits) = (layout.worker_bits(), layout.sequence_bits());
    let low = |value: i64, bits: u8| value & !(-1_i64).unbounded_shl(bits.into());
    let sequence = low(id, sequence_bits);
    let worker = low(id.unbounded_shr(sequence_bits.into()), worker_bits);
    let tick = id.unbounded_shr(u32::from(worker_bits) + u32::from(sequence_bits));
    let time = tick.saturating_mul(layout.tick_ms().into()).saturating_add(layout.epoch_ms());
    let shown = Timestamp::from_millisecond(time).map_or_else(
        // There is no date to show after the year 9999.
        |_| "-".to_owned(),
        |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S.%3f").to_string(),
    );
    format!(
        "{{\"workerId\":\"{worker}\",\"sequenceId\":\"{sequence}\",\"timestamp\":\"{time}({shown})\"}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_that_leaf_shows() {
        let id = (1_795_244_714_446_i64 - 1_288_834_974_657) << 22 | 37;
        for (id, gives) in [
            (
                id,
                r#"{"workerId":"0","sequenceId":"37","timestamp":"1795244714446(2026-11-21 07:05:14.446)"}"#,
            ),
            (
                -1,
                r#"{"workerId":"1023","sequenceId":"4095","timestamp":"1288834974656(2010-11-04 01:42:54.656)"}"#,
            ),
            (
                0,
                r#"{"workerId":"0","sequenceId":"0","timestamp":"1288834974657(2010-11-04 01:42:54.657)"}"#,
            ),
        ] {
            assert_eq!(parts(id, &Layout::LEAF, &TimeZone::UTC), gives);
        }
        let zone = TimeZone::fixed(jiff::tz::offset(8));
        assert!(parts(id, &Layout::LEAF, &zone).contains("2026-11-21 15:05:14.446"));
        assert!(parts(i64::MIN, &Layout::LEAF, &zone).contains("\"workerId\":\"0\""));
    }

    #[test]
    fn the_parameter_is_found() {
        for (query, gives) in [
            ("snowflakeId=5", Some("5")),
            ("a=b&snowflakeId=%2D1", Some("-1")),
            ("snowflakeId=", Some("")),
            ("snowflakeid=5", None),
            ("", None),
        ] {
            assert_eq!(parameter(query).as_deref(), gives, "{query}");
        }
    }
}
