//! What hosts have at hand when their store stops, and whether they handed all of it out.

use leafid_core::Layout;
use leafid_stream::line::Line;
use leafid_stream::store::Store;
use leafid_stream::stream::{Host, Stream};

use crate::setting::NAMESPACE;

/// What one host may still hand out.
pub enum AtHand {
    /// It comes to so many numbers, with those that it has at hand.
    Numbers(u64),
    /// Its window ends at this time, in ms.
    Window(i64),
}

/// How regularly a host draws snowflake IDs, by their own stamps.
#[derive(Clone, Copy, Default)]
pub struct Pace {
    last_ms: Option<i64>,
    longest_pause_ms: i64,
}

impl AtHand {
    /// By the last report of each host, which is behind the lines before it, and by the store's list.
    pub fn of_all(stream: &Stream, store: &Store) -> Vec<AtHand> {
        let list = store.get(&format!("/v1/workers/{NAMESPACE}?limit=1000")).expect("a list");
        let rows = list["workers"].as_array().expect("the list has workers");
        let of = |host: &Host| {
            let Some(last) = host.snowflake.last else {
                return AtHand::Numbers(host.segment.stats.ids + host.segment.stats.in_hand);
            };
            let worker = Layout::LEAF.decompose(last).expect("it was read before").worker;
            let row = rows.iter().find(|row| row["worker"] == worker).expect("it is listed");
            AtHand::Window(row["reserved_until_ms"].as_i64().expect("a worker has an end"))
        };
        stream.hosts().iter().map(of).collect()
    }

    /// Whether all of it was handed out: nobody stops because the store does. A host writes a batch
    /// when it has all of it, so the last one, which waits, is not read yet: `batch` IDs at most.
    ///
    /// # Errors
    /// What was left. Of a window that may be because the machine stood still at its end.
    pub fn was_spent(&self, host: &Host, pace: &Pace, batch: u64) -> Result<(), String> {
        match self {
            AtHand::Numbers(all) => {
                let ids = host.segment.ids;
                let spent = ids + batch >= *all;
                spent.then_some(()).ok_or_else(|| format!("{ids} numbers, {all} were at hand"))
            }
            AtHand::Window(end) => {
                let left = end - pace.last_ms.ok_or("it drew nothing after the stop")?;
                // A busy machine makes pauses: the last two may be as long as the others of this run.
                let most = 3 * pace.longest_pause_ms + 100;
                let spent = left <= most;
                spent.then_some(()).ok_or_else(|| format!("stopped {left} ms early, {most} may be"))
            }
        }
    }
}

impl Pace {
    /// Takes what the host handed out; numbers have no stamps.
    pub fn note(&mut self, line: &Line) {
        let Line::Snowflakes { first, last, .. } = *line else { return };
        let time = |id| Layout::LEAF.decompose(id).expect("it was read before").time.get();
        let pause = self.last_ms.map_or(0, |before| time(first) - before);
        self.longest_pause_ms = self.longest_pause_ms.max(pause);
        self.last_ms = Some(time(last));
    }
}
