//! A store whose refusals are looked at: what says that grants were lost, or that two stores stand
//! behind one name, is for an operator's eyes, and not only for the holder that was refused.

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime, Token,
    WindowGrant,
};

use crate::hex::hex;
use crate::meter::leases::Leases;
use crate::problem::Problem;
use crate::rate::Rate;
use crate::store::{Answer, Aside, Inside, NamespaceChange, Page, SharedStore, Store, TagChange};

static CHANGED: Rate = Rate::new();
static TAG_LOST: Rate = Rate::new();
static WORKER_LOST: Rate = Rate::new();

/// A store, and what its refusals tell.
pub struct Watched {
    store: SharedStore,
    leases: Leases,
}

impl Watched {
    /// Looks at the refusals of this store.
    pub fn over(store: SharedStore) -> Watched {
        Watched { store, leases: Leases::default() }
    }

    /// What it was asked for.
    pub fn leases(&self) -> &Leases {
        &self.leases
    }

    /// Notes a refusal of an ask for this line that was made to this store.
    fn note(&self, problem: &Problem, line: Asked, named: Option<Token>) {
        match problem.code {
            Code::StoreWentBack => Watched::went_back(problem, line),
            Code::StoreChanged => self.changed(line, named),
            _ => {}
        }
    }

    fn went_back(problem: &Problem, line: Asked) {
        // One whom others came before with as much tells nothing new.
        if problem.figure("claimed_until") >= problem.figure("have_until") {
            return;
        }
        let rate = if let Asked::Tag(_) = line { &TAG_LOST } else { &WORKER_LOST };
        // The first claim that stops a tag has its line, whatever is left out of others.
        let stops = matches!(line, Asked::Tag(_)) && problem.figure("claimed_until").is_none();
        let left_out = match rate.admit(problem.code) {
            Some(left_out) => left_out,
            None if stops => 0,
            None => return,
        };
        let have_until = problem.figure("have_until");
        let what = "STORE_WENT_BACK: a holder has more than this store ever granted, so the store \
                    has lost grants, or the holder is wrong";
        match line {
            Asked::Tag(tag) => {
                let max_id = problem.figure("max_id");
                tracing::error!(
                    %tag, have_until, max_id, left_out,
                    "{what}; nothing is leased from the tag until it is moved above its largest \
                     number in use (leafid tag advance), or all tags are (leafid repair)"
                );
            }
            Asked::Worker(namespace, worker) => {
                let reserved_until = problem.figure("reserved_until");
                tracing::error!(
                    %namespace, worker, have_until, reserved_until, left_out,
                    "{what}; the number rests until all that may have been granted of it is over"
                );
            }
            Asked::Namespace(_) => {}
        }
    }

    fn changed(&self, line: Asked, named: Option<Token>) {
        let Some(left_out) = CHANGED.admit(Code::StoreChanged) else { return };
        let (named, store) = (named.map_or_else(String::new, hex), hex(self.store.id()));
        let what = "STORE_CHANGED: a holder knows another store by this name; find out which of \
                    the two it was meant to ask";
        match line {
            Asked::Tag(tag) => tracing::error!(%tag, named, store, left_out, "{what}"),
            Asked::Namespace(namespace) | Asked::Worker(namespace, _) => {
                tracing::error!(%namespace, named, store, left_out, "{what}");
            }
        }
    }
}

/// What a refused ask was for.
#[derive(Clone, Copy)]
enum Asked {
    Tag(Name),
    Namespace(Name),
    Worker(Name, u32),
}

impl Store for Watched {
    fn id(&self) -> Token {
        self.store.id()
    }

    fn place(&self) -> String {
        self.store.place()
    }

    fn now(&self) -> Answer<'_, StoreTime> {
        self.store.now()
    }

    fn ready(&self) -> Answer<'_, StoreTime> {
        self.store.ready()
    }

    fn watch(&self) {
        self.store.watch();
    }

    fn generation(&self) -> u64 {
        self.store.generation()
    }

    fn floor(&self) -> StoreTime {
        self.store.floor()
    }

    fn inside(&self) -> Option<Inside> {
        self.store.inside()
    }

    fn look_again(&self) {
        self.store.look_again();
    }

    fn close(&self) -> Answer<'_, ()> {
        self.store.close()
    }

    fn lease_segment(&self, ask: SegmentAsk) -> Answer<'_, SegmentGrant> {
        Box::pin(async move {
            let answer = self.store.lease_segment(ask).await;
            // One that is stopped is there, and to be seen.
            let there = |problem: &Problem| problem.figure("max_id").is_some();
            let there = answer.as_ref().err().is_none_or(there);
            self.leases.tags.of(&ask.tag, there).note(&answer);
            answer.inspect_err(|problem| self.note(problem, Asked::Tag(ask.tag), ask.store))
        })
    }

    fn acquire(&self, ask: AcquireAsk) -> Answer<'_, WindowGrant> {
        Box::pin(async move {
            let answer = self.store.acquire(ask).await;
            self.leases.spaces.of(&ask.namespace, answer.is_ok()).acquires.note(&answer);
            let asked = Asked::Namespace(ask.namespace);
            answer.inspect_err(|problem| self.note(problem, asked, ask.store))
        })
    }

    fn renew(&self, ask: RenewAsk) -> Answer<'_, WindowGrant> {
        Box::pin(async move {
            let answer = self.store.renew(ask).await;
            self.leases.spaces.of(&ask.namespace, answer.is_ok()).renewals.note(&answer);
            let asked = Asked::Worker(ask.namespace, ask.worker);
            answer.inspect_err(|problem| self.note(problem, asked, Some(ask.store)))
        })
    }

    fn release(&self, release: Release) -> Answer<'_, ()> {
        Box::pin(async move {
            let answer = self.store.release(release).await;
            self.leases.spaces.of(&release.namespace, answer.is_ok()).releases.note(&answer);
            let asked = Asked::Worker(release.namespace, release.worker);
            answer.inspect_err(|problem| self.note(problem, asked, Some(release.store)))
        })
    }

    fn revoke(&self, namespace: Name, worker: u32) -> Answer<'_, ()> {
        self.store.revoke(namespace, worker)
    }

    fn set_aside(&self, namespace: Name, worker: u32, aside: Aside) -> Answer<'_, WorkerRow> {
        self.store.set_aside(namespace, worker, aside)
    }

    fn tag(&self, tag: Name) -> Answer<'_, TagRow> {
        self.store.tag(tag)
    }

    fn tags(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, TagRow)>> {
        self.store.tags(page)
    }

    fn put_tag(&self, tag: Name, change: TagChange) -> Answer<'_, TagRow> {
        self.store.put_tag(tag, change)
    }

    fn advance_tag(&self, tag: Name, to: u64) -> Answer<'_, TagRow> {
        self.store.advance_tag(tag, to)
    }

    fn delete_tag(&self, tag: Name) -> Answer<'_, ()> {
        self.store.delete_tag(tag)
    }

    fn namespace(&self, namespace: Name) -> Answer<'_, Namespace> {
        self.store.namespace(namespace)
    }

    fn namespaces(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, Namespace)>> {
        self.store.namespaces(page)
    }

    fn put_namespace(&self, namespace: Name, change: NamespaceChange) -> Answer<'_, Namespace> {
        self.store.put_namespace(namespace, change)
    }

    fn workers(&self, namespace: Name, page: Page<u32>) -> Answer<'_, Vec<Worker>> {
        self.store.workers(namespace, page)
    }
}
