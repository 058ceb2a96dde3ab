//! The store of the component over a server's HTTP.

use serde_json::{Value, json};

use crate::bindings::leafid::generator::store;
use crate::bindings::leafid::generator::types::{
    AcquireAsk, Code, Failure, Layout, Range, Release, RenewAsk, SegmentAsk, SegmentGrant, Token,
    WindowGrant,
};
use crate::client::failure;
use crate::host::Host;

impl store::Host for Host {
    fn lease_segment(&mut self, ask: SegmentAsk) -> Result<SegmentGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": ask.store.map(hex), "step": ask.step,
            "at_least": ask.at_least, "have_until": ask.have_until.map(|end| end.to_string()),
        });
        let answer = self.store.post(&format!("segments/{}/lease", ask.tag), body)?;
        Ok(SegmentGrant {
            request: token(&answer["request"])?,
            store: token(&answer["store"])?,
            tag: answer["tag"].as_str().unwrap_or_default().to_owned(),
            range: range(&answer)?,
            step: number(&answer["step"])?,
            max_step: number(&answer["max_step"])?,
            remaining: big(&answer["remaining"])?,
            now: number(&answer["now_ms"])?,
        })
    }

    fn acquire(&mut self, ask: AcquireAsk) -> Result<WindowGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": ask.store.map(hex), "owner": ask.owner,
            "length_ms": ask.length_ms, "sticky": ask.sticky, "strict": ask.strict,
            "layout": ask.layout.map(|layout| json!({
                "epoch_ms": layout.epoch_ms, "tick_ms": layout.tick_ms,
                "time_bits": layout.time_bits, "worker_bits": layout.worker_bits,
                "sequence_bits": layout.sequence_bits,
            })),
        });
        window(&self.store.post(&format!("workers/{}/acquire", ask.namespace), body)?)
    }

    fn renew(&mut self, ask: RenewAsk) -> Result<WindowGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": hex(ask.store), "worker": ask.worker,
            "key": hex(ask.key), "have_until": ask.have_until.to_string(),
            "length_ms": ask.length_ms,
        });
        window(&self.store.post(&format!("workers/{}/renew", ask.namespace), body)?)
    }

    fn give_back(&mut self, release: Release) -> Result<(), Failure> {
        let body = json!({
            "store": hex(release.store), "worker": release.worker, "key": hex(release.key),
            "unused_from": release.unused_from.to_string(),
        });
        self.store.post(&format!("workers/{}/release", release.namespace), body).map(|_| ())
    }
}

fn window(answer: &Value) -> Result<WindowGrant, Failure> {
    let layout = &answer["layout"];
    Ok(WindowGrant {
        request: token(&answer["request"])?,
        store: token(&answer["store"])?,
        worker: number(&answer["worker"])?,
        ticks: range(answer)?,
        layout: Layout {
            epoch_ms: number(&layout["epoch_ms"])?,
            tick_ms: number(&layout["tick_ms"])?,
            time_bits: number(&layout["time_bits"])?,
            worker_bits: number(&layout["worker_bits"])?,
            sequence_bits: number(&layout["sequence_bits"])?,
        },
        now: number(&answer["now_ms"])?,
        max_window_ms: number(&answer["max_window_ms"])?,
    })
}

fn hex((high, low): Token) -> String {
    format!("{high:016x}{low:016x}")
}

fn token(text: &Value) -> Result<Token, Failure> {
    let halves = text.as_str().and_then(|text| text.split_at_checked(16));
    let half = |text| u64::from_str_radix(text, 16).ok();
    let read = halves.and_then(|(high, low)| Some((half(high)?, half(low)?)));
    read.ok_or(failure(Code::GrantInvalid))
}

fn range(answer: &Value) -> Result<Range, Failure> {
    Ok(Range { start: big(&answer["start"])?, end: big(&answer["end"])? })
}

fn big(text: &Value) -> Result<u64, Failure> {
    text.as_str().and_then(|text| text.parse().ok()).ok_or(failure(Code::GrantInvalid))
}

fn number<N: TryFrom<i64>>(number: &Value) -> Result<N, Failure> {
    let read = number.as_i64().and_then(|number| number.try_into().ok());
    read.ok_or(failure(Code::GrantInvalid))
}
