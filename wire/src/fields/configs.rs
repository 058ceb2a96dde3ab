//! Reads a generator's configuration from plain data.
//!
//! All bindings read their options with these functions, so an option is added only here, and has
//! the same name in every language.

use leafid_core::{Code, Name, Refusal, SegmentConfig, SnowflakeConfig};

use super::{FieldReader, need};

/// Reads `tag`, `step`, `max_step`, `max_growth`, `short_ms`, `long_ms` and `ask_below_percent`; all
/// but the tag have defaults.
///
/// # Errors
/// `REQUEST_INVALID`, `TAG_INVALID`, `RANGE_INVALID`.
pub fn segment_config(from: &mut impl FieldReader) -> Result<SegmentConfig, Refusal> {
    let mut config = need(from.text("tag", SegmentConfig::new)?)??;
    config.step = from.small("step")?;
    config.max_step = from.small("max_step")?;
    let policy = &mut config.policy;
    policy.max_growth = from.small("max_growth")?.unwrap_or(policy.max_growth);
    policy.short_ms = from.small("short_ms")?.unwrap_or(policy.short_ms);
    policy.long_ms = from.small("long_ms")?.unwrap_or(policy.long_ms);
    if let Some(percent) = from.number("ask_below_percent")? {
        config.ask_below_percent = u8::try_from(percent).map_err(|_| Code::RangeInvalid)?;
    }
    Ok(config)
}

/// Reads `namespace`, `owner`, `layout`, `length_ms`, `sticky`, `strict`, `max_ahead_ms` and
/// `spread`; all but the first two have defaults.
///
/// # Errors
/// `REQUEST_INVALID`, `NAMESPACE_INVALID`, `LAYOUT_INVALID`.
pub fn snowflake_config(from: &mut impl FieldReader) -> Result<SnowflakeConfig, Refusal> {
    let namespace = need(from.text("namespace", Name::namespace)?)??;
    let owner = need(from.text("owner", Name::owner)?)??;
    let mut config = SnowflakeConfig::new(namespace.as_str(), owner.as_str())?;
    config.layout = from.layout("layout")?;
    config.length_ms = from.small("length_ms")?;
    config.sticky = from.flag("sticky")?.unwrap_or(false);
    config.strict = from.flag("strict")?.unwrap_or(false);
    config.max_ahead_ms = from.small("max_ahead_ms")?.unwrap_or(config.max_ahead_ms);
    config.spread = from.small("spread")?;
    Ok(config)
}
