//! The text of `/metrics`: Prometheus' format, or OpenMetrics on request. They differ in the name by which
//! a counter is declared, and in the last line.

use std::fmt::Write;

use leafid_store::meter::histogram::Reading;

/// The metric families: name, type, help.
const FAMILIES: &str = "
leafid_build_info gauge Always 1; the labels say what is running.
leafid_store_up gauge 1 where the store grants, 0 where it does not.
leafid_store_state gauge 1 for the state that the store is in; in `degraded` a tag is stopped, in `refused` an operator has to look.
leafid_store_info gauge Always 1; the labels say which store it is, and where it lies.
leafid_store_lines_went_back gauge Tags that are stopped: a holder has shown more of them than the store ever granted.
leafid_fence_generation gauge How often the store was fenced, as far as this server knows.
leafid_servers gauge Servers of the store that keep a journal, this one included.
leafid_servers_waited_for gauge Servers that have written nothing for 2 s and whose ack this one waits for.
leafid_journal_up gauge 1 where the fence's journal is written, 0 where that failed last; absent without one.
leafid_journal_since_seconds gauge Since when there is a journal, in seconds since 1970; 0 without one.
leafid_journal_apart gauge 1 where the journal lies on another disk than the store; absent without one.
leafid_queue_length gauge Requests that wait for the store, by line: for their first try, or `again`.
leafid_queue_wait_seconds histogram How long requests waited for the store, in seconds.
leafid_ack_wait_seconds histogram How long requests waited for the acks of the other servers, in seconds; its count is how many did.
leafid_backend_duration_seconds histogram How long the database took to begin a turn, to read, to write and make durable.
leafid_turn_requests histogram How many requests were decided and written together.
leafid_conflicts_total counter Requests whose rows another server wrote first, and that were tried again.
leafid_abandoned_total counter Requests whose caller was gone when their turn came.
leafid_late_total counter Requests that waited longer than callers do, and were refused.
leafid_http_requests_total counter Requests that were answered, by route and by the class of the status.
leafid_http_request_duration_seconds histogram From a request that was read to its answer, in seconds.
leafid_http_problems_total counter Requests that were refused or failed, by code.
leafid_leases_total counter Asks for numbers of a tag, by how they ended.
leafid_leased_ids_total counter Numbers of a tag that were leased.
leafid_leases_from_memory_total counter Leases of numbers that were reserved before, which wait for nobody.
leafid_acquires_total counter Asks for a worker number, by how they ended.
leafid_renewals_total counter Asks for a later end of a window, by how they ended.
leafid_releases_total counter Windows that holders gave back, by how that ended.
leafid_single_ids_total counter IDs that this server handed out one by one, of a `segment` or a `snowflake`.
leafid_single_waits_total counter Requests for single IDs that had to wait for a grant or for the clock.
leafid_single_ids_in_hand gauge IDs that can be handed out one by one without the store; of 200 names at most.
leafid_tags_seen gauge Tags that were looked at, 1000 at most.
leafid_tag_position gauge The next number of a tag that was never leased.
leafid_tag_remaining_ids gauge How many numbers a tag has left, up to its `until` or to 2^63 - 1.
leafid_tag_step_ids gauge How many numbers a lease of a tag has.
leafid_tag_exhaustion_seconds gauge Until a tag has no numbers left, at the rate of the last quarter of an hour.
leafid_worker_numbers gauge Worker numbers of a namespace's range, by state.
leafid_worker_exhaustion_seconds gauge Until all worker numbers are in use, at the rate of the last quarter of an hour.
leafid_layout_exhaustion_seconds gauge Until the time bits of a namespace's layout are used up.
process_resident_memory_bytes gauge Resident memory, in bytes.
process_open_fds gauge Open files and sockets.
process_max_fds gauge How many files and sockets may be open.
process_threads gauge Threads.
process_cpu_seconds_total counter Time on processors, in seconds.
process_start_time_seconds gauge When the process started, in seconds since 1970.
";

/// Whether an `Accept` header asks for OpenMetrics: it names it.
pub fn names_openmetrics(accept: &str) -> bool {
    accept.split(',').any(|kind| kind.trim().starts_with("application/openmetrics-text"))
}

pub type Labels<'l> = &'l [(&'static str, &'l str)];

#[derive(Debug)]
pub struct Exposition {
    /// Whether it is OpenMetrics.
    open: bool,
    /// The family that samples are written of.
    name: &'static str,
    text: String,
}

impl Exposition {
    pub fn new(open: bool) -> Exposition {
        Exposition { open, name: "", text: String::with_capacity(32 * 1_024) }
    }

