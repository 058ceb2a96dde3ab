//! The conformance suite of a store, on the store over SQLite and on the core's memory store.

use std::sync::Arc;

use leafid_core::registry::TagSpec;
use leafid_core::{
    Code, Failure, FieldReader, Fields, MemoryStore, Name, Refusal, Store, StoreTime,
};
use leafid_store::backends::opening::Options;
use leafid_store::clock::ManualClock;
use leafid_store::opening::open_sqlite;
use leafid_store::registry::Registry;
use leafid_store::store::{NamespaceChange, TagChange};
use leafid_turn::problem::Problem;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::json::{either, object, open, read, store_time, text, token};
use crate::{Subject, run};

/// A store in a file, and its clock.
struct Stored {
    registry: Registry,
    clock: Arc<ManualClock>,
    runtime: Runtime,
}

/// A script of the kind `store`.
pub fn replay(script: &Value) -> Result<(), String> {
    let id = token(script, "store")?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clock = Arc::new(ManualClock::at(store_time(&script["steps"][0], "at")?));
    let options = Options { create: true, id: Some(id), ..Options::default() };
    let registry = open_sqlite(&folder.path().join("store.db"), clock.clone(), options);
    let registry = registry.map_err(|problem| problem.to_string())?;
    let runtime = Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    let mut stored = Stored { registry, clock, runtime };
    for (verb, fields) in [("create_tag", "tags"), ("put_namespace", "namespaces")] {
        for row in list(script, fields) {
            take(&mut stored, verb, row).map_err(|refusal| format!("{row}: {refusal}"))?;
        }
    }
    run(script, &mut stored)?;
    let on_memory = match numbers(script) {
        Some(1) => in_memory::<1>(script, id.bytes()),
        Some(2) => in_memory::<2>(script, id.bytes()),
        Some(4) => in_memory::<4>(script, id.bytes()),
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
    run(script, &mut store)
}

fn name(
    from: &Value,
    field: &str,
    check: impl FnOnce(&str) -> Result<Name, Refusal>,
) -> Result<Name, Refusal> {
    check(from[field].as_str().unwrap_or_default())
}

/// Everything that the suite does to a store.
fn take(stored: &mut Stored, verb: &str, step: &Value) -> Result<Value, Refusal<StoreTime>> {
    let (ask, from, registry) = (&step["ask"], &mut open(step), &stored.registry);
    let tag = || name(step, "tag", Name::tag);
    let namespace = || name(step, "namespace", Name::namespace);
    let given = match verb {
        "lease_segment" => {
            let granted = stored.runtime.block_on(registry.lease_segment(read(ask)?));
            granted.map(|grant| shown(&grant))
        }
        "acquire" => {
            let granted = stored.runtime.block_on(registry.acquire(read(ask)?));
            granted.map(|grant| shown(&grant))
        }
        "renew" => {
            let granted = stored.runtime.block_on(registry.renew(read(ask)?));
            granted.map(|grant| shown(&grant))
        }
        "release" => stored.runtime.block_on(registry.release(read(ask)?)).map(|()| json!({})),
        "revoke" => {
            let worker = from.small("worker")?.ok_or(Code::WorkerInvalid)?;
            let revoked = stored.runtime.block_on(registry.revoke(namespace()?, worker));
            revoked.map(|()| json!({}))
        }
        "set_workers" | "put_namespace" => {
            let change = NamespaceChange::get(from)?;
            let put = stored.runtime.block_on(registry.put_namespace(namespace()?, change));
            put.map(|_| json!({}))
        }
        "create_tag" => {
            let change = TagChange { only_create: true, ..TagChange::get(from)? };
            stored.runtime.block_on(registry.put_tag(tag()?, change)).map(|_| json!({}))
        }
        "delete_tag" => stored.runtime.block_on(registry.delete_tag(tag()?)).map(|()| json!({})),
        _ => return Err(Code::RequestInvalid.into()),
    };
    given.map_err(|problem: Problem| Refusal { code: problem.code, until: problem.free_at })
}

impl Subject for Stored {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        self.clock.set(store_time(step, "at")?);
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
