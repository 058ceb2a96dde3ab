//! The databases that a store can lie in, each as the tests start it.

use leafid_servers::{Etcd, Mariadb, Postgres, Server, Zookeeper};

use crate::Outcome;

/// What `--store` takes, and the database behind it.
const KINDS: [Kind; 5] = [
    Kind { word: "sqlite", missing: || None, start: None },
    Kind::of::<Postgres>("postgres"),
    Kind::of::<Mariadb>("mysql"),
    Kind::of::<Etcd>("etcd"),
    Kind::of::<Zookeeper>("zookeeper"),
];

/// A database that `--store` names.
#[derive(Clone, Copy)]
pub struct Kind {
    word: &'static str,
    /// A program that is not installed, and the package that has it.
    missing: fn() -> Option<(String, &'static str)>,
    start: Option<fn() -> Outcome<Database>>,
}

impl Kind {
    const fn of<S: Server + 'static>(word: &'static str) -> Kind {
        Kind {
            word,
            missing: || S::missing().map(|program| (program, S::PACKAGE)),
            start: Some(Database::start::<S>),
        }
    }

    /// The one that is called so, with all that it needs.
    ///
    /// # Errors
    /// None is, or a program of it is not installed.
    pub fn named(word: &str) -> Outcome<Kind> {
        let Some(kind) = KINDS.iter().find(|kind| kind.word == word) else {
            let words = KINDS.map(|kind| kind.word).join(", ");
            return Err(format!("`--store` takes one of {words}, not `{word}`"));
        };
        match (kind.missing)() {
            None => Ok(*kind),
            Some((program, package)) => Err(lacks(word, &program, package)),
        }
    }

    /// Whether the store keeps it in a file of its own.
    pub fn is_embedded(&self) -> bool {
        self.start.is_none()
    }

    /// Starts it; `None` where the store is a file.
    ///
    /// # Errors
    /// What it said when it did not start.
    pub fn start(&self) -> Outcome<Option<Database>> {
        self.start.map(|start| start()).transpose()
    }
}

fn lacks(word: &str, program: &str, package: &str) -> String {
    format!(
        "there is no `{program}` here, and `--store {word}` needs it: install it with \
         `cargo xtask setup-ci`, or `apt-get install {package}`"
    )
}

/// A database of this run's own. It ends with its value.
pub struct Database {
    /// What it is called.
    pub name: &'static str,
    /// What the server is given as its store.
    pub url: String,
    stop: Box<dyn FnOnce() -> Outcome>,
}

impl Database {
    fn start<S: Server + 'static>() -> Outcome<Database> {
        let mut server =
            S::start_with(&[]).map_err(|said| format!("{} does not start: {said}", S::NAME))?;
        let url = server.url();
        Ok(Database { name: S::NAME, url, stop: Box::new(move || server.stop()) })
    }

    /// Ends it in order.
    ///
    /// # Errors
    /// It did not end, and was killed.
    pub fn stop(self) -> Outcome {
        (self.stop)().map_err(|said| format!("{}: {said}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Kind, lacks};

    #[test]
    fn an_unknown_store_is_refused_with_the_words_that_are_known() {
        let refused = Kind::named("oracle").err().unwrap_or_default();
        let words = "sqlite, postgres, mysql, etcd, zookeeper";
        assert!(refused.contains("`oracle`") && refused.contains(words), "{refused}");
    }

    #[test]
    fn a_program_that_is_missing_is_named_with_the_command_that_installs_it() {
        let told = lacks("postgres", "initdb", "postgresql");
        assert!(told.contains("`initdb`") && told.contains("apt-get install postgresql"), "{told}");
    }

    #[test]
    fn what_is_installed_starts_under_its_own_name_and_ends() {
        for kind in KINDS.iter().filter(|kind| (kind.missing)().is_none()) {
            let Some(database) = kind.start().expect("it starts") else {
                assert_eq!(kind.word, "sqlite");
                continue;
            };
            let scheme = if kind.word == "zookeeper" { "zk" } else { kind.word };
            assert!(database.url.starts_with(&format!("{scheme}://")), "{}", database.url);
            database.stop().expect("it ends");
        }
    }
}
