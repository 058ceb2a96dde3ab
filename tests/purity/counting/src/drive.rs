//! The life of both generators on both faces of the line, with grants, refusals and failures.

use std::hint::black_box;

use leafid_core::registry::TagSpec;
use leafid_core::{
    Code, Generator, HostTime, Ids, Kind, Layout, Line, MemoryStore, Name, Outcome, Refusal,
    Segment, SegmentConfig, SharedLine, Snowflake, SnowflakeConfig, Store, StoreTime, Text, Token,
    refill,
};

/// Where the run begins: some time in 2027.
const START: i64 = 1_800_000_000_000;

/// Runs everything; how many calls of the core that took.
pub fn everything() -> Result<u64, Refusal> {
    let (numbers, stamps) = (SharedLine::new(), SharedLine::new());
    let segment = SegmentConfig::new("orders")?;
    let snowflake = SnowflakeConfig::new("default", "host/1")?;
    let mut calls = forms()?;
    calls += life(Segment::new(segment, 7)?)?;
    calls += life(Snowflake::new(snowflake, 7)?)?;
    calls += life(Segment::with_line(segment, 7, &numbers)?)?;
    calls += life(Snowflake::with_line(snowflake, 7, &stamps)?)?;
    Ok(calls)
}

fn life<S: Kind, L: Line>(mut ids: Generator<S, L>) -> Result<u64, Refusal> {
    let mut store: MemoryStore = MemoryStore::new([1; 16]);
    let spec = TagSpec { step: Some(100), max_step: Some(1_000), ..TagSpec::default() };
    store.create_tag(Name::tag("orders")?, &spec)?;
    let mut out = [0; 64];
    let (mut calls, mut drawn, mut refused) = (0, 0, 0);
    for turn in 0..2_000_u64 {
        let now = HostTime::new(START + turn as i64 * 50);
        store.set_clock(StoreTime::new(now.get()));
        // Every seventh answer is lost, every eleventh ask fails, every fifth grant comes twice.
        match ids.poll_ask(now, entropy(turn)) {
            Some(ask) if turn % 11 == 0 => {
                ids.handle_failure(ask.request(), Code::StoreUnavailable, Some(20), now);
            }
            Some(ask) => {
                if let Ok(grant) = store.ask(&ask)
                    && turn % 7 != 0
                {
                    let _ = ids.handle_grant(&grant, now, now);
                    if turn % 5 == 0 {
                        black_box(ids.handle_grant(&grant, now, now) == Ok(Outcome::Ignored));
                    }
                }
            }
            None => {}
        }
        drawn += usize::from(ids.fill(now, &mut out[..2]).is_ok()) * 2;
        match ids.fill_available(now, &mut out) {
            Ok(count) => drawn += count,
            Err(refusal) => refused += u64::from(black_box(refusal).until.is_some()) + 1,
        }
        drawn += usize::from(black_box(ids.next(now)).is_ok());
        black_box((ids.wants_ask(now), ids.poll_at(), ids.ask_from(), ids.failure()));
        black_box((ids.ready(now, 3).is_ok(), ids.most(), ids.ids().map(Ids::shape), ids.stats()));
        calls += 13;
        if turn % 500 == 499 {
            ids.resumed();
            ids.forget();
            calls += 2;
        }
    }
    // Stops, is refused, and is refused again: none of it may cost memory either.
    if let Some(release) = ids.retire() {
        store.release(&release).map_err(|failure| Refusal::new(failure.code))?;
    }
    let end = HostTime::new(START + 100_000);
    black_box((ids.next(end).is_err(), refill(&mut ids, &mut store, || end, || [9; 16]).is_ok()));
    // A run that drew nothing, or was never refused, would prove nothing.
    if drawn < 5_000 || refused == 0 { Err(Code::Internal.into()) } else { Ok(calls + 4) }
}

fn forms() -> Result<u64, Refusal> {
    for turn in 0..1_000_u64 {
        let id = turn << 40 | turn;
        let (decimal, base32) = (Text::decimal(id)?, Text::base32(id)?);
        let back = Text::parse_decimal(decimal.as_str())? ^ Text::parse_base32(base32.as_str())?;
        let layout = Layout::named("edge").ok_or(Code::LayoutInvalid)?;
        let parts = layout.decompose(id)?;
        black_box((back, layout.compose(parts.time, parts.worker, parts.sequence.into())?));
        black_box(Token::parse("0123456789abcdef0123456789abcdef")?.to_hex());
        black_box((Text::parse_decimal("x").is_err(), Name::tag("no tag").is_err()));
    }
    Ok(10_000)
}

/// Sixteen bytes that differ from turn to turn.
fn entropy(turn: u64) -> [u8; 16] {
    (u128::from(turn) << 64 | u128::from(turn)).to_le_bytes()
}
