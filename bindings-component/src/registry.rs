//! The interface `registry`.

use leafid_bindings::registry::row_of_ask;
use leafid_core::registry::{self, Acquired, Namespace, TagRow, TagSpec};
use leafid_core::{AcquireAsk, Layout, Name, Refusal, Release, RenewAsk, SegmentAsk};

use crate::Component;
use crate::bindings::exports::leafid::generator::registry as wit;
use crate::bindings::leafid::generator::types::{
    self, Millis, Refusal as Refused, SegmentGrant, Token, WindowGrant,
};
use crate::records::{candidates, namespace, shown_namespace, shown_worker, worker};
use crate::values::{Crosses, at, range, token};

/// A row to write, and the answer to send after that.
type Leased<Row, Grant> = Result<(Row, Result<Grant, Refused>), Refused>;

impl wit::Guest for Component {
    fn create_tag(
        wanted: wit::NewTag,
        before: Option<wit::TagRow>,
    ) -> Result<wit::TagRow, Refused> {
        Name::tag(&wanted.tag)?;
        let before: Option<TagRow> = Crosses::read(before)?;
        let wit::NewTag { first, step, max_step, until, .. } = wanted;
        let spec = TagSpec { from: first, step, max_step, until };
        Ok(TagRow::create(before.as_ref(), &spec)?.shown())
    }

    fn create_namespace(wanted: wit::NewNamespace) -> Result<wit::NamespaceRow, Refused> {
        Name::namespace(&wanted.namespace)?;
        let (layout, workers) = (Layout::read(wanted.layout)?, wanted.workers.map(range));
        Ok(shown_namespace(Namespace::create(layout, workers, wanted.max_window_ms)?))
    }

    fn lease_segment(
        store: Token,
        row: wit::TagRow,
        ask: types::SegmentAsk,
        now: Millis,
    ) -> Leased<wit::TagRow, SegmentGrant> {
        let (row, ask) = (TagRow::read(row)?, SegmentAsk::read(ask)?);
        let (row, answer) = registry::lease_segment(token(store), &row, &ask, at(now))?;
        Ok((row.shown(), answer.map(Crosses::shown).map_err(Refused::from)))
    }

    fn acquire(
        store: Token,
        space: wit::NamespaceRow,
        rows: wit::Candidates,
        ask: types::AcquireAsk,
        now: Millis,
    ) -> Result<wit::Acquired, Refused> {
        let (space, rows) = (namespace(space)?, candidates(rows)?);
        let ask = AcquireAsk::read(ask)?;
        let acquired = registry::acquire(token(store), &space, &rows, &ask, at(now))?;
        let Acquired { worker, freed, grant } = acquired;
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
    ) -> Leased<wit::WorkerRow, WindowGrant> {
        let ask = RenewAsk::read(ask)?;
        let (space, row) = (namespace(space)?, row_of_ask(ask.worker, worker(row)?)?);
        let (row, answer) = registry::renew(token(store), &space, &row, &ask, at(now))?;
        let answer = answer.map(Crosses::shown).map_err(Refused::from);
        Ok((shown_worker((ask.worker, row)), answer))
    }

    fn give_back(
        store: Token,
        row: wit::WorkerRow,
        given: types::Release,
    ) -> Result<wit::WorkerRow, Refused> {
        let given = Release::read(given)?;
        let row = row_of_ask(given.worker, worker(row)?)?;
        let row = registry::release(token(store), &row, &given)?;
        Ok(shown_worker((given.worker, row)))
    }

    fn is_kept_from(row: wit::WorkerRow, owner: String, now: Millis) -> bool {
        let read = || Ok::<_, Refusal>((worker(row)?.1, Name::owner(&owner)?));
        read().is_ok_and(|(row, owner)| row.is_kept_from(&owner, at(now)))
    }
}
