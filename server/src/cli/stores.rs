//! The stores of `leafid serve`: one for everything, or one for tags and another for worker numbers.

use std::sync::Arc;

use clap::Args;
use leafid_core::{Code, Token};
use leafid_store::backends::opening::Options;
use leafid_store::backends::sqlite::file::create;
use leafid_store::opening::database::Database;
use leafid_store::problem::Problem;
use leafid_store::store::SharedStore;
use leafid_store::store::parted::{Kept, Stores};

use super::args::token;
use super::database::How;
use super::named::{DEFAULT_FILE, VARIABLE, file, open, path};
use super::opened::opened;
use super::{database, leaf};

#[derive(Args, Debug)]
pub struct Named {
    /// The store: `sqlite:PATH`, a plain path, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
    /// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, `etcd://HOST:PORT,HOST:PORT/PREFIX` or
    /// `zk://HOST:PORT,HOST:PORT/PATH`
    /// [default: sqlite:./leafid.db]
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", hide_env_values = true)]
    store: Option<String>,
    /// A store for tags alone; worker numbers are kept in that of --workers, or of --store
    #[arg(long, env = "LEAFID_TAGS", value_name = "STORE", hide_env_values = true)]
    tags: Option<String>,
    /// A store for namespaces and worker numbers alone; tags are kept in that of --tags, or of
    /// --store
    #[arg(long, env = "LEAFID_WORKERS", value_name = "STORE", hide_env_values = true)]
    workers: Option<String>,
    /// Refuses to serve any store but the one with this id; of two stores: tags=ID, workers=ID, or
    /// both, with a comma or the option twice
    #[arg(long, env = "LEAFID_EXPECT_STORE", value_name = "ID", value_parser = expected,
          value_delimiter = ',', conflicts_with = "create")]
    expect_store: Vec<Expected>,
}

/// The id that a store is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    /// Which of two stores.
    kept: Option<Kept>,
    id: Token,
}

/// `ID`, `tags=ID` or `workers=ID`.
fn expected(text: &str) -> Result<Expected, String> {
    let (kept, id) = match text.split_once('=') {
        None => (None, text),
        Some(("tags", id)) => (Some(Kept::Tags), id),
        Some(("workers", id)) => (Some(Kept::Workers), id),
        Some(_) => return Err("use ID, tags=ID or workers=ID".to_owned()),
    };
    Ok(Expected { kept, id: token(id)? })
}

/// The names of the stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names<'n> {
    One(&'n str),
    Parted { tags: &'n str, workers: &'n str },
}

/// What was opened.
pub struct Opened {
    /// All of them.
    pub stores: Stores,
    /// The one that keeps the worker numbers.
    pub workers: SharedStore,
    /// The tags are in Leaf's own table.
    pub leafs: bool,
}

impl Named {
    /// Opens what is named; Leaf's own settings may name a store as well.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where the names do not say which store keeps what; else as the stores say.
    pub fn open(&self, leaf: &leaf::Settings, how: &How) -> Result<Opened, Problem> {
        let store = given(self.store.as_deref(), VARIABLE);
        let tags = given(self.tags.as_deref(), "LEAFID_TAGS");
        let workers = given(self.workers.as_deref(), "LEAFID_WORKERS");
        let names = names(leaf.store(store, tags)?, tags, workers)?;
        check(&self.expect_store, names)?;
        Ok(match names {
            Names::One(named) => {
                let store = self.open_one(named, None, how)?;
                let stores = Stores::one(Arc::clone(&store));
                Opened { stores, workers: store, leafs: Database::is_leafs(named) }
            }
            Names::Parted { tags, workers } => {
                let of_tags = self.open_one(tags, Some(Kept::Tags), how)?;
                let of_workers = self.open_one(workers, Some(Kept::Workers), how)?;
                let stores = Stores::parted(of_tags, Arc::clone(&of_workers));
                Opened { stores, workers: of_workers, leafs: Database::is_leafs(tags) }
            }
        })
    }

    fn open_one(&self, named: &str, kept: Option<Kept>, how: &How) -> Result<SharedStore, Problem> {
        let expected = self.expect_store.iter().find(|expected| expected.kept == kept);
        let options = Options { expect: expected.map(|expected| expected.id), ..how.options };
        let by = format!("leafid serve --{}", kept.map_or("store", Kept::name));
        let store = match database::serve(named, options, how, kept) {
            Some(store) => store,
            None => file(named, &by).and_then(|file| {
                let made = |options| Ok(open(&file, options)?);
                let store = how.keep.open(&create::place(&file), options, made)?;
                how.keep.begin(&store)?;
                opened(&store, kept);
                Ok(Arc::new(store) as SharedStore)
            }),
        };
        store.map_err(|problem| match kept {
            Some(kept) => {
                let detail = format!("{}: {}", kept.words(), problem.detail);
                Problem { detail, ..problem }
            }
            None => problem,
        })
    }
}

/// What an option or its variable names: a variable that is there and empty names nothing.
fn given<'n>(named: Option<&'n str>, variable: &str) -> Option<&'n str> {
    let is_empty = || std::env::var(variable).is_ok_and(|value| value.is_empty());
    named.filter(|named| !(named.is_empty() && is_empty()))
}

