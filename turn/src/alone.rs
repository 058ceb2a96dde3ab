//! A turn for one request, for a host that runs the SQL texts with a driver of its own.
//!
//! The host runs [`Alone::reads`] and passes the rows to [`Alone::learn`] until there are no more reads,
//! carries out [`Alone::steps`] in one transaction, and answers with [`Alone::answer`] when that is durable.
//! If a step does not find its row, the transaction is rolled back and the request decided again in a new
//! turn. So is a request that has to see its own change.
//!
//! A [`Guest`] answers only once the store's servers have noted the steps, as [`Alone::waits`] says.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::SERVERS;
use crate::cache::Cache;
use crate::guest::{Guest, Waits};
use crate::problem::Problem;
use crate::register::{Change, Server};
use crate::rows::TurnRows;
use crate::sql::columns::Source;
use crate::sql::gaps::Reading;
use crate::sql::{Query, Step, answered, steps};
use crate::stop::Stop;
use crate::want::{Answer, Want};
use crate::write::{ServerWrite, Write};
use leafid_core::{StoreTime, Token};

/// Rounds of reads that a request may take.
const READINGS: usize = 64;

/// Decides a request on the rows at hand.
pub type Decide<T> = Box<dyn Fn(&mut TurnRows) -> Result<T, Stop> + Send + Sync>;

/// One request in a turn of its own.
pub struct Alone<T> {
    leaf: bool,
    rows: TurnRows,
    decide: Decide<T>,
    reading: Vec<Reading>,
    readings: usize,
    answer: Option<Result<T, Problem>>,
    again: bool,
    guest: Option<Guest>,
    /// The write of the guest's record, and what that waits for.
    signed: Option<(ServerWrite, Waits)>,
    /// Nothing may be written: it is not known who has to note it.
    is_cut_off: bool,
}

impl<T> Alone<T> {
    /// Begins a turn at the store's time; `leaf`: where Leaf's own table keeps the tags. Without a `guest` the
    /// store has no servers.
    pub fn new(
        leaf: bool,
        store: Token,
        now: StoreTime,
        guest: Option<Guest>,
        decide: Decide<T>,
    ) -> Alone<T> {
        let rows = TurnRows::new(store, StoreTime::new(0), false, now, Cache::default());
        let mut alone = Alone {
            leaf,
            rows,
            decide,
            reading: Vec::new(),
            readings: 0,
            answer: None,
            again: false,
            guest,
            signed: None,
            is_cut_off: false,
        };
        alone.decide();
        alone
    }

    /// The queries to run; empty once the request is decided.
    pub fn reads(&self) -> Vec<Query> {
        self.reading.iter().map(Reading::query).collect()
    }

    /// Takes in the rows of each reading, in their order.
    pub fn learn<S: Source>(&mut self, found: &[Vec<S>]) {
        let mut again = Vec::new();
        let (mut wants, mut answers) = (Vec::new(), Vec::new());
        for (mut reading, rows) in core::mem::take(&mut self.reading).into_iter().zip(found) {
            let found = answered(&reading.want, &reading.query(), rows, self.leaf);
            match reading.learn(found) {
                Some(answer) => {
                    wants.push(reading.want);
                    answers.push(answer);
                }
                None => again.push(reading),
            }
        }
        self.rows.learn(wants, answers);
        if again.is_empty() {
            self.decide();
        } else {
            self.reading = again;
        }
    }

    /// The writes to carry out, in this order: a refusal may have some, too.
    pub fn steps(&self) -> Vec<Step> {
        if self.is_cut_off {
            return Vec::new();
        }
        let groups = self.rows.groups().groups;
        let signed = self.signed.iter().map(|(record, _)| Write::Server(Box::new(record.clone())));
        let writes = groups.into_iter().flatten().chain(signed);
        writes.flat_map(|write| steps(&write, self.leaf)).collect()
    }

    /// What the answer waits for once the steps are durable, if servers have to note them.
    pub fn waits(&self) -> Option<Waits> {
        self.signed.as_ref().map(|(_, waits)| *waits)
    }

    /// What the steps change or grant, for a journal of hosts.
    pub fn intervals(&self) -> Vec<Change> {
        self.rows.intervals()
    }

    /// Whether the request starts over in another turn once the steps are durable, because it has to see its
    /// own change.
    pub fn is_again(&self) -> bool {
        self.again
    }

