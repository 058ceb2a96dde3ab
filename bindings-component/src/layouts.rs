//! The interface `layouts`.

use leafid_core::{Code, HostTime, Layout, Refusal};

use crate::Component;
use crate::bindings::exports::leafid::generator::layouts::{Description, Guest, Parts};
use crate::bindings::leafid::generator::types as wit;
use crate::values::{Crosses, at, refused};

/// What a layout says, or that it is none.
fn of<T>(
    given: wit::Layout,
    act: impl FnOnce(Layout) -> Result<T, Refusal>,
) -> Result<T, wit::Refusal> {
    Layout::read(given).and_then(act).map_err(refused)
}

impl Guest for Component {
    fn named(name: String) -> Result<wit::Layout, wit::Refusal> {
        let preset = Layout::named(&name).ok_or(Refusal::<HostTime>::new(Code::LayoutInvalid));
        preset.map(Crosses::shown).map_err(refused)
    }

    fn describe(layout: wit::Layout) -> Result<Description, wit::Refusal> {
        of(layout, |layout| {
            Ok(Description {
                layout: layout.shown(),
                last: layout.last().get(),
                per_second: layout.per_second(),
                workers: layout.workers(),
            })
        })
    }

    fn compose(
        layout: wit::Layout,
        time: wit::Millis,
        worker: u32,
        sequence: u64,
    ) -> Result<u64, wit::Refusal> {
        of(layout, |layout| layout.compose(at(time), worker, sequence))
    }

    fn decompose(layout: wit::Layout, id: u64) -> Result<Parts, wit::Refusal> {
        let parts = of(layout, |layout| layout.decompose(id))?;
        let leafid_core::Parts { time, tick, worker, sequence, .. } = parts;
        Ok(Parts { time: time.get(), tick, worker, sequence })
    }

    fn first_id(layout: wit::Layout, time: wit::Millis) -> Result<u64, wit::Refusal> {
        of(layout, |layout| layout.first_id(at(time)))
    }

    fn last_id(layout: wit::Layout, time: wit::Millis) -> Result<u64, wit::Refusal> {
        of(layout, |layout| layout.last_id(at(time)))
    }
}
