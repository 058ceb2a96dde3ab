//! Reasons to refuse a start, each named in the message: settings that lose answered writes, a replica,
//! wrong passwords, missing rights, tables of another program or version.

use leafid_servers::{Databases, Mariadb, Postgres, Server, for_test};

use crate::support::{fails, has, says, until};
use crate::{SERVE, is_refused, lets_in, serve};

/// Starts the database with a setting: the server refuses it by name, unless `passes`.
fn setting_is_refused<S: Databases>(server: &mut S, setting: &str, passes: bool) {
    server.stop().expect("it ends");
    server.start_again_with(&[setting]).expect("it takes the setting");
    let url = server.url();
    let name = setting.split(['=', ':']).next().expect("a name");
    let refused = fails(&url, &SERVE, 1);
    assert!(refused.contains("STORE_REFUSED") && refused.contains(name), "{setting}: {refused}");
    if passes {
        assert!(refused.contains("--allow-unsafe-settings"), "{refused}");
        let mut serving = serve(&url, &["--allow-unsafe-settings"]);
        serving.ready(200, &["\"ok\""]);
        serving.logs(&["WARN", name, "let pass"]);
        serving.end("-TERM");
    } else {
        let arguments = [&SERVE[..], &["--allow-unsafe-settings"]].concat();
        assert!(fails(&url, &arguments, 1).contains("STORE_REFUSED"), "{setting}");
    }
}

#[test]
fn settings_of_postgres_that_lose_what_was_answered_are_refused() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    says(&server.url(), &["init"]);
    for setting in ["synchronous_commit=off", "fsync=off", "full_page_writes=off"] {
        setting_is_refused(&mut server, setting, true);
    }
    server.make_standby().expect("a file");
    server.stop().expect("it ends");
    server.start_again_with(&["hot_standby=on"]).expect("it follows nobody");
    let said = fails(&server.url(), &[&SERVE[..], &["--allow-unsafe-settings"]].concat(), 1);
    has(&said, &["STORE_REFUSED", "standby"]);
}

/// The setting that commits do not wait for the disk, made while a server is connected.
#[test]
fn a_setting_of_postgres_that_is_reloaded_changes_nothing_for_a_session_that_was_looked_at() {
    let Some(server) = for_test::<Postgres>() else { return };
    says(&server.url(), &["init"]);
    says(&server.url(), &["tag", "create", "orders"]);
    let mut serving = serve(&server.url(), &[]);
    let run = |sql: &str| server.run("postgres", sql).expect("it is done");
    run("CREATE TABLE public.seen (setting TEXT)");
    run("CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$");
    run("CREATE TRIGGER look AFTER UPDATE ON leafid.tags EXECUTE FUNCTION public.look()");
    run("ALTER SYSTEM SET synchronous_commit = off");
    run("SELECT pg_reload_conf()");
    until(|| (run("SHOW synchronous_commit").trim() == "off").then_some(()))
        .expect("it is reloaded");
    for n in 0..20_u32 {
        let ask = serde_json::json!({ "request": format!("{n:032x}") });
        assert_eq!(serving.patient("/v1/segments/orders/lease", &ask).0, 200);
    }
    assert_eq!(run("SELECT DISTINCT setting FROM public.seen").trim(), "on");
    // The next connection is checked and would be refused.
    run("UPDATE leafid.tags SET step = step");
    assert_eq!(run("SELECT count(DISTINCT setting) FROM public.seen").trim(), "2", "a control");
    serving.end("-TERM");
    assert!(fails(&server.url(), &SERVE, 1).contains("synchronous_commit"));
}

#[test]
fn settings_of_mariadb_that_lose_what_was_answered_are_refused() {
    let Some(mut server) = for_test::<Mariadb>() else { return };
    says(&server.url(), &["init"]);
    for flush in ["0", "2"] {
        setting_is_refused(&mut server, &format!("innodb_flush_log_at_trx_commit={flush}"), true);
    }
    setting_is_refused(&mut server, "read_only=1", false);
    // The binary log is off by default; then it does not matter when it is synced.
    server.stop().expect("it ends");
    server.start_again_with(&["log-bin=changes", "sync_binlog=0"]).expect("it takes the settings");
    has(&fails(&server.url(), &SERVE, 1), &["sync_binlog = 0"]);
    server.stop().expect("it ends");
    let by_statements = ["log-bin=changes", "sync_binlog=1", "binlog_format=STATEMENT"];
    server.start_again_with(&by_statements).expect("it takes the settings");
    let mut serving = serve(&server.url(), &[]);
    serving.ready(200, &["\"ok\""]);
    serving.end("-TERM");
    let move_it = "ALTER TABLE tags ENGINE = MyISAM";
    server.run("leafid", move_it).expect("the table moves");
    has(&fails(&server.url(), &SERVE, 1), &["`tags`", "MyISAM"]);
    let settings = include_str!("../../../../turn/mysql/meta/settings.sql");
    for (version, is_refused) in [
        ("5.7.44", true),
        ("8.0.15", true),
        ("10.4.9-MariaDB", true),
        ("nonsense", true),
        ("8.0.16", false),
        ("8.4.2-aurora", false),
        ("10.11.6-MariaDB-0+deb12u1", false),
    ] {
        let found = server.run("leafid", &settings.replace("version()", &format!("'{version}'")));
        let found = found.expect("what it says");
        assert_eq!(found.contains(&format!("{version}, and ")), is_refused, "{found}");
    }
}

