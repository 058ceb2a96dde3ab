//! `leafid namespace …`

use clap::{ArgGroup, Args, Subcommand};
use leafid_core::{Code, Layout, Range, StoreTime};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::utc;
use leafid_wire::{FieldWriter, Fields, advice, path};
use serde_json::{Value, json};

use super::Failure;
use super::above;
use super::args::{bits, longest_window_ms, number, preset, range};
use super::client::Target;
use super::output::{remark, show};
use crate::routes::input::namespace;

#[derive(Debug, Subcommand)]
pub enum Namespace {
    /// Creates a namespace
    #[command(after_help = DEFAULTS)]
    Create {
        /// The namespace: letters, digits and `._:-`, a letter or digit first
        name: String,
        #[command(flatten)]
        values: Values,
        /// The largest ID that another generator made: refused unless all IDs of this layout are larger
        /// from now on
        #[arg(long, value_name = "ID", allow_negative_numbers = true, value_parser = number)]
        above: Option<u64>,
        #[command(flatten)]
        target: Target,
    },
    /// Changes a namespace; after its first window only its worker numbers can change
    #[command(group(ArgGroup::new("change").required(true).multiple(true)
        .args(["layout", "epoch_ms", "tick_ms", "bits", "workers", "max_window"])))]
    Set {
        /// The namespace
        name: String,
        #[command(flatten)]
        values: Values,
        #[command(flatten)]
        target: Target,
    },
    /// Lists the namespaces
    List(Target),
}

const DEFAULTS: &str = "\
Without options the layout is `leaf`, any worker number of the layout may be handed out, and the
longest window is 10m. One that exists with these values is fine.";

/// The wanted fields of a namespace. A custom layout needs all three of its parts.
#[derive(Args, Debug)]
pub struct Values {
    /// The layout of a preset: leaf, edge, long or js53
    #[arg(long, value_name = "PRESET", value_parser = preset,
          conflicts_with_all = ["epoch_ms", "tick_ms", "bits"])]
    layout: Option<Layout>,
    /// A custom layout: when its time begins, in ms since 1970
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires_all = ["tick_ms", "bits"])]
    epoch_ms: Option<i64>,
    /// A custom layout: how long a tick lasts, in ms
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires_all = ["epoch_ms", "bits"])]
    tick_ms: Option<u32>,
    /// A custom layout: the bits of time, worker and sequence, as in 41/10/12
    #[arg(long, value_name = "BITS", value_parser = bits,
          requires_all = ["epoch_ms", "tick_ms"])]
    bits: Option<(u8, u8, u8)>,
    /// The worker numbers that may be handed out, as in 0..64
    #[arg(long, value_name = "RANGE", value_parser = range)]
    workers: Option<Range>,
    /// The longest window, from 1s to 24h, as in 10s or 5m
    #[arg(long, value_name = "TIME", value_parser = longest_window_ms)]
    max_window: Option<u32>,
}

impl Namespace {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Namespace::Create { name, values, above, target } => {
                create(&name, &values, above, target)
            }
            Namespace::Set { name, values, target } => {
                let (path, body) =
                    (path::namespace(namespace(&name)?), values.body(values.layout()?));
                let client = target.connect()?;
                // A misspelt name must not be created.
                client.get(&path)?;
                let row = client.call("PUT", &path, body)?;
                show(&row, line(&row))
            }
            Namespace::List(target) => {
                let rows = target.connect()?.list(path::NAMESPACES, "namespaces", "namespace")?;
                let lines: Vec<String> = rows.iter().map(line).collect();
                show(&json!({ "namespaces": rows }), lines.join("\n"))
            }
        }
    }
}

fn create(name: &str, values: &Values, above: Option<u64>, target: Target) -> Result<(), Failure> {
    let path = path::namespace(namespace(name)?);
    let layout = values.layout()?.unwrap_or(Layout::LEAF);
    let client = target.connect()?;
    if let Some(above) = above {
        remark(above::check(&client, &layout, above)?)?;
    }
    // Only for the message: an existing one is not changed, even if it is created meanwhile.
    let created = client.get(&path).is_err();
    let mut row = client.create(&path, values.body(Some(layout)))?;
    let what = if created { "" } else { "exists already, nothing changed: " };
    let line = format!("{what}{}", line(&row));
    row["created"] = created.into();
    show(&row, line)
}

impl Values {
    fn layout(&self) -> Result<Option<Layout>, Failure> {
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
                advice(refusal.code)
            );
            Failure::Problem(Problem::new(Code::LayoutInvalid, detail))
        })
    }

    fn body(&self, layout: Option<Layout>) -> String {
        let mut body = Writer::default();
        layout.inspect(|layout| body.nested("layout", |writer| layout.put(writer)));
        self.workers.inspect(|workers| body.nested("workers", |writer| workers.put(writer)));
        self.max_window.inspect(|ms| body.number("max_window_ms", u64::from(*ms)));
        body.end()
    }
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
