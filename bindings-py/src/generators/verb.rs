//! The verbs of a generator that may have to wait.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Next,
    Take(u64),
    Fill(u64),
    Ready(u64),
    Release,
    Close,
    /// Gives the generator itself, without a wait.
    Itself,
}

impl Verb {
    /// The number of IDs that the verb wants.
    pub fn count(self) -> u64 {
        match self {
            Verb::Take(count) | Verb::Fill(count) | Verb::Ready(count) => count,
            Verb::Next | Verb::Release | Verb::Close | Verb::Itself => 1,
        }
    }

    /// The end of the message that names the awaited call to use in an event loop.
    pub fn instead(self) -> String {
        let (now, right) = match self {
            Verb::Take(n) => (format!("take({n})"), format!("await ids.atake({n})")),
            Verb::Fill(n) => ("fill".to_owned(), format!("await ids.aready({n})` before `fill")),
            Verb::Ready(n) => (format!("ready({n})"), format!("await ids.aready({n})")),
            _ => ("next()".to_owned(), "await ids.anext()".to_owned()),
        };
        format!(
            "and `{now}` would stop the event loop of this thread until there is: use `{right}`"
        )
    }
}
