//! Which commands create a store, and what `serve` prints of the one it opened.

use std::process::Command;

use crate::support::{Home, LEAFID, Serving, fails, has, play, says, try_output};

#[test]
fn only_a_command_that_says_so_makes_a_file() {
    let home = Home::new();
    let store = format!("sqlite:{}", home.store);
    let way = format!("leafid init --store {store}");
    for args in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["tag", "list"],
        &["tag", "create", "orders"],
        &["namespace", "list"],
        &["namespace", "create", "edge"],
        &["next", "orders"],
        &["decode", "5", "--namespace", "default"],
    ] {
        has(&fails(&store, args, 1), &["does not exist", &way]);
    }
    let used = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = used.local_addr().unwrap().to_string();
    let said = fails(&store, &["serve", "--create", "--listen", &address], 1);
    assert!(said.contains(&address) && said.contains("--listen"), "{said}");
    assert!(!said.contains("INTERNAL"), "{said}");
    assert_eq!(home.files(), 0, "nothing was made");

    let made = says(&store, &["init"]);
    let id = &made.split("store id ").nth(1).expect("an id")[..32];
    has(&fails(&store, &["init"], 1), &["STORE_REFUSED", id, "1 namespace,"]);
    // `--create` leaves an existing store alone.
    let serving = home.serve(&[]);
    has(&serving.first, &["opened", id]);
    assert!(says(&serving.url, &["tag", "list"]).contains("max_step"));
}

#[test]
fn a_store_that_replaces_a_lost_one_says_what_it_wants() {
    let home = Home::new();
    play(
        &home.store,
        "init --max-window 10m =2 --replaces-lost
         init --replaces-lost --max-window 999ms =2 --max-window & from 1s to 24h",
    );
    assert_eq!(home.files(), 0, "nothing was made");
    let made = says(&home.store, &["init", "--replaces-lost", "--max-window", "2s"]);
    let words = ["snowflake IDs begin at 2", "2000 ms", "clock", "added to --max-window"];
    has(&made, &words);
    play(&home.store, "tag create orders =1 --from & lost");
}

#[test]
fn serve_says_what_it_opened_and_refuses_another_store() {
    let home = Home::new();
    let store = format!("sqlite:{}", home.store);
    let mut serving = home.serve(&[]);
    let version = env!("CARGO_PKG_VERSION");
    let created = format!("leafid: version {version}, created {store}, store id ");
    assert!(serving.first.starts_with(&created), "{}", serving.first);
    has(&serving.first, &[": 0 tags, 1 namespace, no window granted yet"]);
    let id = serving.first.split("store id ").nth(1).unwrap()[..32].to_owned();
    says(&serving.url, &["tag", "create", "orders"]);
    says(&serving.url, &["next", "--namespace", "default"]);
    serving.end("-TERM");

    let mut serving = Serving::of(&store, &["--expect-store", &id]);
    let opened = format!(
        "leafid: version {version}, opened {store}, store id {id}: 1 tag, 1 namespace, last window granted 20"
    );
    assert!(serving.first.starts_with(&opened), "{}", serving.first);
    assert!(serving.first.trim_end().ends_with(&format!("listening on {}", serving.url)));
    serving.end("-TERM");

    let other = "00112233445566778899aabbccddeeff";
    let expects = ["serve", "--listen", "127.0.0.1:0", "--expect-store", other];
    has(&fails(&store, &expects, 1), &["STORE_CHANGED", &id, other]);
    let lost = format!("sqlite:{}", home.at("lost.db"));
    let expects = expects.join(" ");
    play(
        &lost,
        &format!(
            "{expects} =1 does not exist
             {expects} --dev =1 does not exist
             {expects} --create =2 --create
             serve --expect-store 7 =2 32 hex digits"
        ),
    );
}

/// As with `docker -v ./store.db:/data/store.db`. The control mounts the folder.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_mounted_by_itself_is_refused() {
    let home = Home::new();
    let [host, guest] = ["host", "my guest"].map(|name| home.path().join(name));
    std::fs::create_dir(&host).unwrap();
    std::fs::create_dir(&guest).unwrap();
    let name = |folder: &std::path::Path| folder.join("store.db").display().to_string();
    says(&name(&host), &["init"]);
    std::fs::write(guest.join("store.db"), "").unwrap();
    let script =
        "mount --bind \"$1\" \"$2\" && echo mounted && exec \"$0\" tag list --store \"$3\"";
    let mounted = |from: &std::ffi::OsStr, to: &std::ffi::OsStr| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, LEAFID]).arg(from).arg(to);
        try_output(command.arg(name(&guest)))
    };
    for (by_itself, from, to) in [
        (false, host.clone().into_os_string(), guest.clone().into_os_string()),
        (true, name(&host).into(), name(&guest).into()),
    ] {
        let output = match mounted(&from, &to) {
            Ok(output) if output.stdout.starts_with(b"mounted") => output,
            _ => return leafid_servers::not_run("mounts", "no mount in a user namespace here"),
        };
        assert_eq!(output.status.code(), Some(i32::from(by_itself)), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let refused = said.contains("STORE_REFUSED") && said.contains("mount the folder");
        assert_eq!(refused, by_itself, "{said}");
    }
}

/// As in a shell that has followed the README, when the server is started again.
#[test]
fn a_first_try_begins_again_beside_the_variable_of_its_clients() {
    let home = Home::new();
    let serve = |url: &str| {
        let mut command = Command::new(LEAFID);
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0"]).current_dir(home.path());
        command.env("LEAFID_STORE", url);
        command
    };
    for url in ["", "http://127.0.0.1:8750"] {
        let mut serving = Serving::spawn(&mut serve(url));
        says(&serving.url, &["next", "orders"]);
        serving.end("-TERM");
    }
    assert!(home.path().join("leafid.db").exists());
    let given = serve("http://127.0.0.1:8750").args(["--store", "http://127.0.0.1:1"]).output();
    assert_eq!(given.unwrap().status.code(), Some(1), "no server has such a store");
}
