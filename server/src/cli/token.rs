//! `leafid token …`: principals and tokens of a server that other machines reach.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use leafid_core::StoreTime;
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::utc;
use serde_json::{Value, json};

use super::args::{pattern, verb};
use super::output::show;
use super::{Failure, complain, invalid};
use crate::access::file;
use crate::access::principal::{Known, LIVE, Pattern, Principal, Verb, is_name};
use crate::access::secret::{self, Hash};

#[derive(Debug, Subcommand)]
pub enum Token {
    /// Makes a token and prints it, once; for an existing principal, a second one to replace the first
    Create(Create),
    /// Lists principals, what they may do, and their tokens' ids
    List(Place),
    /// Takes a token, or all tokens of a principal, out of force
    Revoke(Revoke),
}

#[derive(Args, Debug)]
pub struct Place {
    /// The file of principals and their tokens
    #[arg(
        long = "tokens",
        env = "LEAFID_TOKENS",
        value_name = "FILE",
        default_value = "leafid-tokens.toml"
    )]
    file: PathBuf,
}

#[derive(Args, Debug)]
pub struct Create {
    /// The principal: the program or person that will have the token
    name: String,
    #[command(flatten)]
    place: Place,
    /// A tag it may use, or the beginning of tags and a star, as in tenant:*; may be repeated
    /// [default: * where no namespace is named]
    #[arg(long = "tag", value_name = "PATTERN", value_parser = pattern)]
    tags: Vec<Pattern>,
    /// A namespace it may use, in the same way [default: * where no tag is named]
    #[arg(long = "namespace", value_name = "PATTERN", value_parser = pattern)]
    namespaces: Vec<Pattern>,
    /// What it may do: lease, read, admin or metrics; may be repeated [default: lease and read]. Limits and
    /// quotas stand in the file
    #[arg(long = "verb", value_name = "VERB", value_parser = verb)]
    verbs: Vec<Verb>,
    /// How many days from now the token is valid [default: without an end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: Option<u32>,
}

#[derive(Args, Debug)]
pub struct Revoke {
    /// The principal
    name: String,
    /// Only the token with this id, as `leafid token list` shows it
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    place: Place,
}

impl Token {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Token::Create(create) => create.run(),
            Token::List(place) => list(&place),
            Token::Revoke(revoke) => revoke.run(),
        }
    }
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let file = &self.place.file;
        let mut principals = if file.exists() { file::read(file)? } else { Vec::new() };
        let now = SystemClock.wall();
        let token = secret::fresh()?;
        let hash = Hash::of(&token);
        // The beginning of the hash, which gives nothing away.
        let id: String = hash.hex().chars().take(8).collect();
        let days = |days: u32| now.plus(i64::from(days) * 86_400_000);
        let known =
            Known { id: id.clone(), hash, created: Some(now), expires: self.days.map(days) };
        match principals.iter_mut().find(|who| who.name == self.name) {
            Some(who) => self.rotate(who, known, now)?,
            None => principals.push(self.principal(known)?),
        }
        principals.sort_by(|one, other| one.name.cmp(&other.name));
        file::write(file, &principals)?;
        show(&json!({ "principal": self.name, "id": id, "token": token }), &token)?;
        complain(format_args!(
            "leafid: this is the token `{id}` of `{}`; it is shown only once: keep it where its program \
             reads LEAFID_TOKEN; its hash is in `{}`",
            self.name,
            file.display()
        ));
        Ok(())
    }

    fn principal(&self, known: Known) -> Result<Principal, Problem> {
        if !is_name(&self.name) {
            let detail = format!(
                "`{}` is not a name: use 1 to 128 letters, digits and `._:-`, starting with a letter or \
                 a digit",
                shown(&self.name)
            );
            return Err(invalid(detail));
        }
        let mut who = Principal { tokens: vec![known], ..Principal::named(&self.name) };
        // Naming tags alone gives no namespaces, and the other way round.
        if !(self.tags.is_empty() && self.namespaces.is_empty()) {
            (who.tags, who.namespaces) = (self.tags.clone(), self.namespaces.clone());
        }
        if !self.verbs.is_empty() {
            who.verbs = self.verbs.clone();
        }
        Ok(who)
    }

    fn rotate(&self, who: &mut Principal, known: Known, now: StoreTime) -> Result<(), Problem> {
        let (name, file) = (&self.name, self.place.file.display());
        if !(self.tags.is_empty() && self.namespaces.is_empty() && self.verbs.is_empty()) {
            return Err(invalid(format!(
                "principal `{name}` exists already: change what it may do in `{file}`, or leave these options \
                 out to make a second token"
            )));
        }
        who.tokens.retain(|known| known.is_live(now));
        if who.tokens.len() >= LIVE {
            return Err(invalid(format!(
                "principal `{name}` has {LIVE} live tokens; revoke the one that is not used any more: \
                 leafid token revoke {name} --id {} --tokens {file}",
                who.tokens.first().map_or("ID", |first| first.id.as_str())
            )));
        }
        who.tokens.push(known);
        Ok(())
    }
}

