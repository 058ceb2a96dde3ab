//! The file of principals and hashed tokens.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use jiff::Timestamp;
use leafid_core::{Code, StoreTime};
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::utc::{self, span_ms};
use toml::{Table, Value};

use super::principal::{Known, Pattern, Principal, Verb, is_name};
use super::secret::Hash;
use crate::shallow;

const HEAD: &str = "# Who may use this store. Written by `leafid token`, and by hand; a running server reads it \
                    again when it changes.\n# It has the SHA-256 of each token, and no token.\n\n";

/// Reads the file.
///
/// # Errors
/// `REQUEST_INVALID` for one that is missing, that others can read or write, or that says something
/// that is not known.
pub fn read(path: &Path) -> Result<Vec<Principal>, Problem> {
    let wrong = |why: String| {
        let detail = format!("token file `{}`: {why}", path.display());
        Problem::new(Code::RequestInvalid, detail)
    };
    let mut file = File::open(path).map_err(|error| {
        wrong(format!("{error}; make one: leafid token create NAME --tokens {}", path.display()))
    })?;
    guarded(&file).map_err(|why| wrong(format!("{why} {}", path.display())))?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    parse(&text).map_err(wrong)
}

/// Others may neither read nor write it: whoever writes it makes tokens, and whoever reads it learns
/// who may do what. A group may read it, as files are mounted into containers.
#[cfg(unix)]
fn guarded(file: &File) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode() & 0o777;
    match mode & 0o037 {
        0 => Ok(()),
        _ => Err(format!("its mode is {mode:03o}, so that others can use it; run: chmod 600")),
    }
}

#[cfg(not(unix))]
fn guarded(_: &File) -> Result<(), String> {
    Ok(())
}

/// Writes the file as a whole, readable by its owner alone: what reads it sees the old one or the
/// new one.
///
/// # Errors
/// `STORE_UNAVAILABLE`.
pub fn write(path: &Path, principals: &[Principal]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::unavailable(format!("token file `{}` cannot be written: {error}", path.display()))
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&new).and_then(|mut file| {
        file.write_all(text(principals).as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&new, path)).map_err(|error| {
        let _ = std::fs::remove_file(&new);
        failed(error)
    })
}

fn parse(text: &str) -> Result<Vec<Principal>, String> {
    shallow::check(text)?;
    // Its own message would show what stands in the line.
    let mut file: Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).map_or(0, |before| before.matches('\n').count()) + 1;
        format!("line {line} is not TOML: {}", error.message())
    })?;
    let entries = match file.remove("principals") {
        None => Table::new(),
        Some(Value::Table(entries)) => entries,
        Some(_) => return Err("`principals` must be a table of names".to_owned()),
    };
    if let Some(unknown) = file.keys().next() {
        return Err(format!("`{}` is not known; it has `principals`", shown(unknown)));
    }
    let mut principals = Vec::new();
    for (name, entry) in entries {
        let at = |why: String| format!("`principals.{}`: {why}", shown(&name));
        if !is_name(&name) {
            return Err(at("a name has 1 to 128 letters, digits and `._:-`".to_owned()));
        }
        let Value::Table(entry) = entry else { return Err(at("must be a table".to_owned())) };
        principals.push(principal(&name, entry).map_err(at)?);
    }
    Ok(principals)
}

fn principal(name: &str, mut entry: Table) -> Result<Principal, String> {
    let mut found = Principal::named(name);
    let patterns = |entry: &mut Table, field: &str, usual| match texts(entry, field)? {
        None => Ok(usual),
        Some(said) => said.iter().map(|text| pattern(text)).collect::<Result<Vec<_>, _>>(),
    };
    found.tags = patterns(&mut entry, "tags", found.tags)?;
    found.namespaces = patterns(&mut entry, "namespaces", found.namespaces)?;
    if let Some(verbs) = texts(&mut entry, "verbs")? {
        found.verbs = verbs.iter().map(|text| verb(text)).collect::<Result<_, _>>()?;
    }
    let small = |number: Option<u64>, field: &str| {
        let small = number.map(u32::try_from).transpose();
        small.map_err(|_| format!("`{field}` is at most {}", u32::MAX))
    };
    found.max_step = small(number(&mut entry, "max_step")?, "max_step")?;
    if let Some(window) = text_of(&mut entry, "max_window")? {
        let ms = span_ms(&window).map_err(|why| format!("`max_window`: {why}"))?;
        found.max_window_ms = Some(ms).filter(|ms| *ms >= 1_000);
        if found.max_window_ms.is_none() {
            return Err("`max_window` is at least 1s".to_owned());
        }
    }
    found.ids_per_day = number(&mut entry, "ids_per_day")?;
    found.workers = small(number(&mut entry, "workers")?, "workers")?.unwrap_or(found.workers);
    for token in array(&mut entry, "tokens")?.unwrap_or_default() {
        let Value::Table(token) = token else {
            return Err("`tokens` must be tables".to_owned());
        };
        found.tokens.push(known(token)?);
    }
    nothing_else(&entry)?;
    Ok(found)
}

