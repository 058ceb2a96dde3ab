//! The text of `/metrics`: Prometheus' own format, and OpenMetrics for who asks for it. They differ in
//! the name that a counter is declared by, and in the last line.

use std::fmt::Write;

use leafid_store::meter::histogram::Reading;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `text/plain; version=0.0.4`.
    Prometheus,
    /// `application/openmetrics-text; version=1.0.0`.
    OpenMetrics,
}

impl Format {
    /// What an `Accept` asks for: OpenMetrics where it is named.
    pub fn asked(accept: Option<&str>) -> Format {
        let named = |kind: &str| kind.trim().starts_with("application/openmetrics-text");
        match accept.is_some_and(|accept| accept.split(',').any(named)) {
            true => Format::OpenMetrics,
            false => Format::Prometheus,
        }
    }

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Labels of a sample, by name.
pub type Labels<'l> = &'l [(&'static str, &'l str)];

/// A text that is written, family by family.
#[derive(Debug)]
pub struct Exposition {
    format: Format,
    text: String,
}

/// A family that is written, sample by sample.
#[derive(Debug)]
pub struct Family<'e> {
    name: &'static str,
    text: &'e mut String,
}

impl Exposition {
    /// An empty one.
    pub fn new(format: Format) -> Exposition {
        Exposition { format, text: String::with_capacity(32 * 1_024) }
    }

    /// A family whose values only grow; its name ends with `_total`.
    pub fn counter(&mut self, name: &'static str, help: &str) -> Family<'_> {
        let declared = match self.format {
            Format::Prometheus => name,
            Format::OpenMetrics => name.strip_suffix("_total").unwrap_or(name),
        };
        self.family(name, declared, "counter", help)
    }

    /// A family whose values go up and down.
    pub fn gauge(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, name, "gauge", help)
    }

    /// A family of histograms.
    pub fn histogram(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, name, "histogram", help)
    }

    fn family(&mut self, name: &'static str, declared: &str, kind: &str, help: &str) -> Family<'_> {
        // Writing into a text fails for nothing, here and below.
        let _ = writeln!(self.text, "# HELP {declared} {help}\n# TYPE {declared} {kind}");
        Family { name, text: &mut self.text }
    }

    /// The whole text.
    pub fn end(mut self) -> String {
        if self.format == Format::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }
}

impl Family<'_> {
    /// A whole number.
    pub fn count(&mut self, labels: Labels<'_>, value: u64) {
        self.sample("", labels, None, value);
    }

    /// Any number; where there is none, no sample.
    pub fn value(&mut self, labels: Labels<'_>, value: Option<f64>) {
        match value {
            Some(f64::INFINITY) => self.sample("", labels, None, "+Inf"),
            Some(value) => self.sample("", labels, None, value),
            None => {}
        }
    }

    /// A histogram whose unit is `scale` times the one of the metric.
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
        let (name, text) = (self.name, &mut *self.text);
        let _ = write!(text, "{name}{end}");
        let bound = bound.map(|bound| ("le", bound));
        for (at, (label, value)) in labels.iter().copied().chain(bound).enumerate() {
            let _ = write!(text, "{}{label}=\"", if at == 0 { '{' } else { ',' });
            for c in value.chars() {
                match c {
                    '\\' => text.push_str("\\\\"),
                    '"' => text.push_str("\\\""),
                    '\n' => text.push_str("\\n"),
                    c => text.push(c),
                }
            }
            text.push('"');
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

    fn text(format: Format) -> String {
        let mut all = Exposition::new(format);
        let mut leases = all.counter("x_leases_total", "Leases.");
        leases.count(&[("tag", "a\"b\\c\nd"), ("outcome", "granted")], 7);
        let mut left = all.gauge("x_left_seconds", "Seconds.");
        left.value(&[], Some(1.5));
        left.value(&[("tag", "never")], Some(f64::INFINITY));
        left.value(&[("tag", "unknown")], None);
        let sizes = Histogram::sizes();
        sizes.note(3);
        all.histogram("x_size", "Sizes.").reading(&[("a", "b")], &sizes.read(), 1.0);
        all.end()
    }

    #[test]
    fn both_formats_are_as_their_pages_say() {
        let prometheus = text(Format::Prometheus);
        let begins = "# HELP x_leases_total Leases.\n# TYPE x_leases_total counter\n\
                      x_leases_total{tag=\"a\\\"b\\\\c\\nd\",outcome=\"granted\"} 7\n\
                      # HELP x_left_seconds Seconds.\n# TYPE x_left_seconds gauge\n\
                      x_left_seconds 1.5\nx_left_seconds{tag=\"never\"} +Inf\n\
                      # HELP x_size Sizes.\n# TYPE x_size histogram\n\
                      x_size_bucket{a=\"b\",le=\"1\"} 0\nx_size_bucket{a=\"b\",le=\"2\"} 0\n\
                      x_size_bucket{a=\"b\",le=\"4\"} 1\n";
        assert!(prometheus.starts_with(begins), "{prometheus}");
        let ends = "x_size_bucket{a=\"b\",le=\"+Inf\"} 1\nx_size_sum{a=\"b\"} 3\n\
                    x_size_count{a=\"b\"} 1\n";
        assert!(prometheus.ends_with(ends), "{prometheus}");
        let open = text(Format::OpenMetrics);
        assert!(
            open.starts_with("# HELP x_leases Leases.\n# TYPE x_leases counter\nx_leases_total{")
        );
        assert!(open.ends_with("# EOF\n"), "{open}");
    }

    #[test]
    fn who_names_openmetrics_gets_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5";
        assert_eq!(Format::asked(Some(prometheus)), Format::OpenMetrics);
        for plain in [None, Some("*/*"), Some("text/plain;version=0.0.4")] {
            assert_eq!(Format::asked(plain), Format::Prometheus);
        }
    }
}
