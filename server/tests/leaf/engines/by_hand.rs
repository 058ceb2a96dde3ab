//! Rows of `leaf_alloc` that an operator inserts or deletes past leafid: no number is granted twice.

use leafid_servers::{Databases, Mariadb, for_test};

use super::running::{Leaf, database};
use super::table::{row, serve};
use crate::support::{play, says};

#[test]
fn a_row_that_is_inserted_over_a_deleted_tag_goes_on_where_that_stood() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "inserted", "");
    says(&url, &["init"]);
    for tag in ["new", "set", "gone"] {
        says(&url, &["tag", "create", tag, "--from", "95", "--until", "100"]);
        says(&url, &["tag", "delete", tag]);
        let insert =
            format!("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('{tag}', 1, 10)");
        server.run("inserted", &insert).expect("a row");
    }
    let list = says(&url, &["tag", "list"]);
    let new = list.lines().find(|line| line.starts_with("new")).expect("the tag");
    assert!(new.contains(" 95 ") && new.trim_end().ends_with('-'), "{list}");
    // The new tag does not inherit the deleted one's end.
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let serving = serve(&url);
    let lease = |start: u64| {
        let range = format!("\"start\":\"{start}\" & \"end\":\"{}\"", start + 10);
        play(&serving.url, &format!("POST /v1/segments/new/lease {{@}} => {range}"));
    };
    lease(95);
    assert_eq!(row(&server, "inserted", "new"), "105\t10", "and a Leaf goes on above");
    runtime.block_on(async {
        let mut leaf = Leaf::connect(&url).await;
        assert_eq!(leaf.segment("new", None).await, (105, 115));
        // A Leaf that comes first takes the row's position; for leafid the tag stays where it was.
        assert_eq!(leaf.segment("set", None).await, (1, 11));
    });
    lease(115);
    play(&url, "tag set set --step 20 => next number 95, step 20 & !until");
    assert_eq!(row(&server, "inserted", "set"), "95\t20");
    drop(serving);
    // Deleted once more, the tag keeps its position, with what the server reserved ahead.
    let stood = row(&server, "inserted", "new");
    let (stood, _) = stood.split_once('\t').expect("two columns");
    assert!(stood.parse::<u64>().expect("a number") >= 125, "{stood}");
    let script = format!(
        "tag delete gone => deleted
         tag create gone => next number 95,
         tag delete new => deleted
         tag create new => next number {stood},"
    );
    play(&url, &script);
}

#[test]
fn a_tag_whose_row_was_deleted_by_hand_is_made_again_only_with_its_first_number() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "removed", "('orders', 5001, 1000, NULL)");
    // Leaf's table has no column for this setting: leafid keeps a row of its own, at 5001.
    let script = "init => created
                  tag set orders --max-step 2000 => max_step 2000";
    play(&url, script);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let taken = async { Leaf::connect(&url).await.segment("orders", Some(895_000)).await };
    assert_eq!(runtime.block_on(taken), (5_001, 900_001));
    server.run("removed", "DELETE FROM leaf_alloc").expect("no row");
    let script = "tag create orders =1 REQUEST_INVALID & --from N & 5001
                  tag create orders --if-missing =1 REQUEST_INVALID & --from N & 5001";
    play(&url, script);
    assert_eq!(row(&server, "removed", "orders"), "");
    // A lease is recorded beside Leaf's row, so a tag deleted by the command needs no first number.
    let script = "tag create orders --from 900001 => next number 900001,
                  tag delete orders => deleted
                  tag create orders => next number 900001,";
    play(&url, script);
}