/// Which store keeps what.
fn names<'n>(
    store: Option<&'n str>,
    tags: Option<&'n str>,
    workers: Option<&'n str>,
) -> Result<Names<'n>, Problem> {
    let (tags, workers) = match (tags.or(store), workers.or(store)) {
        _ if tags.is_none() && workers.is_none() => {
            return Ok(Names::One(store.unwrap_or(DEFAULT_FILE)));
        }
        (Some(_), Some(_)) if tags.and(workers).and(store).is_some() => {
            return Err(invalid(
                "three stores are named, --tags, --workers and --store (or LEAFID_STORE), and the \
                 third would keep nothing; leave out --store",
            ));
        }
        (Some(tags), Some(workers)) => (tags, workers),
        (Some(_), None) => {
            return Err(invalid(
                "--tags names a store for tags, and no store is named for worker numbers; name it \
                 with --workers, or with --store",
            ));
        }
        (None, _) => {
            return Err(invalid(
                "--workers names a store for worker numbers, and no store is named for tags; name \
                 it with --tags, or with --store",
            ));
        }
    };
    Ok(if same(tags, workers) { Names::One(tags) } else { Names::Parted { tags, workers } })
}

/// Whether two names are spelt for one store. Whether they lead to one is seen when both are open.
fn same(one: &str, other: &str) -> bool {
    let in_file = |named: &str| Database::parse(named).is_none().then(|| path(named).ok())?;
    one == other || in_file(one).is_some_and(|file| in_file(other) == Some(file))
}

/// Whether each id is expected of one store, and once.
fn check(expected: &[Expected], names: Names) -> Result<(), Problem> {
    let is_one = matches!(names, Names::One(_));
    for (at, one) in expected.iter().enumerate() {
        if is_one && one.kept.is_some() {
            return Err(invalid("there is one store; write: --expect-store ID"));
        }
        if !is_one && one.kept.is_none() {
            return Err(invalid(
                "there are two stores; write which of them has the id: --expect-store tags=ID or \
                 --expect-store workers=ID",
            ));
        }
        if expected.iter().take(at).any(|before| before.kept == one.kept) {
            return Err(invalid(
                "--expect-store names two ids for one store; leave out the wrong one",
            ));
        }
    }
    Ok(())
}

fn invalid(detail: &str) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_store() {
        let (pg, zk) = (Some("postgres://h/d"), Some("zk://h/p"));
        let parted = |tags, workers| Ok(Names::Parted { tags, workers });
        assert_eq!(names(None, None, None), Ok(Names::One(DEFAULT_FILE)));
        assert_eq!(names(pg, None, None), Ok(Names::One("postgres://h/d")));
        assert_eq!(names(None, pg, zk), parted("postgres://h/d", "zk://h/p"));
        assert_eq!(names(pg, None, zk), parted("postgres://h/d", "zk://h/p"));
        assert_eq!(names(pg, zk, None), parted("zk://h/p", "postgres://h/d"));
        // One store, however often it is named, and however its file is spelt.
        assert_eq!(names(None, pg, pg), Ok(Names::One("postgres://h/d")));
        assert_eq!(names(pg, pg, None), Ok(Names::One("postgres://h/d")));
        assert_eq!(names(None, Some("sqlite:a.db"), Some("a.db")), Ok(Names::One("sqlite:a.db")));
        assert_eq!(names(None, Some("a.db"), Some("b.db")), parted("a.db", "b.db"));
        for (store, tags, workers, says) in [
            (None, pg, None, "for worker numbers; name it with --workers, or with --store"),
            (None, None, zk, "for tags; name it with --tags, or with --store"),
            (Some("a.db"), pg, zk, "leave out --store"),
        ] {
            let refused = names(store, tags, workers).unwrap_err();
            assert_eq!(refused.code, Code::RequestInvalid);
            assert!(refused.detail.contains(says), "{says}: {refused}");
        }
    }

    #[test]
    fn an_id_is_expected_of_one_store() {
        let id = "00112233445566778899aabbccddeeff";
        let read = |text: &str| expected(&text.replace("ID", id)).unwrap();
        let (any, tags, workers) = (read("ID"), read("tags=ID"), read("workers=ID"));
        assert_eq!((tags.kept, workers.kept), (Some(Kept::Tags), Some(Kept::Workers)));
        assert!(expected("7").unwrap_err().contains("32 hex digits"));
        assert!(expected(&format!("leaf={id}")).unwrap_err().contains("workers=ID"));
        let one = Names::One("a.db");
        let two = Names::Parted { tags: "a.db", workers: "b.db" };
        assert_eq!(check(&[any], one), Ok(()));
        assert_eq!(check(&[tags, workers], two), Ok(()));
        assert_eq!(check(&[workers], two), Ok(()));
        for (expected, names, says) in [
            (&[any, any][..], one, "two ids for one store"),
            (&[tags], one, "there is one store"),
            (&[any], two, "there are two stores"),
            (&[tags, tags], two, "two ids for one store"),
        ] {
            let refused = check(expected, names).unwrap_err();
            assert!(refused.detail.contains(says), "{says}: {refused}");
        }
    }
}
