//! Every way in which an engine goes back to an earlier state, for real: two servers, each with a journal of
//! its own, clients that lease and acquire from both, and a look for numbers that were granted twice. Each way
//! has a control: servers without a journal grant numbers twice.
//!
//! One way of each engine under servers that live on, and its control, are tried for each change;
//! `LEAFID_BACK=20` tries all, in all forms, as `cargo xtask nightly --only back` does.

mod figures;
mod galera;
mod ways;

use std::path::Path;

use leafid_servers::{Mariadb, Server, for_test_with};
use tempfile::TempDir;

use crate::crash::prepare;
use crate::load::{Load, Verdict};
use crate::restored::serve;
use crate::support::{Serving, says, until};
use ways::{Place, Way};

/// How many grants are made before and after each step.
const GRANTS: usize = 200;

/// How often each figure is measured; `None` for a short trial.
fn rounds() -> Option<usize> {
    std::env::var("LEAFID_BACK").ok().map(|rounds| rounds.parse().expect("a number of rounds"))
}

/// What becomes of the two servers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Both run while the engine goes back.
    BothLive,
    /// One dies with its disk before, the other one runs.
    OneIsLost,
    /// Both stop before, and start after it with their journals.
    BothStart,
    /// The same without journals.
    NoJournals,
}

const FORMS: [Form; 4] = [Form::BothLive, Form::NoJournals, Form::OneIsLost, Form::BothStart];

/// Two servers and their journals.
struct Two {
    url: String,
    folders: Option<[TempDir; 2]>,
    servers: [Serving; 2],
}

impl Two {
    fn over(url: &str, journals: bool) -> Two {
        let folders = journals.then(|| [(); 2].map(|()| tempfile::tempdir().expect("a folder")));
        let start = |at: usize| serve(url, folders.as_ref().map(|all| all[at].path()));
        let servers = [start(0), start(1)];
        for serving in &servers {
            serving.ready(200, &["\"ok\""]);
        }
        Two { url: url.to_owned(), folders, servers }
    }

    fn journal(&self, at: usize) -> Option<&Path> {
        self.folders.as_ref().map(|folders| folders[at].path())
    }

    fn load(&self) -> Load {
        Load::begin(self.servers.iter().map(|serving| serving.url.clone()).collect(), 2)
    }

    fn start(&mut self, at: usize, load: &Load) {
        self.servers[at] = serve(&self.url, self.journal(at));
        load.replace(at, &self.servers[at].url);
    }
}

/// Plays one way in one form; gives what the clients got, and what became of it in words.
fn play<S: Server>(place: &mut Place<S>, way: &Way<S>, form: Form) -> (Verdict, String) {
    (way.prepare)(place);
    let url = place.next();
    prepare(&url);
    let mut two = Two::over(&url, form != Form::NoJournals);
    let load = two.load();
    load.goes_on(GRANTS);
    (way.save)(place);
    // Nothing of the third tag was in hand before, so all of it is lost.
    load.widen();
    load.goes_on(2 * GRANTS);
    let lost = match form {
        Form::BothLive => None,
        Form::OneIsLost => Some(lose_one(&mut two)),
        Form::BothStart | Form::NoJournals => {
            two.servers.iter_mut().for_each(Serving::kill);
            None
        }
    };
    (way.back)(place);
    let became = match (form, lost) {
        (_, Some(lost)) => lives_alone(&mut two, &load, &lost),
        (Form::BothLive, _) => is_fenced(&two, &load),
        (Form::BothStart, _) => {
            (0..2).for_each(|at| two.start(at, &load));
            is_fenced(&two, &load)
        }
        _ => {
            (0..2).for_each(|at| two.start(at, &load));
            load.goes_on(4 * GRANTS);
            "no journals".to_owned()
        }
    };
    (load.end(), became)
}

/// Kills a server and removes its journal; gives its id, which is in there.
fn lose_one(two: &mut Two) -> String {
    two.servers[0].kill();
    let folder = two.journal(0).expect("a journal");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let files: Vec<_> = files.map(|file| file.path()).collect();
    let journals = files.iter().map(|file| std::fs::read_to_string(file).expect("text"));
    let id =
        |text: String| text.lines().find_map(|line| Some(line.strip_prefix("server ")?.to_owned()));
    let id = journals.filter_map(id).next().expect("an id");
    files.iter().for_each(|file| std::fs::remove_file(file).expect("a file"));
    id
}

/// Both servers notice it, and grant again.
fn is_fenced(two: &Two, load: &Load) -> String {
    for serving in &two.servers {
        serving.logs(&["STORE_WENT_BACK", "was fenced"]);
        serving.ready(200, &["\"ok\""]);
    }
    load.goes_on(2 * GRANTS);
    "fenced".to_owned()
}

/// The server that is left goes on, or names the one that is lost, and goes on after a repair.
fn lives_alone(two: &mut Two, load: &Load, lost: &str) -> String {
    let serving = &two.servers[1];
    serving.logs(&["STORE_WENT_BACK", "was fenced"]);
    let goal = load.granted() + GRANTS;
    let settled = until(|| {
        let (status, told) = serving.get("/readyz");
        let is_refused = status == 503 && told.to_string().contains(&lost[..8]);
        if is_refused { Some(false) } else { (load.granted() > goal).then_some(true) }
    });
    if settled.expect("a server that serves, or says whom it lacks") {
        load.goes_on(2 * GRANTS);
        return "goes on alone".to_owned();
    }
    two.servers[1].kill();
    let journal = two.journal(1).expect("a journal").display().to_string();
    says(&two.url, &["repair", "--without-journal", "--journal", &journal]);
    two.start(1, load);
    load.goes_on(2 * GRANTS);
    "refused, named the server that was lost, and went on after a repair".to_owned()
}

/// Plays all ways of an engine, or its first in two forms.
fn goes_back<S: Server>(settings: &[&str], ways: &[Way<S>]) {
    let Some(server) = for_test_with::<S>(settings) else { return };
    let mut place = Place::of(server);
    let is_short = rounds().is_none();
    let ways = if is_short { &ways[..1] } else { ways };
    let forms = if is_short { &FORMS[..2] } else { &FORMS };
    let mut wrong = Vec::new();
    for way in ways {
        for form in forms {
            let (verdict, became) = play(&mut place, way, *form);
            let told = format!("{}, {}, {form:?}: {became}; {verdict:?}", S::NAME, way.name);
            println!("{told}");
            if (*form == Form::NoJournals) != (verdict.overlaps > 0) {
                wrong.push(told);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn postgres() {
    goes_back(&ways::POSTGRES_SETTINGS, &ways::postgres());
}

#[test]
fn mariadb() {
    goes_back(&ways::MARIADB_SETTINGS, &ways::mariadb());
}

/// A dump of MariaDB goes back table by table, and a server that fences in between has seen nothing of the
/// tables that come after that.
#[test]
fn tables_of_mariadb_that_go_back_one_by_one_are_noticed() {
    let Some(server) = for_test_with::<Mariadb>(&ways::MARIADB_SETTINGS) else { return };
    let (verdict, _) = play(&mut Place::of(server), &ways::slow_dump(), Form::BothLive);
    println!("MariaDB, a dump under servers, with a fence between two tables: {verdict:?}");
    assert_eq!(verdict.overlaps, 0);
}

#[test]
fn etcd() {
    goes_back(&[], &ways::etcd());
}

#[test]
fn zookeeper() {
    goes_back(&[], &ways::zookeeper());
}
