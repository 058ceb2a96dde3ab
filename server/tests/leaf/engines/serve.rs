//! Runs [`crate::serve`] with Leaf's worker numbers in a ZooKeeper.

use leafid_servers::{Server, Zookeeper, for_test};
use zookeeper_client::CreateMode;

use super::leaf::{Tree, now};
use crate::serve::{args, one_start, refused};
use crate::support::{Home, has, until};

#[test]
fn it_takes_over_the_number_of_its_machine_when_somebody_says_that_its_leaf_has_stopped() {
    let Some(mut server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "com.example.leaf");
    let (home, another) = (Home::new(), Home::new());
    let address = format!("leaf.snowflake.zk.address=127.0.0.1:{}", server.port());
    let args_of = |home: &Home| args(home, &address);
    let stopped = [args_of(&home), vec!["--leaf-stopped".to_owned()]].concat();
    tree.register("192.0.2.3:54215", 1_800_000_000_000);
    let own = tree.register("127.0.0.1:54215", now());
    assert_eq!(own, 1);

    let (mut borrowed, mut said) = one_start(&stopped);
    if said.contains("is left alone") {
        assert!(said.contains("512 numbers set aside"), "{said}");
        // Until then another number, which no Leaf has.
        let taken = until(|| {
            assert!(borrowed >= 512, "{borrowed}: {said}");
            (borrowed, said) = one_start(&stopped);
            said.contains("worker 1 is kept for `127.0.0.1:54215`").then_some(())
        });
        assert!(taken.is_some(), "{said}");
    }
    // The node has been silent for 15 s, but the store was not told that it stopped.
    let (worker, said) = one_start(&args_of(&another));
    assert!(worker >= 512, "{worker}: {said}");
    let command = format!("worker import default --leaf-zookeeper {}", tree.url);
    let left = "number 1 is left to the Leaf";
    has(&said, &["0 taken over", left, "--leaf-stopped", &command]);
    server.stop().unwrap();
    let own = until(|| {
        let (worker, said) = one_start(&args_of(&home));
        assert!(said.contains("what was taken in before holds"), "{said}");
        assert!(worker == 1 || worker >= 512, "{worker}");
        (worker == 1).then_some(())
    });
    assert!(own.is_some(), "it rests for 10 s, and is its own from then on");
}

#[test]
fn a_leaf_that_takes_any_number_leaves_none_beside_it() {
    let Some(mut server) = for_test::<Zookeeper>() else { return };
    // The tree was made by zk_normal; the file has the mode of the Leafs' next start.
    let tree = Tree::in_zookeeper(&server, "com.example.leaf");
    tree.make(&format!("{}/forever", tree.path), "", CreateMode::Persistent);
    let home = Home::new();
    let address = format!("leaf.snowflake.zk.address=127.0.0.1:{}", server.port());
    let sticky = || args(&home, &address);
    let recycles = || args(&home, &format!("{address}\nleaf.snowflake.mode=zk_recycle"));
    let stopped = || [recycles(), vec!["--leaf-stopped".to_owned()]].concat();
    let refuses = |args: Vec<String>, words: &[&str]| has(&refused(&args), words);
    let unsaid = ["zk_recycle", "stop all Leafs", &tree.url, "--leaf-stopped"];
    refuses(recycles(), &unsaid);
    let (worker, said) = one_start(&sticky());
    assert!(worker >= 512 && said.contains("512 numbers set aside"), "{worker}: {said}");
    refuses(recycles(), &unsaid);
    let (_, said) = one_start(&stopped());
    assert!(said.contains("512 taken over") && said.contains("set aside now: 0"), "{said}");
    refuses(recycles(), &unsaid);
    server.stop().unwrap();
    refuses(stopped(), &["Leaf's ZooKeeper", "start it"]);
}
