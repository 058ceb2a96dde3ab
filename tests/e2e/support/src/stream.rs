//! Hosts side by side on one tag and one namespace, with every line of their output checked.

use std::io;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::checker::Checker;
use crate::child::Child;
use crate::line::{Kind, Line, Refused, Stats};

/// How often a condition is checked while all hosts are silent: it may not depend on their lines.
const LOOK: Duration = Duration::from_millis(20);
/// How long a host may take to end after its standard output has ended.
const END: Duration = Duration::from_secs(60);

/// Running and ended hosts, and the check over all of them.
pub struct Stream {
    pub checker: Checker,
    hosts: Vec<Host>,
    sender: Sender<Heard>,
    heard: Receiver<Heard>,
}

/// One process of a host program, and its output.
pub struct Host {
    pub name: String,
    pub segment: Told,
    pub snowflake: Told,
    /// Whether it reported that it closed both generators.
    pub closed: bool,
    /// Whether its standard output has ended, with every line checked.
    pub ended: bool,
    pub faults: Vec<String>,
    killed: bool,
    child: Child,
}

/// The reports of one generator of a host so far.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub ids: u64,
    pub last: Option<u64>,
    /// The generator's own counters in its last report.
    pub stats: Stats,
    /// The first refusal, and how many there were.
    pub refused: Option<Refused>,
    pub refusals: u64,
}

struct Heard {
    host: usize,
    line: Option<String>,
}

impl Default for Stream {
    fn default() -> Stream {
        let (sender, heard) = channel();
        Stream { checker: Checker::default(), hosts: Vec::new(), sender, heard }
    }
}

impl Stream {
    /// Starts a host; gives its index.
    pub fn start(&mut self, name: &str, command: Command) -> io::Result<usize> {
        let host = self.checker.holder();
        let sender = self.sender.clone();
        let child = Child::start(name, command, move |line| {
            // An error means that the stream was dropped, and the host with it.
            let _ = sender.send(Heard { host, line });
        })?;
        self.hosts.push(Host {
            name: name.to_owned(),
            segment: Told::default(),
            snowflake: Told::default(),
            closed: false,
            ended: false,
            faults: Vec::new(),
            killed: false,
            child,
        });
        Ok(host)
    }

    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    pub fn host(&self, host: usize) -> &Host {
        &self.hosts[host]
    }

    /// Reads and checks lines until `until` holds; false if the time limit came first.
    pub fn pump(&mut self, limit: Duration, mut until: impl FnMut(&Stream) -> bool) -> bool {
        let deadline = Instant::now() + limit;
        while !until(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left.min(LOOK)) {
                Ok(heard) => self.take(heard),
                Err(RecvTimeoutError::Timeout) if left > LOOK => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Kills a host (`kill -9`); its earlier output is still checked.
    pub fn kill(&mut self, host: usize) {
        self.hosts[host].killed = true;
        self.hosts[host].child.kill();
        while let Ok(heard) = self.heard.try_recv() {
            self.take(heard);
        }
    }

    /// Ends every running host: each closes its generators.
    pub fn close(&mut self, limit: Duration) -> Result<(), String> {
        for host in &mut self.hosts {
            host.child.close_stdin();
        }
        self.pump(limit, |stream| stream.hosts.iter().all(|host| host.ended));
        let mut wrong = Vec::new();
        for host in &mut self.hosts {
            wrong.extend(host.settle().err());
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    /// The first fault of any host so far: a line that cannot be parsed, or an end without a request.
    pub fn fault(&mut self) -> Option<String> {
        self.hosts.iter_mut().find_map(|host| {
            if let Some(fault) = host.faults.first() {
                return Some(format!("{}: {fault}", host.name));
            }
            if !host.unasked_end() {
                return None;
            }
            // Until it has ended, its last output may be under way.
            let how = host.child.wait(END);
            let how = how.map_or_else(|error| error, |status| status.to_string());
            Some(format!("{} is gone: {how}\n{}", host.name, host.child.stderr()))
        })
    }

    /// The grants of all hosts, by their last reports.
    pub fn grants(&self) -> u64 {
        self.hosts.iter().map(|host| host.segment.stats.grants + host.snowflake.stats.grants).sum()
    }

    pub fn ids(&self) -> u64 {
        self.hosts.iter().map(Host::ids).sum()
    }

    fn take(&mut self, heard: Heard) {
        let host = &mut self.hosts[heard.host];
        let Some(text) = heard.line else {
            host.ended = true;
            return;
        };
        let taken = Line::parse(&text).and_then(|line| {
            host.note(&line);
            self.checker.take(heard.host, &line)
        });
        if let Err(fault) = taken {
            // The last line of a killed host may be incomplete.
            if !host.killed {
                host.faults.push(fault);
            }
        }
    }
}

impl Host {
    pub fn ids(&self) -> u64 {
        self.segment.ids + self.snowflake.ids
    }

    /// The first refusal of a call, if any.
    pub fn refused(&self) -> Option<&Refused> {
        self.segment.refused.as_ref().or(self.snowflake.refused.as_ref())
    }

    /// Whether it ended without closing its generators, and was not killed.
    pub fn unasked_end(&self) -> bool {
        self.ended && !self.closed && !self.killed
    }

    /// The last lines of its standard error.
    pub fn stderr(&self) -> String {
        self.child.stderr()
    }

    fn note(&mut self, line: &Line) {
        match line {
            Line::Numbers { start, end } => {
                self.segment.ids += end - start;
                self.segment.last = Some(end - 1);
            }
            Line::Snowflakes { last, count, .. } => {
                self.snowflake.ids += count;
                self.snowflake.last = Some(*last);
            }
            Line::Stats(kind, stats) => self.told(*kind).stats = *stats,
            Line::Error(kind, refused) => {
                let told = self.told(*kind);
                told.refusals += 1;
                told.refused.get_or_insert_with(|| refused.clone());
            }
            Line::Bye => self.closed = true,
            Line::Hello => {}
        }
    }

    fn told(&mut self, kind: Kind) -> &mut Told {
        match kind {
            Kind::Segment => &mut self.segment,
            Kind::Snowflake => &mut self.snowflake,
        }
    }

    fn settle(&mut self) -> Result<(), String> {
        if self.killed {
            return Ok(());
        }
        let status = self.child.wait(END)?;
        let said = self.child.stderr();
        if let Some(fault) = self.faults.first() {
            return Err(format!("{}: {fault}", self.name));
        }
        if !status.success() || !self.closed {
            let name = &self.name;
            return Err(format!("{name} did not close its generators: {status}\n{said}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Stream;
    use crate::child::shell;

    const LIMIT: Duration = Duration::from_secs(120);

    #[test]
    fn a_host_that_goes_by_itself_is_a_fault() {
        for (script, why) in [
            ("echo n 1 2; echo why >&2", "why"),
            ("echo oops; echo bye", "oops"),
            ("exit 1", "gone"),
        ] {
            let mut stream = Stream::default();
            stream.start("sh", shell(script)).expect("sh starts");
            assert!(stream.pump(LIMIT, |stream| stream.host(0).ended));
            assert!(stream.fault().is_some_and(|fault| fault.contains(why)), "{script}");
            assert!(stream.close(LIMIT).is_err());
        }
    }
}
