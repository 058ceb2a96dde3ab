use super::*;

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

fn node(worker: u32, owner: &str) -> Node {
    let old = Some(NOW.plus(-3_600_000));
    let (owner, place) = (Some(owner.to_owned()), format!("node {worker}"));
    Node { worker, owner, stamped: Ok(old), seen: old, place }
}

fn found(growth: Growth, nodes: &[(u32, &str)]) -> Found {
    let nodes = nodes.iter().map(|(worker, owner)| node(*worker, owner)).collect();
    Found { place: "the registry".to_owned(), now: NOW, growth, nodes }
}

fn row(owner: &str, aside: bool) -> Row {
    Row { owner: owner.to_owned(), aside, reserved_until: NOW }
}

/// The row of number 0, and those of the numbers up to 599, which have no node.
fn rows(own: Row, others: impl Fn(u32) -> Option<Row>) -> BTreeMap<u32, Row> {
    let others = (1..600).filter_map(|worker| Some((worker, others(worker)?)));
    [(0, own)].into_iter().chain(others).collect()
}

fn says(found: &Found, rows: &BTreeMap<u32, Row>, wish: &Wish) -> String {
    plan(found, rows, wish).map_or_else(|wrong| wrong.detail, |_| "fine".to_owned())
}

fn leaving(left: u64) -> Wish {
    Wish { left, ..Wish::default() }
}

#[test]
fn what_leafid_granted_is_not_left_to_a_leaf_that_has_it() {
    for growth in [Growth::Next(1), Growth::Listed] {
        let found = found(growth, &[(0, "a:1")]);
        // The namespace was used before it took in any of Leaf's numbers.
        let granted = BTreeMap::from([(0, row("someone", false))]);
        let said = says(&found, &granted, &Wish::default());
        for word in ["number 0 is leafid's", "`someone`", "`a:1`", "--stopped a:1"] {
            assert!(said.contains(word), "no `{word}` in {said}");
        }
        // Declared stopped, it is taken over, above everything that it can have stamped.
        let stopped = Wish { stopped: vec!["a:1".to_owned()], ..Wish::default() };
        let over = plan(&found, &granted, &stopped).unwrap().steps.remove(0);
        assert_eq!((over.worker, over.aside.owner.as_str()), (0, "a:1"));
        assert_eq!(over.aside.until, Some(NOW.plus(MARGIN_MS)));
        // Its clock was ahead, and may have stayed so until now.
        let ahead = |stamped: i64, seen: i64| {
            let (stamped, seen) = (Ok(Some(NOW.plus(stamped))), Some(NOW.plus(seen)));
            let nodes = vec![Node { stamped, seen, ..node(0, "a:1") }];
            let found = Found { nodes, ..found.clone() };
            plan(&found, &granted, &stopped).unwrap().steps.remove(0).aside.until
        };
        assert_eq!(ahead(-83_000, -90_000), Some(NOW.plus(7_000 + MARGIN_MS)));
        assert_eq!(ahead(7_000, -20_000), Some(NOW.plus(27_000 + MARGIN_MS)));
        assert_eq!(ahead(-90_000, -83_000), Some(NOW.plus(MARGIN_MS)));
        // It was taken over, and its machine uses it.
        let own = BTreeMap::from([(0, row("a:1", false))]);
        assert_eq!(says(&found, &own, &Wish::default()), "fine");
    }
}

#[test]
fn what_leafid_granted_is_not_left_to_a_leaf_that_may_come() {
    let found = found(Growth::Next(1), &[(0, "a:1")]);
    // leafid uses numbers from 512 on, beside the Leafs.
    let beside = |worker| match worker {
        512.. => Some(row("someone", false)),
        _ => Some(row("", true)),
    };
    let rows_beside = rows(row("a:1", true), beside);
    assert_eq!(says(&found, &rows_beside, &Wish::default()), "fine");
    let said = says(&found, &rows_beside, &leaving(600));
    assert!(said.contains("number 512 is leafid's") && said.contains("first time"), "{said}");
    assert!(!said.contains("number 511"), "{said}");
    // Some numbers were used before any were taken in.
    let early = rows(row("a:1", false), |worker| (worker < 3).then(|| row("someone", false)));
    let said = says(&found, &early, &Wish::default());
    assert!(said.contains("number 1 is leafid's") && said.contains("--back all"), "{said}");
    let back = Wish { back: vec!["all".to_owned()], ..Wish::default() };
    assert_eq!(plan(&found, &early, &back).unwrap().steps.len(), 512);
}

#[test]
fn what_was_taken_over_with_all_others_stays_leafids() {
    let found = found(Growth::Next(1), &[(0, "a:1")]);
    let over = rows(row("a:1", false), |_| Some(row("someone", false)));
    assert_eq!(says(&found, &over, &Wish::default()), "fine");
    let all = Wish { stopped: vec!["all".to_owned()], ..Wish::default() };
    assert_eq!(plan(&found, &over, &all).unwrap().steps, []);
    // Numbers from 512 on were never left to Leaf.
    assert!(says(&found, &over, &leaving(600)).contains("number 512 is leafid's"));
    // Some were taken over one by one.
    let some = rows(row("a:1", false), |worker| Some(row("", worker > 7 && worker < 512)));
    assert_eq!(says(&found, &some, &Wish::default()), "fine");
}

#[test]
fn new_leafs_find_room() {
    let room = |next| says(&found(Growth::Next(next), &[]), &BTreeMap::new(), &leaving(512));
    assert_eq!(room(448), "fine");
    for next in [449, 511, 512, 600] {
        let said = room(next);
        let enough = format!("--leave {}", next + 64);
        assert!(said.contains(&format!("takes number {next}")) && said.contains(&enough), "{said}");
    }
    assert!(room(1_000).contains("--leave 1024"));
    let last = found(Growth::Next(1_000), &[]);
    assert_eq!(says(&last, &BTreeMap::new(), &leaving(1_024)), "fine", "no more than there are");
}
