//! The interface `registry`.

use leafid_bindings::registry::row_of_ask;
use leafid_core::registry::{self, Acquired, Namespace, TagRow, TagSpec};
use leafid_core::{AcquireAsk, HostTime, Layout, Name, Refusal, Release, RenewAsk, SegmentAsk};

use crate::Component;
use crate::bindings::exports::leafid::generator::registry as wit;
use crate::bindings::leafid::generator::types::{
    self, Millis, Refusal as Refused, SegmentGrant, Token, WindowGrant,
};
use crate::rows::{candidates, namespace, shown_namespace, shown_worker, worker};
use crate::values::{Crosses, at, range, refused, token};

impl wit::Guest for Component {
    fn create_tag(
        wanted: wit::NewTag,
        before: Option<wit::TagRow>,
    ) -> Result<wit::TagRow, Refused> {
        Name::tag(&wanted.tag).map_err(refused)?;
        let before: Option<TagRow> = Crosses::read(before).map_err(refused)?;
        let wit::NewTag { first, step, max_step, until, .. } = wanted;
        let spec = TagSpec { from: first, step, max_step, until };
        TagRow::create(before.as_ref(), &spec).map(Crosses::shown).map_err(refused)
    }

    fn create_namespace(wanted: wit::NewNamespace) -> Result<wit::NamespaceRow, Refused> {
        let create = || {
            Name::namespace(&wanted.namespace)?;
            let workers = wanted.workers.map(range);
            Namespace::create(Layout::read(wanted.layout)?, workers, wanted.max_window_ms)
        };
        create().map(shown_namespace).map_err(refused)
    }

    fn lease_segment(
        store: Token,
        row: wit::TagRow,
        ask: types::SegmentAsk,
        now: Millis,
    ) -> Result<(wit::TagRow, Result<SegmentGrant, Refused>), Refused> {
        let read = || Ok((TagRow::read(row)?, SegmentAsk::read(ask)?));
        let (row, ask) = read().map_err(refused::<HostTime>)?;
        let leased = registry::lease_segment(token(store), &row, &ask, at(now));
        let (row, answer) = leased.map_err(refused)?;
        Ok((row.shown(), answer.map(Crosses::shown).map_err(refused)))
    }

    fn acquire(
        store: Token,
        space: wit::NamespaceRow,
        rows: wit::Candidates,
        ask: types::AcquireAsk,
        now: Millis,
    ) -> Result<wit::Acquired, Refused> {
        let read = || Ok((namespace(space)?, candidates(rows)?, AcquireAsk::read(ask)?));
        let (space, rows, ask) = read().map_err(refused::<HostTime>)?;
        let acquired = registry::acquire(token(store), &space, &rows, &ask, at(now));
        let Acquired { worker, freed, grant } = acquired.map_err(refused)?;
        Ok(wit::Acquired {
            row: shown_worker(worker),
            freed: freed.map(shown_worker),
            grant: grant.shown(),
        })
    }

    fn renew(
        store: Token,
        space: wit::NamespaceRow,
        row: wit::WorkerRow,
        ask: types::RenewAsk,
        now: Millis,
    ) -> Result<(wit::WorkerRow, Result<WindowGrant, Refused>), Refused> {
        let read = || {
            let ask = RenewAsk::read(ask)?;
            Ok((namespace(space)?, row_of_ask(ask.worker, worker(row)?)?, ask))
        };
        let (space, row, ask) = read().map_err(wrong)?;
        let renewed = registry::renew(token(store), &space, &row, &ask, at(now));
        let (row, answer) = renewed.map_err(refused)?;
        Ok((shown_worker((ask.worker, row)), answer.map(Crosses::shown).map_err(refused)))
    }

    fn give_back(
        store: Token,
        row: wit::WorkerRow,
        given: types::Release,
    ) -> Result<wit::WorkerRow, Refused> {
        let read = || {
            let given = Release::read(given)?;
            Ok((row_of_ask(given.worker, worker(row)?)?, given))
        };
        let (row, given) = read().map_err(wrong)?;
        let row = registry::release(token(store), &row, &given).map_err(refused)?;
        Ok(shown_worker((given.worker, row)))
    }

    fn is_kept_from(row: wit::WorkerRow, owner: String, now: Millis) -> bool {
        let read = || Ok::<_, Refusal>((worker(row)?.1, Name::owner(&owner)?));
        read().is_ok_and(|(row, owner)| row.is_kept_from(&owner, at(now)))
    }
}

fn wrong(wrong: leafid_bindings::Wrong) -> Refused {
    refused(wrong.refusal)
}