    /// The answer, as long as it is not given.
    pub fn reply(&self) -> Option<&Result<T, Problem>> {
        self.answer.as_ref()
    }

    /// The answer, to be given when the steps are durable.
    ///
    /// # Errors
    /// Why the request is refused.
    pub fn answer(self) -> Result<T, Problem> {
        let undecided = || Err(Problem::unavailable("the request was not decided"));
        self.answer.unwrap_or_else(undecided)
    }

    fn decide(&mut self) {
        // Read first: a server that comes later reads every row.
        let servers = self.servers();
        self.readings += 1;
        // A decision changes rows: it is made once all is read.
        let decided = match &servers {
            Err(Stop::Wanting) if self.readings > 1 => Err(Stop::Wanting),
            Err(Stop::Refused(problem)) => {
                self.is_cut_off = true;
                Err(Stop::Refused(problem.clone()))
            }
            _ => (self.decide)(&mut self.rows),
        };
        self.answer = match decided {
            Ok(answer) => Some(Ok(answer)),
            Err(Stop::Refused(problem)) => Some(Err(problem)),
            Err(Stop::Later) => {
                self.again = true;
                None
            }
            Err(Stop::Wanting) if self.readings <= READINGS => None,
            Err(Stop::Wanting) => {
                Some(Err(Problem::unavailable("the store does not find what it looks for")))
            }
        };
        if self.answer.is_none() && !self.again {
            self.reading = self.rows.take_wants().into_iter().map(Reading::of).collect();
        } else if let (Ok(Some((servers, generation))), false) = (servers, self.again) {
            self.sign(&servers, generation);
        }
    }

    /// The servers that have to note what is written, among others, and the number of fences; none where the
    /// guest is alone.
    fn servers(&mut self) -> Result<Option<(Vec<Server>, u64)>, Stop> {
        let Some(guest) = &self.guest else { return Ok(None) };
        if !SERVERS {
            return Err(Problem::unavailable("this build of leafid knows of no servers").into());
        }
        let Answer::Servers(servers) = self.rows.list(Want::Servers)? else { return Ok(None) };
        if guest.is_alone(&servers) {
            return Ok(None);
        }
        match self.rows.list(Want::Fenced)? {
            Answer::Fenced(fenced) => Ok(Some((servers, fenced.row.generation))),
            _ => Ok(None),
        }
    }

    fn sign(&mut self, servers: &[Server], generation: u64) {
        let lines = if SERVERS { self.rows.lines() } else { Vec::new() };
        let writes = !lines.is_empty() || !self.rows.groups().groups.is_empty();
        let Some(guest) = self.guest.as_ref().filter(|_| writes && SERVERS) else { return };
        let record = guest.sign(servers, generation, lines);
        let beat = record.after.as_ref().map(|after| after.beat);
        self.signed = beat.map(|beat| (record, Waits { beat, generation }));
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use leafid_core::registry::Namespace;
    use leafid_core::{AcquireAsk, Layout, Name};
    use leafid_wire::Fields as _;

    use super::*;
    use crate::row::NamespaceRow;
    use crate::sql::columns::{Params, Value};
    use crate::windows;

    const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

    struct Row(Vec<(&'static str, Value<'static>)>);

    impl Source for Row {
        fn columns(&self) -> usize {
            self.0.len()
        }

        fn name(&self, column: usize) -> Option<&str> {
            self.0.get(column).map(|(name, _)| *name)
        }

        fn value(&self, column: usize) -> Option<Value<'_>> {
            self.0.get(column).map(|(_, value)| value.clone())
        }
    }

    fn acquire(guest: Option<Guest>) -> Alone<u32> {
        let (name, owner) = (Name::namespace("default").unwrap(), Name::owner("me").unwrap());
        let ask = AcquireAsk::new(name, Token::new([2; 16]), owner);
        let decide = move |turn: &mut TurnRows| windows::acquire(turn, &ask).map(|got| got.worker);
        Alone::new(false, Token::new([1; 16]), NOW, guest, Box::new(decide))
    }