fn list(place: &Place) -> Result<(), Failure> {
    let now = SystemClock.wall();
    let all = file::read(&place.file)?;
    let values: Vec<Value> = all.iter().map(|who| value(who, now)).collect();
    let lines: Vec<String> = values.iter().map(lines).collect();
    show(&json!({ "principals": values }), lines.join("\n"))
}

fn lines(who: &Value) -> String {
    let word = |value: &Value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut text = word(&who["principal"]);
    let fields =
        ["tags", "namespaces", "verbs", "workers", "max_step", "max_window_ms", "ids_per_day"];
    for field in fields.into_iter().filter(|field| !who[*field].is_null()) {
        text.push_str(&format!(" {field}={}", word(&who[field])));
    }
    for token in who["tokens"].as_array().into_iter().flatten() {
        let at =
            |field| token[field].as_i64().map_or("-".into(), |ms| utc::text(StoreTime::new(ms)));
        let state = if token["live"] == true { "live" } else { "expired" };
        let (id, created, expires) = (word(&token["id"]), at("created_ms"), at("expires_ms"));
        text.push_str(&format!("\n  token {id} {state} created={created} expires={expires}"));
    }
    text
}

fn value(who: &Principal, now: StoreTime) -> Value {
    let texts = |patterns: &[Pattern]| patterns.iter().map(Pattern::text).collect::<Value>();
    let tokens = who.tokens.iter().map(|known| {
        json!({
            "id": known.id,
            "live": known.is_live(now),
            "created_ms": known.created.map(StoreTime::get),
            "expires_ms": known.expires.map(StoreTime::get),
        })
    });
    json!({
        "principal": who.name,
        "tags": texts(&who.tags),
        "namespaces": texts(&who.namespaces),
        "verbs": who.verbs.iter().map(|verb| verb.name()).collect::<Value>(),
        "workers": who.workers,
        "max_step": who.max_step,
        "max_window_ms": who.max_window_ms,
        "ids_per_day": who.ids_per_day.map(|most| most.to_string()),
        "tokens": tokens.collect::<Value>(),
    })
}

impl Revoke {
    fn run(self) -> Result<(), Failure> {
        let file = &self.place.file;
        let mut principals = file::read(file)?;
        let unknown = |what: String| {
            let detail = format!("{what}; leafid token list --tokens {}", file.display());
            Failure::from(invalid(detail))
        };
        let Some(who) = principals.iter_mut().find(|who| who.name == self.name) else {
            return Err(unknown(format!("there is no principal `{}`", shown(&self.name))));
        };
        let before = who.tokens.len();
        who.tokens.retain(|known| self.id.as_ref().is_some_and(|id| *id != known.id));
        let revoked = before - who.tokens.len();
        let left = who.tokens.len();
        if revoked == 0 && before > 0 {
            let id = shown(self.id.as_deref().unwrap_or_default()).to_string();
            return Err(unknown(format!("principal `{}` has no token `{id}`", self.name)));
        }
        file::write(file, &principals)?;
        let line = format_args!(
            "{revoked} of {before} tokens of {} revoked, {left} left; a running server refuses them \
             within seconds",
            self.name
        );
        show(&json!({ "principal": self.name, "revoked": revoked, "left": left }), line)
    }
}
