//! `leafid namespace …`

use leafid_core::{Code, Fields, Layout, Millis, Name, Put, Range};
use serde_json::Value;

use super::args::{Arg, Args, bits, duration_ms, preset, range, unexpected};
use super::client::Target;
use super::{Failure, say};
use crate::json::Writer;
use crate::problem::Problem;
use crate::utc;

/// What the flags say of a layout.
#[derive(Default)]
struct Said {
    preset: Option<Layout>,
    epoch_ms: Option<i64>,
    tick_ms: Option<u32>,
    bits: Option<(u8, u8, u8)>,
}

/// `leafid namespace create NAME …`
pub fn create(mut args: Args) -> Result<(), Failure> {
    let (mut target, mut name, mut said) = (Target::default(), None, Said::default());
    let (mut workers, mut max_window_ms) = (None, None);
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if flag == "layout" => {
                said.preset = Some(args.read_by(flag, "one of leaf, edge, long, js53", preset)?);
            }
            Arg::Flag(flag) if flag == "epoch-ms" => {
                said.epoch_ms = Some(args.read(flag, "a number of ms since 1970")?);
            }
            Arg::Flag(flag) if flag == "tick-ms" => {
                said.tick_ms = Some(args.read(flag, "a number of ms")?);
            }
            Arg::Flag(flag) if flag == "bits" => {
                said.bits = Some(args.read_by(flag, "three widths, as in 41/10/12", bits)?);
            }
            Arg::Flag(flag) if flag == "workers" => {
                workers = Some(args.read_by(flag, "a range, as in 0..64", range)?);
            }
            Arg::Flag(flag) if flag == "max-window" => {
                max_window_ms =
                    Some(args.read_by(flag, "a duration, as in 10s or 5m", duration_ms)?);
            }
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            Arg::Word(word) if name.is_none() => name = Some(word.clone()),
            _ => return Err(unexpected(&arg)),
        }
    }
    let Some(name) = name else {
        return Err(Failure::Usage("the namespace's name is missing".into()));
    };
    let name = Name::namespace(&name).map_err(|refusal| {
        let detail = format!("`{name}` is no name for a namespace: {}", refusal.code.advice());
        Problem::new(Code::NamespaceInvalid, detail)
    })?;
    let body = body(said.layout()?, workers, max_window_ms);
    let client = target.connect()?;
    let made = client.call("PUT", &format!("/v1/namespaces/{name}"), Some(body), false);
    client.close();
    say(line(&made?));
    Ok(())
}

/// `leafid namespace list`
pub fn list(mut args: Args) -> Result<(), Failure> {
    let mut target = Target::default();
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            _ => return Err(unexpected(&arg)),
        }
    }
    let client = target.connect()?;
    let rows = client.list("/v1/namespaces", "namespaces", "namespace")?;
    client.close();
    for row in rows {
        say(line(&row));
    }
    Ok(())
}

impl Said {
    /// The preset, or one's own: then all three parts have to be said.
    fn layout(self) -> Result<Layout, Failure> {
        match (self.preset, self.epoch_ms, self.tick_ms, self.bits) {
            (preset, None, None, None) => Ok(preset.unwrap_or(Layout::LEAF)),
            (None, Some(epoch_ms), Some(tick_ms), Some((time, worker, sequence))) => {
                let layout = Layout::new(epoch_ms, tick_ms, time, worker, sequence);
                layout.map_err(|refusal| {
                    let together = u16::from(time) + u16::from(worker) + u16::from(sequence);
                    let detail = format!(
                        "a layout of {time}/{worker}/{sequence} = {together} bits, {tick_ms} ms \
                         ticks since {epoch_ms} cannot be: {}",
                        refusal.code.advice()
                    );
                    Failure::Problem(Problem::new(Code::LayoutInvalid, detail))
                })
            }
            _ => Err(Failure::Usage(
                "name a layout by --layout, or by --epoch-ms, --tick-ms and --bits together".into(),
            )),
        }
    }
}

fn body(layout: Layout, workers: Option<Range>, max_window_ms: Option<u32>) -> String {
    let mut body = Writer::default();
    body.nested("layout", |writer| layout.put(writer));
    workers.inspect(|workers| body.nested("workers", |writer| workers.put(writer)));
    max_window_ms.inspect(|ms| body.number("max_window_ms", u64::from(*ms)));
    body.end()
}

fn line(row: &Value) -> String {
    let layout = &row["layout"];
    format!(
        "namespace `{}`: {}/{}/{} bits, {} ms ticks, workers {}..{}, windows of {} ms, until {}",
        row["namespace"].as_str().unwrap_or("?"),
        layout["time_bits"],
        layout["worker_bits"],
        layout["sequence_bits"],
        layout["tick_ms"],
        row["workers"]["start"],
        row["workers"]["end"],
        row["max_window_ms"],
        utc::text(Millis::new(row["last_ms"].as_i64().unwrap_or(0)))
    )
}