/// The statements below this comment on the page on stores.
fn page(title: &str) -> Vec<&'static str> {
    let page = include_str!("../../../../docs/STORES.md");
    let (_, block) = page.split_once(&format!("```sql\n-- {title}\n")).expect("such a block");
    let (block, _) = block.split_once("```").expect("its end");
    block.split(';').map(str::trim).filter(|statement| !statement.is_empty()).collect()
}

/// Starts with the rights of the page on stores, without them, and with a wrong password, which is
/// never shown.
fn users_have_the_rights_that_the_page_gives<S: Databases>(
    server: &S,
    scheme: &str,
    any: &str,
    (before, after): (&[&str], &[&str]),
) {
    let url = |user: &str, password: &str| {
        format!("{scheme}://{user}:{password}@127.0.0.1:{}/ids", server.port())
    };
    for statement in before {
        server.run(any, statement).expect("as the page has it");
    }
    let unmade = fails(&url("ids_server", "change-me-too"), &["init"], 1);
    assert!(unmade.contains("rights") && unmade.contains("docs/STORES.md"), "{unmade}");
    let made = says(&url("ids_owner", "change-me"), &["init"]);
    let way =
        format!("LEAFID_STORE='{scheme}://ids_owner:PASSWORD@127.0.0.1:{}/ids'", server.port());
    assert!(made.contains(&way), "{made}");
    // Refused at once: waiting for a password would never end.
    has(&fails(&url("ids_owner", "").replace(":@", "@"), &SERVE, 1), &["its password in the URL"]);
    let usual = server.url();
    let nowhere = format!("{}/nodb", usual.rsplit_once('/').expect("a database").0);
    has(&fails(&nowhere, &SERVE, 1), &["CREATE DATABASE nodb", "STORE_UNKNOWN: "]);
    assert!(unmade.contains("FORBIDDEN: "), "{unmade}");
    let refused = |password: &str, code: &str| {
        let words = [&format!("{code}: "), "does not let this server in"];
        is_refused(&url("ids_server", password), &SERVE, &words);
    };
    refused("wr0ng-s3cret", "UNAUTHORIZED");
    if !after.is_empty() {
        refused("change-me-too", "FORBIDDEN");
    }
    for statement in after {
        server.run("ids", statement).expect("as the page has it");
    }
    says(&url("ids_server", "change-me-too"), &["tag", "create", "orders"]);
    lets_in(&url("ids_server", "change-me-too"), "change-me");
}

#[test]
fn users_of_postgres_have_the_rights_that_the_page_gives() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    server.stop().expect("it ends");
    let rules = "host all leafid 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    server.host_rules(rules).expect("a file");
    server.start_again().expect("it comes back");
    let before = page("PostgreSQL: before `leafid init`");
    let after = page("PostgreSQL: after `leafid init`, in the database");
    users_have_the_rights_that_the_page_gives(&server, "postgres", "postgres", (&before, &after));
}

#[test]
fn users_of_mariadb_have_the_rights_that_the_page_gives() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let before = page("MySQL: before `leafid init`");
    users_have_the_rights_that_the_page_gives(&server, "mysql", "leafid", (&before, &[]));
    // A user without any right.
    server.run("leafid", "CREATE USER nobody IDENTIFIED BY 's3cret'").expect("a user");
    let url = format!("mysql://nobody:s3cret@127.0.0.1:{}/ids", server.port());
    is_refused(&url, &SERVE, &["does not let this server in"]);
}

/// Tables of other versions, and of another program.
fn other_tables<S: Databases>(server: S, table: &str) {
    let url = server.fresh("versions");
    says(&url, &["init"]);
    for version in [0, 99] {
        let set = format!("UPDATE {table} SET version = {version}");
        server.run("versions", &set).expect("a version");
        has(
            &fails(&url, &SERVE, 1),
            &["SCHEMA_MISMATCH", &format!("version {version}, this program")],
        );
    }
    let other = server.fresh("others");
    let schema = table.strip_suffix(".meta").map(|schema| format!("CREATE SCHEMA {schema};"));
    let tags = table.replace("meta", "tags");
    let foreign = format!("{} CREATE TABLE {tags} (tag INT)", schema.unwrap_or_default());
    server.run("others", &foreign).expect("a table");
    for verb in [&["init"][..], &SERVE] {
        has(&fails(&other, verb, 1), &["SCHEMA_MISMATCH", "`tags`"]);
    }
}

each!(other_tables: postgres Postgres("leafid.meta"), mariadb Mariadb("meta"));
