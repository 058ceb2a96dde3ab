//! Generators: how they are built, and the hot path.

use leafid_core::{
    Code, HostTime, Offset, Refusal, Segment, SegmentConfig, Snowflake, SnowflakeConfig,
};
use napi::Result;
use napi::bindgen_prelude::{BigInt, Env, Object};
use napi_derive::napi;

use crate::object::{self, bits};
use crate::table::{self, Generator, Slot, each};

/// Set in what [`fill`] and [`fill_available`] return when an ask is due.
const ASK_IS_DUE: u32 = 1 << 31;

/// The elements of a `BigUint64Array` of JavaScript's, in place.
type Elements<'js> = &'js mut [u64];

/// Builds a generator under a handle of the caller's; `null`, or the refusal.
#[napi]
pub fn create<'env>(
    env: &'env Env,
    handle: u32,
    kind: String,
    config: Object<'env>,
    seed: BigInt,
) -> Result<Option<Object<'env>>> {
    let seed = bits(&seed).unwrap_or(0);
    let built = object::read_with(config, |from| match kind.as_str() {
        "segment" => {
            let ids = Segment::new(SegmentConfig::get(from)?, seed)?;
            Ok(Generator::Segment(Box::new(ids)))
        }
        _ => {
            let ids = Snowflake::new(SnowflakeConfig::get(from)?, seed)?;
            Ok(Generator::Snowflake(Box::new(ids)))
        }
    });
    match built {
        Ok(generator) => {
            table::put(handle, generator);
            Ok(None)
        }
        Err((refusal, field)) => object::refused(env, refusal, field).map(Some),
    }
}

/// Forgets a generator for good.
#[napi]
pub fn free(handle: u32) {
    table::remove(handle);
}

/// IDs for all of `out`, in order: how many, 0 when not all can be had, and then nothing is written
/// or spent; the highest bit says that an ask is due.
#[napi]
pub fn fill(
    handle: u32,
    now: f64,
    #[napi(ts_arg_type = "BigUint64Array")] out: Elements<'_>,
) -> u32 {
    filled(handle, now, out, |generator, now, out| {
        each!(generator, g => g.fill(now, out)).map(|()| out.len())
    })
}

/// As many IDs as are at hand, in order, up to the length of `out`: how many, 0 when none is;
/// the highest bit says that an ask is due.
#[napi]
pub fn fill_available(
    handle: u32,
    now: f64,
    #[napi(ts_arg_type = "BigUint64Array")] out: Elements<'_>,
) -> u32 {
    filled(
        handle,
        now,
        out,
        |generator, now, out| each!(generator, g => g.fill_available(now, out)),
    )
}

fn filled(
    handle: u32,
    now: f64,
    out: &mut [u64],
    fill: impl FnOnce(&mut Generator, HostTime, &mut [u64]) -> std::result::Result<usize, Refusal>,
) -> u32 {
    let now = HostTime::new(now as i64);
    let filled = table::with(handle, |slot| {
        let filled = fill(&mut slot.generator, now, out);
        let due = each!(&slot.generator, g => g.wants_ask(now));
        let count = match filled {
            Ok(count) => count as u32,
            Err(refusal) => {
                slot.refusal = Some(refusal);
                0
            }
        };
        slot.note_tick(out.first().copied().filter(|_| count > 1));
        count | if due { ASK_IS_DUE } else { 0 }
    });
    filled.unwrap_or(0)
}

/// Whether `n` IDs can be had in one go now.
#[napi]
pub fn ready(handle: u32, now: f64, n: f64) -> bool {
    let now = HostTime::new(now as i64);
    let ready = table::with(handle, |slot| {
        let ready = each!(&mut slot.generator, g => g.ready(now, n as u64));
        slot.refusal = ready.err();
        ready.is_ok()
    });
    ready.unwrap_or(false)
}

/// How many IDs can be had in one go at most, as far as is known.
#[napi]
pub fn most(handle: u32) -> f64 {
    let most = table::with(handle, |slot| each!(&slot.generator, g => g.most()));
    most.unwrap_or(0) as f64
}

/// Why the last filling or `ready` gave nothing.
#[napi]
pub fn refusal<'env>(env: &'env Env, handle: u32) -> Result<Object<'env>> {
    let refusal = table::with(handle, |slot| slot.refusal).flatten();
    object::refused(env, refusal.unwrap_or(Refusal::new(Code::Closed)), "")
}

/// Until when what the last filling gave is timely, on the host's clock: the end of the tick of its
/// first ID. Segments have no time; this is told of snowflakes, and of more than one ID.
#[napi]
pub fn good_until(handle: u32) -> f64 {
    table::with(handle, |slot| slot.good_until.get() as f64).unwrap_or(f64::NEG_INFINITY)
}

impl Slot {
    fn note_tick(&mut self, first: Option<u64>) {
        if let (Generator::Snowflake(ids), Some(first)) = (&self.generator, first)
            && let Some(layout) = ids.layout()
            && let Ok(parts) = layout.decompose(first)
        {
            let offset = Offset::new(ids.stats().offset_ms);
            let over = layout.time(parts.tick.saturating_add(1));
            self.good_until = offset.to_host(over);
        }
    }
}
