//! The file of principals and hashed tokens.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use leafid_core::Code;
use leafid_store::fence::file::private;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::utc;
use serde::Deserialize;

use super::principal::{Pattern, Principal, Verb, is_name};
use crate::{host, toml_text};

const HEAD: &str = "# Who may use this store. Written by `leafid token`, and by hand; a running server reads it \
                    again when it changes.\n# It has the SHA-256 of each token, and no token.\n\n";

pub fn read(path: &Path) -> Result<Vec<Principal>, Problem> {
    let wrong = |why: String| {
        let detail = format!("token file `{}`: {why}", path.display());
        Problem::new(Code::RequestInvalid, detail)
    };
    let mut file = File::open(path).map_err(|error| {
        wrong(format!("{error}; make one: leafid token create NAME --tokens {}", path.display()))
    })?;
    // Writing it makes tokens, reading it shows every principal's rights.
    host::guarded(&file).map_err(|why| wrong(format!("{why} {}", path.display())))?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    parse(&text).map_err(wrong)
}

/// Replaces the file atomically, readable by its owner alone.
pub fn write(path: &Path, principals: &[Principal]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::unavailable(format!("token file `{}` cannot be written: {error}", path.display()))
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    let mut options = File::options();
    let options = private(options.write(true).create_new(true));
    let written = options.open(&new).and_then(|mut file| {
        file.write_all(text(principals).as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&new, path)).map_err(|error| {
        let _ = std::fs::remove_file(&new);
        failed(error)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    #[serde(default)]
    principals: BTreeMap<String, Principal>,
}

fn parse(text: &str) -> Result<Vec<Principal>, String> {
    let entries: Entries = toml_text::read(text, "")?;
    let named = |(name, principal): (String, Principal)| {
        let at = |why: &str| format!("`principals.{}`: {why}", shown(&name));
        if !is_name(&name) {
            return Err(at("a name has 1 to 128 letters, digits and `._:-`"));
        }
        let Principal { max_step, ids_per_day, workers, .. } = principal;
        if max_step == Some(0) || ids_per_day == Some(0) || workers == 0 {
            return Err(at("`max_step`, `ids_per_day` and `workers` are 1 or more"));
        }
        Ok(Principal { name, ..principal })
    };
    entries.principals.into_iter().map(named).collect()
}

pub fn pattern(text: &str) -> Result<Pattern, String> {
    text.to_owned().try_into()
}

pub fn verb(text: &str) -> Result<Verb, String> {
    Verb::ALL.into_iter().find(|verb| verb.name() == text).ok_or_else(|| {
        format!("`{}` is not a verb: use lease, read, admin or metrics", shown(text))
    })
}

fn text(principals: &[Principal]) -> String {
    let mut text = HEAD.to_owned();
    // A JSON string is a TOML string.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let list = |texts: Vec<&str>| {
        let texts: Vec<String> = texts.into_iter().map(quoted).collect();
        format!("[{}]", texts.join(", "))
    };
    for principal in principals {
        let Principal { name, tags, namespaces, verbs, .. } = principal;
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        line(format!("[principals.{}]", quoted(name)));
        line(format!("tags = {}", list(tags.iter().map(Pattern::text).collect())));
        line(format!("namespaces = {}", list(namespaces.iter().map(Pattern::text).collect())));
        line(format!("verbs = {}", list(verbs.iter().map(|verb| verb.name()).collect())));
        principal.max_step.inspect(|most| line(format!("max_step = {most}")));
        principal.max_window_ms.inspect(|ms| line(format!("max_window = \"{ms}ms\"")));
        principal.ids_per_day.inspect(|most| line(format!("ids_per_day = {most}")));
        line(format!("workers = {}", principal.workers));
        for token in &principal.tokens {
            line(format!("\n[[principals.{}.tokens]]", quoted(name)));
            line(format!("id = {}", quoted(&token.id)));
            line(format!("sha256 = \"{}\"", token.hash.hex()));
            let moments = [("created", token.created), ("expires", token.expires)];
            for (field, at) in moments {
                at.inspect(|at| line(format!("{field} = \"{}\"", utc::text(*at))));
            }
        }
        line(String::new());
    }
    text
}

#[cfg(test)]
mod tests {
    use leafid_core::StoreTime;

    use super::*;
    use crate::access::principal::Known;
    use crate::access::secret::Hash;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let mut app = Principal::named("app.\"one\"".replace('"', "-").as_str());
        app.tags = vec![pattern("orders").unwrap(), pattern("tenant:*").unwrap()];
        app.verbs = Verb::ALL.to_vec();
        (app.max_step, app.max_window_ms, app.ids_per_day) = (Some(5), Some(1_500), Some(7));
        app.tokens = vec![Known {
            id: "a1".to_owned(),
            hash: Hash::of("x"),
            created: Some(StoreTime::new(1_735_689_600_000)),
            expires: None,
        }];
        let written = text(&[app.clone(), Principal::named("b")]);
        let read = parse(&written).unwrap();
        assert_eq!(text(&read), written);
        assert_eq!((read[0].max_window_ms, read[0].tokens[0].id.as_str()), (Some(1_500), "a1"));
        assert_eq!(read[1].verbs, Verb::USUAL);
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (text, says) in [
            ("x = 1", "line 1: unknown field `x`"),
            ("[principals.a]\nverb = []", "line 2: unknown field `verb`"),
            ("[principals.a]\nname = \"b\"", "line 2: unknown field `name`"),
            ("[principals.a]\nverbs = [\"all\"]", "`all`, expected one of `lease`"),
            ("[principals.a]\nverbs = \"lease\"", "expected a sequence"),
            ("[principals.a]\ntags = [\"a*b\"]", "`a*b` is not a pattern"),
            ("[principals.a]\nmax_step = 0", "`principals.a`: `max_step`"),
            ("[principals.a]\nids_per_day = 0", "`ids_per_day`"),
            ("[principals.a]\nworkers = 0", "`workers` are 1 or more"),
            ("[principals.a]\nworkers = -1", "line 2: invalid value"),
            ("[principals.a]\nmax_step = 5000000000", "expected u32"),
            ("[principals.a]\nmax_window = \"10\"", "a number and a unit"),
            ("[principals.a]\nmax_window = \"10ms\"", "at least 1s"),
            ("[principals.a]\nmax_window = 10", "expected a string"),
            ("[principals.\"a b\"]", "a name has"),
            ("[[principals.a.tokens]]\nid = \"x\"", "missing field `sha256`"),
            ("[[principals.a.tokens]]\nsha256 = \"x\"", "64 lower-case hex digits"),
            ("principals = 1", "line 1: invalid type: integer `1`, expected a map"),
            ("\n\n[[[", "line 3: unquoted keys cannot be empty"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
        let entry = format!("[[principals.a.tokens]]\nsha256 = \"{}\"\n", Hash::of("x").hex());
        let why = parse(&format!("{entry}expires = \"tomorrow\"")).unwrap_err();
        assert!(why.contains("2027-01-31T00:00:00Z"), "{why}");
        assert!(parse(&format!("{entry}expires = 2027-01-31T00:00:00Z")).is_ok());
    }
}