    /// Begins a family; its samples follow.
    pub fn family(&mut self, name: &'static str) -> &mut Exposition {
        let mut said =
            FAMILIES.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let (kind, help) = said.next().and_then(|said| said.split_once(' ')).unwrap_or_default();
        let short = name.strip_suffix("_total").filter(|_| self.open);
        let declared = short.unwrap_or(name);
        // Writing into a string never fails, here and below.
        let _ = writeln!(self.text, "# HELP {declared} {help}\n# TYPE {declared} {kind}");
        self.name = name;
        self
    }

    pub fn one(&mut self, name: &'static str, value: u64) {
        self.family(name).count(&[], value);
    }

    pub fn end(mut self) -> String {
        if self.open {
            self.text.push_str("# EOF\n");
        }
        self.text
    }

    pub fn count(&mut self, labels: Labels<'_>, value: u64) {
        self.sample("", labels, None, value);
    }

    pub fn value(&mut self, labels: Labels<'_>, value: f64) {
        match value {
            f64::INFINITY => self.sample("", labels, None, "+Inf"),
            value => self.sample("", labels, None, value),
        }
    }

    /// A histogram; `scale` converts its unit into the metric's.
    pub fn reading(&mut self, labels: Labels<'_>, reading: &Reading, scale: f64) {
        for (at, below) in reading.below.iter().enumerate() {
            let bound = match reading.bounds.get(at) {
                Some(bound) => (*bound as f64 / scale).to_string(),
                None => "+Inf".to_owned(),
            };
            self.sample("_bucket", labels, Some(&bound), below);
        }
        self.sample("_sum", labels, None, reading.sum as f64 / scale);
        self.sample("_count", labels, None, reading.below.last().copied().unwrap_or(0));
    }

    fn sample(
        &mut self,
        end: &str,
        labels: Labels<'_>,
        bound: Option<&str>,
        value: impl std::fmt::Display,
    ) {
        let (name, text) = (self.name, &mut self.text);
        let _ = write!(text, "{name}{end}");
        let bound = bound.map(|bound| ("le", bound));
        for (at, (label, value)) in labels.iter().copied().chain(bound).enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(text, "{}{label}=\"{value}\"", if at == 0 { '{' } else { ',' });
        }
        if !labels.is_empty() || bound.is_some() {
            text.push('}');
        }
        let _ = writeln!(text, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use leafid_store::meter::histogram::Histogram;

    use super::*;

    fn text(open: bool) -> String {
        let mut all = Exposition::new(open);
        let labels = [("tag", "a\"b\\c\nd"), ("outcome", "granted")];
        all.family("leafid_leases_total").count(&labels, 7);
        all.family("process_threads").value(&[], 1.5);
        all.value(&[("tag", "never")], f64::INFINITY);
        let sizes = Histogram::sizes();
        sizes.note(3);
        all.family("leafid_turn_requests").reading(&[("a", "b")], &sizes.read(), 1.0);
        all.end()
    }

    #[test]
    fn both_formats_are_as_their_pages_say() {
        let prometheus = text(false);
        let begins = "# HELP leafid_leases_total Asks for numbers of a tag, by how they ended.\n\
                      # TYPE leafid_leases_total counter\n\
                      leafid_leases_total{tag=\"a\\\"b\\\\c\\nd\",outcome=\"granted\"} 7\n\
                      # HELP process_threads Threads.\n# TYPE process_threads gauge\n\
                      process_threads 1.5\nprocess_threads{tag=\"never\"} +Inf\n";
        assert!(prometheus.starts_with(begins), "{prometheus}");
        let histogram = "# TYPE leafid_turn_requests histogram\n\
                         leafid_turn_requests_bucket{a=\"b\",le=\"1\"} 0\n\
                         leafid_turn_requests_bucket{a=\"b\",le=\"2\"} 0\n\
                         leafid_turn_requests_bucket{a=\"b\",le=\"4\"} 1\n";
        assert!(prometheus.contains(histogram), "{prometheus}");
        let ends = "leafid_turn_requests_bucket{a=\"b\",le=\"+Inf\"} 1\n\
                    leafid_turn_requests_sum{a=\"b\"} 3\nleafid_turn_requests_count{a=\"b\"} 1\n";
        assert!(prometheus.ends_with(ends), "{prometheus}");
        let open = text(true);
        assert!(open.contains("\n# TYPE leafid_leases counter\nleafid_leases_total{"), "{open}");
        assert!(open.ends_with("# EOF\n"), "{open}");
    }

    #[test]
    fn who_names_openmetrics_gets_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5";
        assert!(names_openmetrics(prometheus));
        for plain in ["", "*/*", "text/plain;version=0.0.4"] {
            assert!(!names_openmetrics(plain), "{plain}");
        }
    }
}