    /// A namespace of 2,048 numbers whose row says that none has a row.
    fn namespace() -> Row {
        let layout = Layout::new(0, 1, 41, 11, 11).unwrap();
        let row = NamespaceRow {
            namespace: Namespace::create(layout, None, None).unwrap(),
            used_until: 0,
        };
        let mut params = Params::default();
        row.put(&mut params);
        let columns = [
            "epoch_ms",
            "tick_ms",
            "time_bits",
            "worker_bits",
            "sequence_bits",
            "max_window_ms",
            "workers_start",
            "workers_end",
            "floor",
            "used_until",
        ];
        Row(columns.map(|name| (name, params.get(name).unwrap().clone())).to_vec())
    }

    /// Whether it reads with this text.
    fn wanted(alone: &Alone<u32>, text: &'static str) -> bool {
        alone.reads().iter().any(|query| query.text == text)
    }

    #[test]
    fn numbers_without_rows_are_looked_for_until_one_is_found() {
        let mut alone = acquire(None);
        assert!(wanted(&alone, "namespace") && alone.steps().is_empty());
        alone.learn(&[vec![namespace()]]);
        while !wanted(&alone, "unused") {
            let nothing = alone.reads().iter().map(|_| Vec::<Row>::new()).collect::<Vec<_>>();
            alone.learn(&nothing);
        }
        let used = |numbers: core::ops::Range<i64>| -> Vec<Row> {
            numbers.map(|number| Row(vec![("worker", Value::Int(number))])).collect()
        };
        alone.learn(&[used(0..1_000)]);
        assert_eq!(alone.reads()[0].params.get("from"), Some(&Value::Int(1_000)));
        alone.learn(&[used(1_000..1_007)]);
        assert!(alone.reads().is_empty());
        let steps = alone.steps();
        assert_eq!((steps.len(), alone.answer()), (2, Ok(1_007)), "the namespace and the number");
    }

    #[test]
    fn a_row_that_nothing_of_ours_wrote_is_a_refusal_that_names_it() {
        let mut alone = acquire(None);
        let mut odd = namespace();
        odd.0.last_mut().unwrap().1 = Value::Int(-5);
        alone.learn(&[vec![odd]]);
        assert!(alone.reads().is_empty() && alone.steps().is_empty());
        let problem = alone.answer().unwrap_err();
        assert_eq!(problem.code, leafid_core::Code::SchemaMismatch);
        assert!(problem.detail.contains("`used_until` is `-5`"), "{problem}");
    }
    /// Answers each read with these rows of the text `servers`, a fence, and the namespace.
    fn decided(servers: &[(&'static str, &'static str)]) -> Alone<u32> {
        let guest = Guest { id: Token::new([9; 16]), salt: 7, name: "host/1".into() };
        let mut alone = acquire(Some(guest));
        while !alone.reads().is_empty() {
            let rows = |text| match text {
                "servers" => servers.iter().map(server).collect(),
                "fenced" => vec![Row(["generation", "fenced_ms", "floor_ms"]
                    .map(|n| (n, Value::Int(3)))
                    .to_vec())],
                "namespace" => vec![namespace()],
                _ => vec![],
            };
            let found: Vec<_> = alone.reads().iter().map(|query| rows(query.text)).collect();
            alone.learn(&found);
        }
        alone
    }

    fn server((beat, record): &(&'static str, &'static str)) -> Row {
        Row(vec![
            ("server", Value::Token(Token::new([1; 16]))),
            ("beat", Value::Text((*beat).into())),
            ("record", Value::Text((*record).into())),
        ])
    }

    #[test]
    fn a_guest_adds_its_record_where_a_server_has_to_note_what_it_writes() {
        let added = |alone: &Alone<u32>| -> Vec<_> {
            alone.steps().iter().map(|step| step.query().text).collect()
        };
        for alone in [decided(&[]), decided(&[("1.0.1", "stopped\nname a\n")])] {
            assert!(!added(&alone).contains(&"server_add") && alone.waits().is_none());
            assert_eq!(alone.answer(), Ok(0));
        }
        let alone = decided(&[("1.0.1", "name a\n")]);
        let steps = alone.steps();
        let record = steps.last().unwrap().query();
        assert_eq!(record.text, "server_add");
        let said = format!("{:?}", record.params.get("record").unwrap());
        assert!(said.contains("worker 0 ") && said.contains("waits 1.00000007.1"), "{said}");
        assert_eq!(alone.waits().map(|waits| waits.generation), Some(3));
        assert_eq!(alone.answer(), Ok(0));
        let odd = decided(&[("x", "name a\n")]);
        assert!(odd.steps().is_empty() && odd.answer().is_err(), "nobody knows who has to note it");
    }
}
