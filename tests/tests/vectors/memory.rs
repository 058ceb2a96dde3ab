//! Replays the scripts of stores on the core's memory store, as far as it can.

use leafid_core::registry::TagSpec;
use leafid_core::{Code, Failure, MemoryStore, Name, Refusal, Store, StoreTime};
use leafid_wire::{FieldReader, Fields};
use serde_json::{Value, json};

use crate::compare::run;
use crate::json::{either, open, read, store_time, text, token};
use crate::stores::{list, name, shown};

pub fn replay(script: &Value) -> Result<(), String> {
    let id = token(script, "store")?.bytes();
    let replayed = match numbers(script) {
        Some(1) => in_memory::<1>(script, id),
        Some(2) => in_memory::<2>(script, id),
        Some(4) => in_memory::<4>(script, id),
        _ => Ok(()),
    };
    replayed.map_err(|problem| format!("on the memory store: {problem}"))
}

/// How many worker numbers the memory store needs to replay this; `None` if it cannot: it creates
/// on first use, deletes and revokes nothing, and its numbers begin at 0.
fn numbers(script: &Value) -> Option<u64> {
    let verbs = ["lease_segment", "acquire", "renew", "release"];
    let creates = ["TAG_UNKNOWN", "NAMESPACE_UNKNOWN"];
    let knows = |step: &Value| {
        verbs.contains(&step["do"].as_str().unwrap_or_default())
            && !creates.contains(&step["gives"]["code"].as_str().unwrap_or_default())
    };
    let spaces = list(script, "namespaces");
    let count = spaces.first().map_or(Some(1), |space| space["workers"]["end"].as_u64())?;
    let from_zero = |space: &Value| {
        space["workers"]["start"] == json!(0) && space["workers"]["end"] == json!(count)
    };
    let can = list(script, "steps").iter().all(knows) && spaces.iter().all(from_zero);
    can.then_some(count)
}

fn in_memory<const WORKERS: usize>(script: &Value, id: [u8; 16]) -> Result<(), String> {
    let mut store = MemoryStore::<16, 4, WORKERS>::new(id);
    let create = |store: &mut MemoryStore<16, 4, WORKERS>| -> Result<(), Refusal> {
        for tag in list(script, "tags") {
            let spec = TagSpec::get(&mut open(tag))?;
            store.create_tag(name(tag, "tag", Name::tag)?, &spec)?;
        }
        for namespace in list(script, "namespaces") {
            let from = &mut open(namespace);
            let layout = from.layout("layout")?.ok_or(Code::LayoutInvalid)?;
            let name = name(namespace, "namespace", Name::namespace)?;
            store.create_namespace(name, layout, from.small("max_window_ms")?)?;
        }
        Ok(())
    };
    create(&mut store).map_err(|refusal| refusal.to_string())?;
    run(script, |step| take(&mut store, step))
}

fn take<const WORKERS: usize>(
    store: &mut MemoryStore<16, 4, WORKERS>,
    step: &Value,
) -> Result<Value, String> {
    let now = store_time(step, "at")?;
    store.set_clock(now);
    let ask = &step["ask"];
    let gave = match text(step, "do")? {
        "lease_segment" => asked(ask, now, |ask| store.lease_segment(&ask).map(|g| shown(&g))),
        "acquire" => asked(ask, now, |ask| store.acquire(&ask).map(|g| shown(&g))),
        "renew" => asked(ask, now, |ask| store.renew(&ask).map(|g| shown(&g))),
        "release" => asked(ask, now, |ask| store.release(&ask).map(|()| json!({}))),
        other => return Err(format!("it has no verb `{other}`")),
    };
    Ok(either(gave, |gave| gave))
}

/// Asks a store whose refusals contain how long to wait, not until when.
fn asked<A: Fields>(
    ask: &Value,
    now: StoreTime,
    carry: impl FnOnce(A) -> Result<Value, Failure>,
) -> Result<Value, Refusal<StoreTime>> {
    carry(read(ask)?).map_err(|failure| Refusal {
        code: failure.code,
        until: failure.retry_after_ms.map(|wait| now.plus(wait.into())),
    })
}
