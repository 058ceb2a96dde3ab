//! 100,000 numbers and 100,000 snowflakes from `leafid.wasm`, over a real `leafid serve` that the
//! imported store asks by HTTP; with `--bench`, what a call costs.
//!
//! `LEAFID_DIST` says where the component is, `LEAFID_BIN` where the server is.

mod bench;
mod bindings;
mod client;
mod host;
mod server;
mod store;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use bindings::exports::leafid::generator::generators::{SegmentConfig, SnowflakeConfig, Stance};
use bindings::leafid::generator::types::Refusal;
use host::Instance;
use server::Server;
use wasmtime::component::ResourceAny;

/// What the runtime says, or the component.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const IDS: usize = 100_000;
const AT_ONCE: u32 = 1_000;

fn main() -> Outcome {
    let dist = std::env::var_os("LEAFID_DIST").map_or("../../dist".into(), PathBuf::from);
    let binary = std::env::var_os("LEAFID_BIN").map_or(dist.join("leafid"), PathBuf::from);
    let server = Server::start(&binary)?;
    server.create_tag("orders")?;
    if std::env::args().any(|word| word == "--bench") {
        let made = std::env::var_os("LEAFID_COMPONENTS").map_or(dist.clone(), PathBuf::from);
        let counting = made.join("counting.wasm");
        return bench::compare(&dist.join("leafid.wasm"), &counting, server.url());
    }
    let mut leafid = Instance::new(&dist.join("leafid.wasm"), server.url())?;

    let numbers = leafid.segment(&tag("orders"))?;
    tell("numbers", &draw(&mut leafid, numbers)?);
    let snowflakes = leafid.snowflake(&SnowflakeConfig {
        namespace: "default".to_owned(),
        owner: format!("example/{}", std::process::id()),
        layout: None,
        length_ms: None,
        sticky: false,
        strict: false,
        max_ahead_ms: None,
        spread: None,
    })?;
    tell("snowflakes", &draw(&mut leafid, snowflakes)?);
    leafid.close(snowflakes)
}

/// The defaults for a tag.
pub fn tag(name: &str) -> SegmentConfig {
    SegmentConfig {
        tag: name.to_owned(),
        step: None,
        max_step: None,
        max_growth: None,
        short_ms: None,
        long_ms: None,
        ask_below_percent: None,
    }
}

/// Draws IDs: what is due is asked for, what is refused is waited for as the component says.
fn draw(leafid: &mut Instance, generator: ResourceAny) -> Outcome<Vec<u64>> {
    let mut ids = Vec::with_capacity(IDS);
    while ids.len() < IDS {
        match leafid.fill(generator, AT_ONCE)? {
            Ok(some) => ids.extend(some),
            Err(refusal) => wait(leafid, generator, refusal)?,
        }
        if leafid.wants_ask(generator)? {
            // Why it failed is what the next refused draw is told.
            let _ = leafid.refill(generator)?;
        }
    }
    Ok(ids)
}

fn wait(leafid: &mut Instance, generator: ResourceAny, refusal: Refusal) -> Outcome {
    if leafid.refill(generator)?.is_ok_and(|asked| asked) {
        return Ok(());
    }
    match leafid.stance(generator, refusal)? {
        Stance::Raise(code) => Err(format!("no ID: {code:?}").into()),
        Stance::Wait(until) => {
            let ms = until.map_or(10, |until| until - leafid.now_ms());
            std::thread::sleep(Duration::from_millis(ms.max(0).unsigned_abs()));
            Ok(())
        }
    }
}

fn tell(what: &str, ids: &[u64]) {
    let duplicates = ids.len() - ids.iter().collect::<HashSet<_>>().len();
    println!("rust, {what} over leafid serve: {} IDs, duplicates: {duplicates}", ids.len());
}
