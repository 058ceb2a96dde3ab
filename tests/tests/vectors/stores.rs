//! The conformance suite of a store, on the reference store and on the core's memory store.

use leafid_core::registry::TagSpec;
use leafid_core::{Code, Failure, MemoryStore, Name, Range, Refusal, Store, StoreTime, Token};
use leafid_wire::{FieldReader, Fields};
use serde_json::{Value, json};

use crate::json::{either, object, open, read, store_time, text, token};
use crate::registry::Rows;
use crate::{Subject, run};

/// A script of the kind `store`.
pub fn replay(script: &Value) -> Result<(), String> {
    let id = token(script, "store")?;
    let mut rows = Rows::new(id);
    for tag in list(script, "tags") {
        create_tag(&mut rows, tag).map_err(|refusal| format!("{tag}: {refusal}"))?;
    }
    for namespace in list(script, "namespaces") {
        let created = create_namespace(&mut rows, namespace);
        created.map_err(|refusal| format!("{namespace}: {refusal}"))?;
    }
    run(script, &mut rows)?;
    let on_memory = match numbers(script) {
        Some(1) => in_memory::<1>(script, id),
        Some(2) => in_memory::<2>(script, id),
        Some(4) => in_memory::<4>(script, id),
        _ => Ok(()),
    };
    on_memory.map_err(|problem| format!("on the memory store: {problem}"))
}

fn list<'s>(script: &'s Value, field: &str) -> &'s [Value] {
    script[field].as_array().map(Vec::as_slice).unwrap_or_default()
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

fn in_memory<const WORKERS: usize>(script: &Value, id: Token) -> Result<(), String> {
    let mut store = MemoryStore::<16, 4, WORKERS>::new(id.bytes());
    let create = |store: &mut MemoryStore<16, 4, WORKERS>| -> Result<(), Refusal> {
        for tag in list(script, "tags") {
            let (name, spec) = read_tag(tag)?;
            store.create_tag(name, &spec)?;
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
    run(script, &mut store)
}

fn read_tag(tag: &Value) -> Result<(Name, TagSpec), Refusal> {
    Ok((name(tag, "tag", Name::tag)?, TagSpec::get(&mut open(tag))?))
}

fn name(
    from: &Value,
    field: &str,
    check: impl FnOnce(&str) -> Result<Name, Refusal>,
) -> Result<Name, Refusal> {
    check(from[field].as_str().unwrap_or_default())
}

fn create_tag(rows: &mut Rows, tag: &Value) -> Result<(), Refusal> {
    let (name, spec) = read_tag(tag)?;
    rows.create_tag(name, &spec)
}

fn create_namespace(rows: &mut Rows, namespace: &Value) -> Result<(), Refusal> {
    let from = &mut open(namespace);
    let layout = from.layout("layout")?.ok_or(Code::LayoutInvalid)?;
    let workers = from.nested("workers", Range::get)?;
    let max_window_ms = from.small("max_window_ms")?;
    let name = name(namespace, "namespace", Name::namespace)?;
    rows.create_namespace(name, layout, workers, max_window_ms)
}

/// Everything that the suite does to the reference store.
fn take(rows: &mut Rows, verb: &str, step: &Value) -> Result<Value, Refusal<StoreTime>> {
    let ask = &step["ask"];
    let namespace = || name(step, "namespace", Name::namespace);
    let done = match verb {
        "lease_segment" => return rows.lease_segment(&read(ask)?).map(|grant| shown(&grant)),
        "acquire" => return rows.acquire(&read(ask)?).map(|grant| shown(&grant)),
        "renew" => return rows.renew(&read(ask)?).map(|grant| shown(&grant)),
        "release" => rows.release(&read(ask)?),
        "revoke" => {
            let worker = open(step).small("worker")?.ok_or(Code::WorkerInvalid)?;
            rows.revoke(namespace()?, worker)
        }
        "set_workers" => {
            let workers = open(step).nested("workers", Range::get)?;
            rows.set_workers(namespace()?, workers.ok_or(Code::RequestInvalid)?)
        }
        "create_tag" => Ok(create_tag(rows, step)?),
        "delete_tag" => Ok(rows.delete_tag(name(step, "tag", Name::tag)?)?),
        _ => Err(Code::RequestInvalid.into()),
    };
    done.map(|()| json!({}))
}

impl Subject for Rows {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        self.set_clock(store_time(step, "at")?);
        Ok(either(take(self, text(step, "do")?, step), |gave| gave))
    }
}

impl<const WORKERS: usize> Subject for MemoryStore<16, 4, WORKERS> {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        let (now, store) = (store_time(step, "at")?, self);
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
}

/// Asks a store whose refusals say how long to wait, not until when.
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

fn shown(grant: &impl Fields) -> Value {
    object(|to| grant.put(to))
}
