//! Runs the commands of `docs/MIGRATING-FROM-LEAF.md`, beside a Leaf that runs, stops and restarts as the
//! page describes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use leafid_core::Layout;
use leafid_servers::{Databases, Mariadb, Server, Zookeeper, for_test};

use super::leaf::{Leaf, Tree, now};
use crate::client::leafs;
use crate::page::{PAGE, commands};
use crate::support::{LEAFID, Serving, agent, output, until};

/// A Leaf that runs until this is dropped, also where a test fails: it would keep its database open.
struct Running {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))) || std::thread::panicking(), "a Leaf");
    }
}

#[derive(Default)]
struct Out {
    snowflakes: Vec<u64>,
    numbers: Vec<u64>,
}

impl Running {
    fn start(
        tree: &Arc<Tree>,
        mut leaf: Leaf,
        database: &Arc<Mariadb>,
        out: &Arc<Mutex<Out>>,
    ) -> Running {
        const SEGMENT: &str = "UPDATE leaf_alloc SET max_id = LAST_INSERT_ID(max_id + 5) \
                               WHERE biz_tag = 'orders'; SELECT LAST_INSERT_ID()";
        let (stop, stopped) = channel();
        let (tree, database, out) = (Arc::clone(tree), Arc::clone(database), Arc::clone(out));
        // It reports its time more often than a Leaf, which makes no difference to the import.
        let pause = move || stopped.recv_timeout(Duration::from_millis(100));
        let run = move || {
            while pause() == Err(RecvTimeoutError::Timeout) {
                tree.tell(&leaf, now());
                let ids = leaf.ids(now(), 20);
                let next = database.run("leaf", SEGMENT).expect("a segment");
                let end: u64 = next.trim().parse().expect("a number");
                let mut out = out.lock().unwrap();
                out.snowflakes.extend(ids);
                out.numbers.extend(end - 5..end);
            }
        };
        Running { stop: Some(stop), thread: Some(std::thread::spawn(run)) }
    }
}

struct World {
    // Dropped before the folder, into which it writes.
    serving: Option<Serving>,
    folder: tempfile::TempDir,
    names: Vec<(String, String)>,
    variables: String,
    out: Arc<Mutex<Out>>,
}

impl World {
    fn here(&self, line: &str) -> String {
        self.names.iter().fold(line.to_owned(), |line, (there, here)| line.replace(there, here))
    }

    fn shell(&self, line: &str) -> Command {
        let folder: &Path = self.folder.path();
        let mut path = PathBuf::from(LEAFID).parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-euc", &format!("{}{line}", self.variables)]).current_dir(folder);
        command.env("PATH", path).env("LEAFID_LISTEN", "127.0.0.1:0").env_remove("LEAFID_STORE");
        command
    }

    fn runs(&self, line: &str) -> String {
        let mut last = None;
        let said = until(|| {
            let output = output(&mut self.shell(line));
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let success = output.status.success();
            last = Some(output);
            success.then_some(said)
        });
        said.unwrap_or_else(|| panic!("{line}: {last:?}"))
    }

    fn serve(&mut self, line: &str) {
        let serving = Serving::spawn(&mut self.shell(&format!("exec {line}")));
        let leaf = leafs(&serving).to_owned();
        let main = serving.url.trim_start_matches("http://").to_owned();
        for (there, here) in
            [("127.0.0.1:8081", &leaf), ("127.0.0.1:8080", &leaf), ("127.0.0.1:8750", &main)]
        {
            self.names.retain(|(name, _)| name != there);
            self.names.push((there.to_owned(), here.clone()));
        }
        self.serving = Some(serving);
    }

    fn get(&self, url: &str) -> u64 {
        let mut answer = agent().get(url).call().unwrap_or_else(|error| panic!("{url}: {error}"));
        let id = answer.body_mut().read_to_string().expect("text");
        let id = id.parse().unwrap_or_else(|_| panic!("{url}: {id}"));
        let mut out = self.out.lock().unwrap();
        match url.contains("/snowflake/") {
            true => out.snowflakes.push(id),
            false => out.numbers.push(id),
        }
        id
    }
}

