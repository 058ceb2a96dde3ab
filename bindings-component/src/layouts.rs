//! The interface `layouts`.

use leafid_core::{Code, HostTime, Layout, Refusal};

use crate::Component;
use crate::bindings::exports::leafid::generator::layouts::{Description, Guest, Parts};
use crate::bindings::leafid::generator::types::{Layout as Shown, Millis, Refusal as Refused};
use crate::values::{Crosses, at};

impl Guest for Component {
    fn named(name: String) -> Result<Shown, Refused> {
        let preset = Layout::named(&name).ok_or(Refusal::<HostTime>::new(Code::LayoutInvalid));
        Ok(preset?.shown())
    }

    fn describe(layout: Shown) -> Result<Description, Refused> {
        let layout = Layout::read(layout)?;
        Ok(Description {
            layout: layout.shown(),
            last: layout.last().get(),
            per_second: layout.per_second(),
            workers: layout.workers(),
        })
    }

    fn compose(layout: Shown, time: Millis, worker: u32, sequence: u64) -> Result<u64, Refused> {
        Ok(Layout::read(layout)?.compose(at(time), worker, sequence)?)
    }

    fn decompose(layout: Shown, id: u64) -> Result<Parts, Refused> {
        let parts = Layout::read(layout)?.decompose(id)?;
        let leafid_core::Parts { time, tick, worker, sequence, .. } = parts;
        Ok(Parts { time: time.get(), tick, worker, sequence })
    }

    fn first_id(layout: Shown, time: Millis) -> Result<u64, Refused> {
        Ok(Layout::read(layout)?.first_id(at(time))?)
    }

    fn last_id(layout: Shown, time: Millis) -> Result<u64, Refused> {
        Ok(Layout::read(layout)?.last_id(at(time))?)
    }
}