fn known(mut entry: Table) -> Result<Known, String> {
    let hash = text_of(&mut entry, "sha256")?.as_deref().and_then(Hash::parse);
    let hash = hash.ok_or("a token needs its `sha256`, 64 lower-case hex digits")?;
    let id = text_of(&mut entry, "id")?.unwrap_or_default();
    let (created, expires) = (moment(&mut entry, "created")?, moment(&mut entry, "expires")?);
    nothing_else(&entry)?;
    Ok(Known { id, hash, created, expires })
}

/// Reads a pattern.
pub fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::parse(text).ok_or_else(|| {
        format!("`{}` is not a pattern: use a name, or its beginning and a star", shown(text))
    })
}

/// Reads a verb.
pub fn verb(text: &str) -> Result<Verb, String> {
    Verb::parse(text).ok_or_else(|| {
        format!("`{}` is not a verb: use lease, read, admin or metrics", shown(text))
    })
}

fn nothing_else(entry: &Table) -> Result<(), String> {
    match entry.keys().next() {
        None => Ok(()),
        Some(unknown) => Err(format!("`{}` is not known", shown(unknown))),
    }
}

fn array(entry: &mut Table, field: &str) -> Result<Option<Vec<Value>>, String> {
    match entry.remove(field) {
        None => Ok(None),
        Some(Value::Array(values)) => Ok(Some(values)),
        Some(_) => Err(format!("`{field}` must be an array")),
    }
}

fn texts(entry: &mut Table, field: &str) -> Result<Option<Vec<String>>, String> {
    let Some(values) = array(entry, field)? else { return Ok(None) };
    let text = |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(format!("`{field}` must be an array of strings")),
    };
    values.into_iter().map(text).collect::<Result<_, _>>().map(Some)
}

fn text_of(entry: &mut Table, field: &str) -> Result<Option<String>, String> {
    match entry.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{field}` must be a string")),
    }
}

fn number(entry: &mut Table, field: &str) -> Result<Option<u64>, String> {
    match entry.remove(field) {
        None => Ok(None),
        Some(Value::Integer(number @ 1..)) => Ok(u64::try_from(number).ok()),
        Some(_) => Err(format!("`{field}` must be a whole number from 1 on")),
    }
}

fn moment(entry: &mut Table, field: &str) -> Result<Option<StoreTime>, String> {
    let text = match entry.remove(field) {
        None => return Ok(None),
        Some(Value::String(text)) => text,
        Some(Value::Datetime(at)) => at.to_string(),
        Some(_) => String::new(),
    };
    let at: Timestamp = text.parse().map_err(|_| {
        format!("`{field}` must be a moment with its zone, as in 2027-01-31T00:00:00Z")
    })?;
    Ok(Some(StoreTime::new(at.as_millisecond())))
}

fn text(principals: &[Principal]) -> String {
    let mut text = HEAD.to_owned();
    // What JSON quotes, TOML reads.
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
    use super::*;

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
            ("x = 1", "`x` is not known"),
            ("[principals.a]\nverb = []", "`principals.a`: `verb` is not known"),
            ("[principals.a]\nverbs = [\"all\"]", "`all` is not a verb"),
            ("[principals.a]\ntags = [\"a*b\"]", "`a*b` is not a pattern"),
            ("[principals.a]\nmax_step = 0", "`max_step` must be a whole number from 1"),
            ("[principals.a]\nmax_step = 5000000000", "`max_step` is at most"),
            ("[principals.a]\nmax_window = \"10\"", "a number and a unit"),
            ("[principals.a]\nmax_window = \"10ms\"", "at least 1s"),
            ("[principals.\"a b\"]", "a name has"),
            ("[[principals.a.tokens]]\nid = \"x\"", "64 lower-case hex digits"),
            ("principals = 1", "table of names"),
            ("\n\n[[[", "line 3 is not TOML"),
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