#[test]
fn the_page_is_walked_step_by_step() {
    let (Some(zookeeper), Some(mariadb)) = (for_test::<Zookeeper>(), for_test::<Mariadb>()) else {
        return;
    };
    let mariadb = Arc::new(mariadb);
    mariadb.fresh("leaf");
    for sql in [
        leafid_servers::LEAF_ALLOC,
        "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 5000001, 2000)",
        "CREATE USER ids IDENTIFIED BY 'change-me'; GRANT ALL ON leaf.* TO ids",
    ] {
        mariadb.run("leaf", sql).unwrap_or_else(|said| panic!("{sql}: {said}"));
    }
    let tree = Arc::new(Tree::in_zookeeper(&zookeeper, "com.example.leaf"));
    let other = tree.register("192.0.2.3:54215", now());
    // The page's machine is this one: a server finds its worker number by its address.
    let leaf = || Leaf::on(u32::from(other == 0), "127.0.0.1:54215");
    assert_eq!(tree.register(leaf().owner, now()), leaf().worker);

    let folder = tempfile::tempdir().unwrap();
    let properties = format!(
        "leaf.name=com.example.leaf\nleaf.segment.enable=true\n\
         leaf.jdbc.url=jdbc:mysql://127.0.0.1:{}/leaf?useSSL=false\nleaf.jdbc.username=ids\n\
         leaf.jdbc.password=change-me\nleaf.snowflake.enable=true\n\
         leaf.snowflake.zk.address=127.0.0.1:{}\nleaf.snowflake.port=54215\n",
        mariadb.port(),
        zookeeper.port()
    );
    std::fs::write(folder.path().join("leaf.properties"), properties).unwrap();
    let named = |there: &str, here: String| (there.to_owned(), here);
    let names = vec![
        named("db.example:3306", format!("127.0.0.1:{}", mariadb.port())),
        named("zk.example:2181", format!("127.0.0.1:{}", zookeeper.port())),
        named("192.0.2.2", "127.0.0.1".to_owned()),
    ];
    let out = Arc::new(Mutex::new(Out::default()));
    let mut world =
        World { folder, names, variables: String::new(), serving: None, out: Arc::clone(&out) };
    let mut running = Some(Running::start(&tree, leaf(), &mariadb, &out));
    let mut told = Vec::new();
    for line in commands(PAGE) {
        let here = world.here(line);
        println!("$ {line}");
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["sleep", _] => {}
            ["sudo", "systemctl", "stop", "leaf"] => drop(running.take().expect("it runs")),
            ["sudo", "systemctl", "start", "leaf"] => {
                running = Some(Running::start(&tree, leaf(), &mariadb, &out));
            }
            ["kill", "%1"] => {
                let mut serving = world.serving.take().expect("a server");
                assert_eq!(serving.end("-TERM").0, Some(0), "{}", serving.log());
            }
            ["curl", "-s", _] => {
                for _ in 0..50 {
                    let id = world.get(here.trim_start_matches("curl -s "));
                    told.push(match line.contains("/snowflake/") {
                        true => u64::from(Layout::LEAF.decompose(id).unwrap().worker),
                        false => id,
                    });
                }
            }
            ["leafid", "serve", .., "&"] => {
                let line = here.trim_end_matches(" &").replace("127.0.0.1:8081", "127.0.0.1:0");
                let there =
                    if line.contains("--listen-leaf") { "" } else { " --listen-leaf 127.0.0.1:0" };
                world.serve(&format!("{line}{there}"));
            }
            ["leafid", ..] => print!("{}", world.runs(&here)),
            [variable] if variable.contains("='") => world.variables.push_str(&format!("{here}\n")),
            _ => panic!("this line is new: {line}"),
        }
    }
    drop(world.serving.take());
    drop(running);
    let out = out.lock().unwrap();
    let twice = |ids: &[u64]| ids.len() - ids.iter().collect::<BTreeSet<_>>().len();
    println!("{} snowflakes, {} numbers", out.snowflakes.len(), out.numbers.len());
    assert!(out.snowflakes.len() > 120 && out.numbers.len() > 50);
    assert_eq!((twice(&out.snowflakes), twice(&out.numbers)), (0, 0));
    assert!(out.numbers.iter().all(|number| *number > 5_000_000), "above the old ones");
    // The answers of each curl: numbers above the old ones, then workers that no running Leaf has.
    assert_eq!(told.len(), 150);
    assert!(told[50..].iter().all(|worker| *worker >= 512 || *worker == 1), "{told:?}");
    let list = world.runs("leafid worker list default --store \"$LEAF_DB\"");
    assert!(list.contains("127.0.0.1:54215 (keeps it)"), "{list}");
    assert_eq!(list.matches("2080").count(), 0, "all are leafid's: {list}");
}
