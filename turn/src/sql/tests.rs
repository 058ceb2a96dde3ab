use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow, TagSpec, WorkerRow};
use leafid_core::{Layout, Name, Range, StoreTime, Token};
use leafid_wire::{FieldSchema, Fields};

use super::{LEAF, MYSQL, POSTGRES, SQLITE, Step, query, steps};
use crate::change::Page;
use crate::row::{NamespaceRow, Seen};
use crate::want::Want;
use crate::write::{WorkerWrite, Write};

#[test]
fn a_text_is_written_once_and_read_by_each_dialect() {
    let set = "UPDATE tags\nSET max_id = ?";
    let [lite, big, my, leaf] =
        [SQLITE, POSTGRES, MYSQL, LEAF].map(|texts| texts.text("tag_change"));
    assert!(lite.sql.starts_with(set) && lite.sql.ends_with("claimed_until IS ?"), "{}", lite.sql);
    assert_eq!((lite.names[0], lite.names.len()), ("max_id", 13));
    let now = "RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    assert!(big.sql.contains("claimed_until IS NOT DISTINCT FROM $13"), "{}", big.sql);
    assert!(big.sql.ends_with(now), "{}", big.sql);
    assert!(
        my.sql.contains("`until` <=> ?") && my.sql.contains("? + 0 * LAST_INSERT_ID("),
        "{}",
        my.sql
    );
    assert!(
        leaf.sql.starts_with("UPDATE leaf_alloc AS l\nLEFT JOIN leafid_tags AS t"),
        "{}",
        leaf.sql
    );
    // A number may be used again, a `?` may not.
    assert_eq!(POSTGRES.text("worker_add").names.len(), 8);
    assert_eq!(MYSQL.text("worker_add").names.len(), 11);
    for texts in [SQLITE, POSTGRES, MYSQL, LEAF] {
        for (name, text) in texts.all {
            let mark = if texts.find("others").is_some() { '$' } else { '?' };
            assert!(text.sql.matches(mark).count() >= text.names.len(), "{name}");
            assert!(!text.sql.contains(['{', '}']) && !text.sql.ends_with(';'), "{name}");
        }
    }
}

/// A value that no text names is silently not written, or not compared.
#[test]
fn every_field_of_a_row_is_in_the_texts_that_write_it() {
    let fields = |schema: &[FieldSchema]| -> Vec<String> {
        let columns = |field: &FieldSchema| match field.name {
            "layout" => Layout::SCHEMA.iter().map(|field| field.name.to_owned()).collect(),
            "workers" => vec!["workers_start".to_owned(), "workers_end".to_owned()],
            name => vec![name.to_owned()],
        };
        schema.iter().flat_map(columns).collect()
    };
    let namespace = [fields(Namespace::SCHEMA), fields(NamespaceRow::SCHEMA)].concat();
    let rows = [
        ("tag", fields(TagRow::SCHEMA)),
        ("namespace", namespace),
        ("worker", fields(WorkerRow::SCHEMA)),
    ];
    for texts in [SQLITE, POSTGRES, MYSQL] {
        for (row, fields) in &rows {
            let named = |text: &'static str| texts.find(text).expect("a text").names;
            let (add, change) = match *row {
                "tag" => ("tag_add", "tag_change"),
                "namespace" => ("namespace_add", "namespace_change"),
                _ => ("worker_add", "worker_change"),
            };
            for field in fields {
                assert!(named(add).contains(&field.as_str()), "{field} in {add}");
                assert!(named(change).contains(&field.as_str()), "{field} in {change}");
                let was = format!("was_{field}");
                assert!(named(change).contains(&was.as_str()), "{was} in {change}");
                let renews = *row == "worker" && !named("worker_renew").contains(&was.as_str());
                assert!(!renews, "{was} in worker_renew");
            }
        }
    }
}

fn writes() -> Vec<Write> {
    let (name, tag) = (Name::tag("a").unwrap(), TagRow::create(None, &TagSpec::default()));
    let (tag, before) = (tag.unwrap(), Some(Seen { row: tag.unwrap(), revision: 0 }));
    let namespace = Namespace::create(Layout::LEAF, None, None).unwrap();
    let row = NamespaceRow { namespace, used_until: 0 };
    let workers = Range::new(1, 4);
    let other = NamespaceRow { namespace: Namespace { workers, ..namespace }, used_until: 1 };
    let was = Seen { row, revision: 0 };
    let worker = |before| {
        let after = WorkerRow { key: Some(Token::new([1; 16])), ..WorkerRow::default() };
        Write::Worker(Box::new(WorkerWrite { namespace: name, worker: 1, before, after }))
    };
    vec![
        Write::Same(name, was),
        Write::Tag { tag: name, before: None, after: tag },
        Write::Tag { tag: name, before, after: tag },
        Write::Namespace { namespace: name, before: None, after: row },
        Write::Namespace { namespace: name, before: Some(was), after: other },
        worker(None),
        worker(Some(Seen { row: WorkerRow::default(), revision: 0 })),
        Write::Beat(StoreTime::new(1)),
    ]
}

#[test]
fn every_parameter_of_a_text_has_a_value_in_every_dialect() {
    let (name, range) = (Name::tag("a").unwrap(), Range::new(0, 1));
    let tag = TagRow::create(None, &TagSpec::default()).unwrap();
    let wants = [
        Want::Tag(name),
        Want::Namespace(name),
        Want::Worker(name, 1),
        Want::Mine(name, Token::new([1; 16])),
        Want::Own(name, name),
        Want::Unused { namespace: name, from: 1, end: 2, count: 3 },
        Want::Rested(name, 1),
        Want::Kept(name, 1),
        Want::Leaving { namespace: name, before: range, after: range },
        Want::Tags(Page { after: None, limit: 1 }),
        Want::Namespaces(Page { after: None, limit: 1 }),
        Want::Workers(name, Page { after: None, limit: 1 }),
    ];
    // Over Leaf's table a tag is written differently, and may be created again or deleted.
    let deleted = TagRow { deleted: true, ..tag };
    let was = |row| Some(Seen { row, revision: 0 });
    let more =
        [(was(deleted), tag), (was(tag), deleted), (was(tag), TagRow { until: Some(9), ..tag })];
    let more = more.map(|(before, after)| Write::Tag { tag: name, before, after });
    for texts in [SQLITE, POSTGRES, MYSQL, LEAF] {
        let writes = writes();
        let writes = writes.iter().chain(&more);
        let steps: Vec<_> = writes.flat_map(|write| steps(write, texts.leaf)).collect();
        let reads: Vec<_> = wants.iter().map(query).collect();
        for asked in steps.iter().map(Step::query).chain(&reads) {
            let text = texts.find(asked.text).unwrap_or_else(|| panic!("no `{}`", asked.text));
            for name in text.names {
                assert!(asked.params.get(name).is_some(), "{name} of `{}`", asked.text);
            }
        }
    }
}
