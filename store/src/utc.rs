//! Parses lengths of time.

pub use leafid_turn::utc::text;

/// Parses a length of time, such as `0s`, `1500ms`, `10m`, `1h`, into ms.
///
/// # Errors
/// The valid forms.
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
    // More digits than fit are more than the maximum, too.
    let ms = number.parse().unwrap_or(u64::MAX).saturating_mul(scale);
    Ok(u32::try_from(ms).unwrap_or(u32::MAX))
}
