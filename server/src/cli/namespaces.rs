//! `leafid namespace …`

use clap::{ArgGroup, Args, Subcommand};
use leafid_core::{Code, FieldWriter, Fields, Layout, Name, Range, StoreTime};
use serde_json::Value;

use super::args::{bits, duration_ms, preset, range};
use super::client::Target;
use super::{Failure, say};
use crate::json::Writer;
use crate::problem::Problem;
use crate::utc;

#[derive(Debug, Subcommand)]
pub enum Namespace {
    /// Creates a namespace
    Create(Create),
    /// Changes a namespace: after its first window only the worker numbers
    Set(Set),
    /// Lists the namespaces
    List(List),
}

#[derive(Args, Debug)]
pub struct Create {
    /// The namespace: letters, digits and `._:-`, a letter or digit first
    name: String,
    #[command(flatten)]
    layout: LayoutArgs,
    /// The worker numbers that may be handed out, as in 0..64 [default: all of the layout]
    #[arg(long, value_name = "RANGE", value_parser = range)]
    workers: Option<Range>,
    /// The longest window, as in 10s or 5m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    max_window: Option<u32>,
    /// Nothing but a word for who reads the script: a namespace that is there as described is left
    /// as it is, with this option and without
    #[arg(long = "if-missing")]
    _if_missing: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("change").required(true).multiple(true)
    .args(["layout", "epoch_ms", "tick_ms", "bits", "workers", "max_window"])))]
pub struct Set {
    /// The namespace
    name: String,
    #[command(flatten)]
    layout: LayoutArgs,
    /// The worker numbers that may be handed out, as in 0..64
    #[arg(long, value_name = "RANGE", value_parser = range)]
    workers: Option<Range>,
    /// The longest window, as in 10s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    max_window: Option<u32>,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    target: Target,
}

/// A preset, or a layout of one's own: then all three parts have to be said.
#[derive(Args, Debug)]
struct LayoutArgs {
    /// A preset: leaf, edge, long or js53
    #[arg(long, value_name = "PRESET", value_parser = preset,
          conflicts_with_all = ["epoch_ms", "tick_ms", "bits"])]
    layout: Option<Layout>,
    /// A layout of one's own: when its time begins, in ms since 1970
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          requires_all = ["tick_ms", "bits"])]
    epoch_ms: Option<i64>,
    /// A layout of one's own: how long a tick lasts, in ms
    #[arg(long, value_name = "N", requires_all = ["epoch_ms", "bits"])]
    tick_ms: Option<u32>,
    /// A layout of one's own: the bits of time, worker and sequence, as in 41/10/12
    #[arg(long, value_name = "BITS", value_parser = bits,
          requires_all = ["epoch_ms", "tick_ms"])]
    bits: Option<(u8, u8, u8)>,
}

impl Namespace {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Namespace::Create(create) => create.run(),
            Namespace::Set(set) => set.run(),
            Namespace::List(list) => list.run(),
        }
    }
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let name = name(&self.name)?;
        let layout = self.layout.read()?.unwrap_or(Layout::LEAF);
        let body = body(Some(layout), self.workers, self.max_window);
        let client = self.target.connect()?;
        let path = format!("/v1/namespaces/{name}");
        // Only for the words: what is there is not changed, whoever creates it meanwhile.
        let before = client.call("GET", &path, None, false);
        let made = client.call("PUT", &path, Some(body), true);
        client.close();
        let made = line(&made?);
        match before {
            Ok(_) => say(format_args!("exists already, nothing changed: {made}")),
            Err(_) => say(made),
        }
    }
}

impl Set {
    fn run(self) -> Result<(), Failure> {
        let name = name(&self.name)?;
        let body = body(self.layout.read()?, self.workers, self.max_window);
        let client = self.target.connect()?;
        let path = format!("/v1/namespaces/{name}");
        // A misspelt name is not created.
        let set = client
            .call("GET", &path, None, false)
            .and_then(|_| client.call("PUT", &path, Some(body), false));
        client.close();
        say(line(&set?))?;
        Ok(())
    }
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let client = self.target.connect()?;
        let rows = client.list("/v1/namespaces", "namespaces", "namespace")?;
        client.close();
        for row in rows {
            say(line(&row))?;
        }
        Ok(())
    }
}

impl LayoutArgs {
    fn read(&self) -> Result<Option<Layout>, Failure> {
        let (Some(epoch_ms), Some(tick_ms), Some(bits)) = (self.epoch_ms, self.tick_ms, self.bits)
        else {
            return Ok(self.layout);
        };
        let (time, worker, sequence) = bits;
        let layout = Layout::new(epoch_ms, tick_ms, time, worker, sequence);
        layout.map(Some).map_err(|refusal| {
            let together = u16::from(time) + u16::from(worker) + u16::from(sequence);
            let detail = format!(
                "a layout of {time}/{worker}/{sequence} = {together} bits, {tick_ms} ms ticks \
                 since {epoch_ms} cannot be: {}",
                refusal.code.advice()
            );
            Failure::Problem(Problem::new(Code::LayoutInvalid, detail))
        })
    }
}

fn name(text: &str) -> Result<Name, Problem> {
    Name::namespace(text).map_err(|refusal| {
        let detail = format!("`{text}` is no name for a namespace: {}", refusal.code.advice());
        Problem::new(Code::NamespaceInvalid, detail)
    })
}

fn body(layout: Option<Layout>, workers: Option<Range>, max_window_ms: Option<u32>) -> String {
    let mut body = Writer::default();
    layout.inspect(|layout| body.nested("layout", |writer| layout.put(writer)));
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
        utc::text(StoreTime::new(row["last_ms"].as_i64().unwrap_or(0)))
    )
}
