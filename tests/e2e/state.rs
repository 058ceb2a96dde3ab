//! Python and Node share one state file: a process of one goes on from what the other left, without
//! the store.

use std::path::Path;
use std::process::Command;

use leafid_core::Layout;
use leafid_stream::child::said;

use crate::setting::{LIMIT, NAMESPACE, Setting};

const COUNT: usize = 100;
/// On a busy machine a process may outlast the window, so that the next one finds it over: try again.
const ATTEMPTS: usize = 30;
/// How long the second process may wait for a store that does not exist, in s; it needs none.
const IN_VAIN: u64 = 5;
const NOWHERE: &str = "http://127.0.0.1:1";
const PYTHON: &str = "\
import sys
import leafid
_, store, namespace, state, count, timeout = sys.argv
with leafid.Snowflake(namespace, store, state=state, timeout=int(timeout)) as ids:
    print(*ids.take(int(count)))
";
const NODE: &str = "\
import { Snowflake } from 'leafid'
const [, store, namespace, state, count, timeout] = process.argv
const ids = new Snowflake(namespace, { store, state, timeout: Number(timeout) * 1_000 })
console.log((await ids.take(Number(count))).join(' '))
await ids.close()
";

/// How a process of one of the hosts is started.
type Life<'l> = &'l dyn Fn() -> Command;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are state files on Linux only")]
fn each_host_goes_on_from_what_the_other_left() {
    let Some(setting) = Setting::find("one state file, two hosts") else { return };
    let store = setting.store("store");
    let python = || {
        let mut command = setting.python();
        command.args(["-c", PYTHON]);
        command
    };
    let node = || {
        let mut command = setting.node();
        command.args(["--input-type=module", "-e", NODE]);
        command
    };
    let lives: [(&str, [Life; 2]); 2] =
        [("python, then node", [&python, &node]), ("node, then python", [&node, &python])];
    for (name, [first, second]) in lives {
        let pair = (0..ATTEMPTS).find_map(|attempt| {
            let state = setting.at(&format!("{name} {attempt}.state"));
            let before = live(first(), &store.url(), &state, LIMIT.as_secs());
            let before = before.unwrap_or_else(|said| panic!("{name}: {said}"));
            match live(second(), NOWHERE, &state, IN_VAIN) {
                Ok(after) => Some((before, after, attempt)),
                Err(said) if said.contains("TIMED_OUT") || said.contains("TimedOutError") => None,
                Err(said) => panic!("{name}: {said}"),
            }
        });
        let (before, after, attempt) = pair.unwrap_or_else(|| panic!("{name}: all windows over"));
        let worker = |id: &u64| Layout::LEAF.decompose(*id).expect("it is an ID").worker;
        assert_eq!((before.len(), after.len()), (COUNT, COUNT));
        assert!(before.last() < after.first(), "{name}: it went back");
        assert!(after.iter().all(|id| worker(id) == worker(&before[0])), "{name}: another window");
        setting.tell(&format!("{name}: {} IDs, attempt {}", 2 * COUNT, attempt + 1));
    }
}

fn live(mut command: Command, store: &str, state: &Path, timeout: u64) -> Result<Vec<u64>, String> {
    command.args([store, NAMESPACE]).arg(state).args([COUNT.to_string(), timeout.to_string()]);
    let text = said(command, 2 * LIMIT)?;
    Ok(text.split_whitespace().map(|id| id.parse().expect("an ID is a number")).collect())
}
