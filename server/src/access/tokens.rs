//! The principals that a running server knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{Code, StoreTime};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::problem::Problem;
use leafid_store::utc;

use super::file;
use super::fresh::Fresh;
use super::meter::Meter;
use super::principal::{LIVE, Principal};
use super::secret::Hash;

#[derive(Debug)]
pub struct Member {
    pub who: Principal,
    /// Its use of quotas, kept across changes of the file.
    pub meter: Arc<Meter>,
}

#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    members: Fresh<Vec<Arc<Member>>>,
}

impl Tokens {
    pub fn open(path: &Path) -> Result<Tokens, Problem> {
        let members = Fresh::open([path.to_owned()], || members(path, &[]))?;
        Ok(Tokens { path: path.to_owned(), members })
    }

    /// As [`Fresh::reload`]: how many principals the file has.
    pub fn reload(&self, in_any_case: bool) -> Result<Option<usize>, Problem> {
        let before = self.members.current();
        let changed = self.members.reload(in_any_case, || members(&self.path, &before))?;
        Ok(changed.then(|| self.members.current().len()))
    }

    pub fn member(&self, token: &str) -> Result<Arc<Member>, Problem> {
        let (hash, members) = (Hash::of(token), self.members.current());
        let all = members
            .iter()
            .flat_map(|member| member.who.tokens.iter().map(move |known| (member, known)));
        // All are compared, so that the time tells nothing.
        let found = all.fold(None, |found, (member, known)| {
            if bool::from(known.hash.matches(&hash)) { Some((member, known)) } else { found }
        });
        let unauthorized = |detail: String| Problem::new(Code::Unauthorized, detail);
        let Some((member, known)) = found else {
            return Err(unauthorized(
                "this token is not known here; the operator makes one with: leafid token create NAME \
                 --tokens FILE, FILE being what the server was given as --tokens"
                    .to_owned(),
            ));
        };
        if !known.is_live(SystemClock.wall()) {
            let at = known.expires.map_or_else(String::new, utc::text);
            let name = &member.who.name;
            return Err(unauthorized(format!(
                "the token `{}` of principal `{name}` expired at {at}; make a new one: leafid token \
                 create {name} --tokens FILE",
                known.id
            )));
        }
        Ok(Arc::clone(member))
    }
}

fn members(path: &Path, before: &[Arc<Member>]) -> Result<Vec<Arc<Member>>, Problem> {
    let principals = file::read(path)?;
    check(&principals, SystemClock.wall()).map_err(|why| {
        let detail = format!("token file `{}`: {why}", path.display());
        Problem::new(Code::RequestInvalid, detail)
    })?;
    let meters: BTreeMap<&str, &Arc<Meter>> =
        before.iter().map(|member| (member.who.name.as_str(), &member.meter)).collect();
    let member = |who: Principal| {
        let meter =
            meters.get(who.name.as_str()).map_or_else(Arc::default, |meter| Arc::clone(meter));
        Arc::new(Member { who, meter })
    };
    Ok(principals.into_iter().map(member).collect())
}

fn check(principals: &[Principal], now: StoreTime) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for who in principals {
        let live = who.tokens.iter().filter(|known| known.is_live(now)).count();
        if live > LIVE {
            return Err(format!(
                "principal `{}` has {live} live tokens, and may have {LIVE}; revoke one: leafid token \
                 revoke {} --id ID --tokens FILE",
                who.name, who.name
            ));
        }
        for known in &who.tokens {
            if let Some(other) = seen.insert(known.hash.hex(), &who.name) {
                let name = &who.name;
                return Err(format!("principals `{other}` and `{name}` have the same token"));
            }
        }
    }
    Ok(())
}
