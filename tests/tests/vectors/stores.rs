//! Replays scripts of the kind `store` on a registry over one of its back ends.

use std::path::Path;
use std::sync::Arc;

use leafid_core::{Code, Name, Refusal, StoreTime, Token};
use leafid_store::clock::ManualClock;
use leafid_store::problem::Problem;
use leafid_store::registry::{Answer, Registry};
use leafid_store::store::{NamespaceChange, TagChange};
use leafid_wire::{FieldReader, Fields};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::compare::run;
use crate::json::{either, object, open, read, store_time, text, token};

struct Stored<'a> {
    registry: Arc<Registry>,
    clock: Arc<ManualClock>,
    runtime: &'a Runtime,
}

/// Replays a script on an empty store, opened in its own folder.
pub fn replay(
    script: &Value,
    runtime: &Runtime,
    open: impl FnOnce(&Path, Token, Arc<ManualClock>) -> Arc<Registry>,
) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clock = Arc::new(ManualClock::at(store_time(&script["steps"][0], "at")?));
    let registry = open(folder.path(), token(script, "store")?, clock.clone());
    let stored = Stored { registry, clock, runtime };
    for (verb, fields) in [("create_tag", "tags"), ("set_workers", "namespaces")] {
        for row in list(script, fields) {
            stored.take(verb, row).map_err(|refusal| format!("{row}: {refusal}"))?;
        }
    }
    run(script, |step| {
        stored.clock.set(store_time(step, "at")?);
        Ok(either(stored.take(text(step, "do")?, step), |gave| gave))
    })
}

pub fn list<'s>(script: &'s Value, field: &str) -> &'s [Value] {
    script[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn name(
    from: &Value,
    field: &str,
    check: impl FnOnce(&str) -> Result<Name, Refusal>,
) -> Result<Name, Refusal> {
    check(from[field].as_str().unwrap_or_default())
}

impl Stored<'_> {
    fn grant<G: Fields>(&self, answer: impl Answer<G>) -> Result<Value, Problem> {
        self.runtime.block_on(answer).map(|grant| shown(&grant))
    }

    fn done<T>(&self, answer: impl Answer<T>) -> Result<Value, Problem> {
        self.runtime.block_on(answer).map(|_| json!({}))
    }

    /// Takes a step on the store, by its verb.
    fn take(&self, verb: &str, step: &Value) -> Result<Value, Refusal<StoreTime>> {
        let (ask, from, registry) = (&step["ask"], &mut open(step), &self.registry);
        let tag = || name(step, "tag", Name::tag);
        let namespace = || name(step, "namespace", Name::namespace);
        let given = match verb {
            "lease_segment" => self.grant(registry.lease_segment(read(ask)?)),
            "acquire" => self.grant(registry.acquire(read(ask)?)),
            "renew" => self.grant(registry.renew(read(ask)?)),
            "release" => self.done(registry.release(read(ask)?)),
            "revoke" => {
                let worker = from.small("worker")?.ok_or(Code::WorkerInvalid)?;
                self.done(registry.revoke(namespace()?, worker))
            }
            "set_workers" => {
                self.done(registry.put_namespace(namespace()?, NamespaceChange::get(from)?))
            }
            "create_tag" => {
                let change = TagChange { only_create: true, ..TagChange::get(from)? };
                self.done(registry.put_tag(tag()?, change))
            }
            "delete_tag" => self.done(registry.delete_tag(tag()?)),
            _ => return Err(Code::RequestInvalid.into()),
        };
        given.map_err(|problem| Refusal { code: problem.code, until: problem.free_at })
    }
}

pub fn shown(grant: &impl Fields) -> Value {
    object(|to| grant.put(to))
}
