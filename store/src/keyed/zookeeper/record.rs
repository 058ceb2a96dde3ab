//! ZooKeeper's requests and answers, as defined in `zookeeper.jute` of its sources: numbers are big-endian,
//! and bytes, texts and lists follow their length.

use bytes::{Buf, BufMut, TryGetError};

use super::session::Session;

const CREATE: i32 = 1;
const DELETE: i32 = 2;
const EXISTS: i32 = 3;
const GET: i32 = 4;
const SET: i32 = 5;
const SYNC: i32 = 9;
const CHILDREN: i32 = 12;
const CHECK: i32 = 13;
const MULTI: i32 = 14;

/// Matches any version of a node.
const ANY: i32 = -1;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no such node.
    NoNode,
    /// The node exists already.
    NodeExists,
    /// The node has another version.
    BadVersion,
    /// The user lacks the right.
    NoAuth,
    /// The login was refused.
    AuthFailed,
    /// Another error code of the server.
    Answer(i32),
    /// No server answers, or the answer cannot be read: whether the request was carried out is unknown.
    Lost(String),
}

impl Error {
    pub(super) fn of(code: i32) -> Error {
        match code {
            -101 => Error::NoNode,
            -102 => Error::NoAuth,
            -103 => Error::BadVersion,
            -110 => Error::NodeExists,
            -115 | -124 => Error::AuthFailed,
            code => Error::Answer(code),
        }
    }

    pub(super) fn gone() -> Error {
        Error::Lost("the connection was closed".to_owned())
    }

    pub(super) fn unread() -> Error {
        Error::Lost("the server's answer does not follow ZooKeeper's protocol".to_owned())
    }

    /// Whether the server refused the request, and the session goes on.
    pub(super) fn is_refusal(&self) -> bool {
        // Bad arguments, an invalid ACL, a quota used up, throttling.
        matches!(self, Error::NoNode | Error::NodeExists | Error::BadVersion)
            || matches!(self, Error::Answer(-8 | -114 | -125 | -127))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Error::NoNode => "no such node",
            Error::NodeExists => "the node exists",
            Error::BadVersion => "the node has another version",
            Error::NoAuth => "no right to do this",
            Error::AuthFailed => "the login was refused",
            Error::Answer(-112) => "the session expired",
            Error::Answer(-114) => "the rights of a node are not valid",
            Error::Answer(-125) => "the quota is used up",
            Error::Answer(-127) => "too many requests",
            Error::Answer(code) => return write!(f, "error {code}"),
            Error::Lost(why) => why,
        })
    }
}

impl From<TryGetError> for Error {
    fn from(_: TryGetError) -> Error {
        Error::unread()
    }
}

/// The ACL of a new node.
#[derive(Clone, Copy, Debug)]
pub enum Rights {
    /// Anyone may do everything.
    Anyone,
    /// Its creator may do everything.
    Creator,
}

/// The kind of a new node.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// It stays.
    Persistent = 0,
    /// It ends with the session, and the server appends a number to its name.
    EphemeralSequential = 3,
}

/// The server's metadata of a node.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    /// The number, in the cluster's count of changes, of the one that wrote it last.
    pub mzxid: i64,
    /// When it was made, in ms since 1970 by the leader's clock.
    pub ctime: i64,
    /// When it was written last, likewise.
    pub mtime: i64,
    /// How often it was written.
    pub version: i32,
    /// How often its children changed.
    pub cversion: i32,
}

impl Stat {
    fn read(from: &mut &[u8]) -> Result<Stat, Error> {
        let _czxid = from.try_get_i64()?;
        let (mzxid, ctime) = (from.try_get_i64()?, from.try_get_i64()?);
        let (mtime, version) = (from.try_get_i64()?, from.try_get_i32()?);
        let cversion = from.try_get_i32()?;
        // Skips the ACL's version, the owner, the data's length, and the children's number and last change.
        from.try_copy_to_slice(&mut [0; 4 + 8 + 4 + 4 + 8])?;
        Ok(Stat { mzxid, ctime, mtime, version, cversion })
    }
}

pub(super) fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    to.put_i32(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
    to.put_slice(bytes);
}

pub(super) fn put_text(to: &mut Vec<u8>, text: &str) {
    put_bytes(to, text.as_bytes());
}

fn read_bytes(from: &mut &[u8]) -> Result<Vec<u8>, Error> {
    // A length of -1 means null: read as no bytes.
    let length = usize::try_from(from.try_get_i32()?.max(0)).unwrap_or(0);
    let (bytes, rest) = from.split_at_checked(length).ok_or_else(Error::unread)?;
    *from = rest;
    Ok(bytes.to_vec())
}

fn read_text(from: &mut &[u8]) -> Result<String, Error> {
    String::from_utf8(read_bytes(from)?).map_err(|_| Error::unread())
}

fn path(path: &str) -> Vec<u8> {
    let mut body = Vec::new();
    put_text(&mut body, path);
    body
}

/// The body of a read: the path, without a watch.
fn unwatched(of: &str) -> Vec<u8> {
    let mut body = path(of);
    body.put_u8(0);
    body
}

fn put_set(to: &mut Vec<u8>, path: &str, data: &[u8], version: Option<i32>) {
    put_text(to, path);
    put_bytes(to, data);
    to.put_i32(version.unwrap_or(ANY));
}

fn put_create(to: &mut Vec<u8>, path: &str, data: &[u8], rights: Rights, kind: Kind) {
    let (scheme, id) = match rights {
        Rights::Anyone => ("world", "anyone"),
        Rights::Creator => ("auth", ""),
    };
    put_text(to, path);
    put_bytes(to, data);
    // The ACL: one entry with all five permissions.
    to.put_i32(1);
    to.put_i32(0b1_1111);
    put_text(to, scheme);
    put_text(to, id);
    to.put_i32(kind as i32);
}

/// # Errors
/// Every method tells how it failed.
impl Session {
    /// Reads the metadata of a node, if it exists.
    pub async fn stat(&self, of: &str) -> Result<Option<Stat>, Error> {
        match self.ask(EXISTS, unwatched(of)).await {
            Ok(answer) => Stat::read(&mut answer.as_slice()).map(Some),
            Err(Error::NoNode) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a node's data.
    pub async fn get(&self, of: &str) -> Result<(Vec<u8>, Stat), Error> {
        let answer = self.ask(GET, unwatched(of)).await?;
        let answer = &mut answer.as_slice();
        Ok((read_bytes(answer)?, Stat::read(answer)?))
    }

    /// Reads the names of a node's children, in no order.
    pub async fn children(&self, of: &str) -> Result<(Vec<String>, Stat), Error> {
        let answer = self.ask(CHILDREN, unwatched(of)).await?;
        let answer = &mut answer.as_slice();
        let names: Result<_, _> = (0..answer.try_get_i32()?).map(|_| read_text(answer)).collect();
        Ok((names?, Stat::read(answer)?))
    }

    /// Writes an existing node, whatever its version.
    pub async fn set(&self, path: &str, data: &[u8]) -> Result<Stat, Error> {
        let mut body = Vec::new();
        put_set(&mut body, path, data, None);
        Stat::read(&mut self.ask(SET, body).await?.as_slice())
    }

    /// Makes a node, and gives its path.
    pub async fn create(
        &self,
        path: &str,
        data: &[u8],
        rights: Rights,
        kind: Kind,
    ) -> Result<String, Error> {
        let mut body = Vec::new();
        put_create(&mut body, path, data, rights, kind);
        read_text(&mut self.ask(CREATE, body).await?.as_slice())
    }

    /// Makes a node without data, and missing nodes above it.
    pub async fn make_all(&self, path: &str, rights: Rights) -> Result<(), Error> {
        let mut missing = vec![path];
        while let Some(&at) = missing.last() {
            match self.create(at, b"", rights, Kind::Persistent).await {
                Ok(_) | Err(Error::NodeExists) => drop(missing.pop()),
                Err(Error::NoNode) => match at.rsplit_once('/') {
                    Some((above, _)) if !above.is_empty() => missing.push(above),
                    _ => return Err(Error::NoNode),
                },
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Deletes a node without children, whatever its version.
    pub async fn delete(&self, of: &str) -> Result<(), Error> {
        let mut body = path(of);
        body.put_i32(ANY);
        self.ask(DELETE, body).await.map(drop)
    }

    /// Lets this server, which may lag behind, catch up with all earlier writes.
    pub async fn sync(&self, of: &str) -> Result<(), Error> {
        self.ask(SYNC, path(of)).await.map(drop)
    }

    /// Carries out all operations or none, and gives the new stat of each node that was set, `None` for the
    /// other operations. The request is sent now, in the order of the calls.
    pub(super) fn write(
        &self,
        multi: Multi,
    ) -> impl Future<Output = Result<Vec<Option<Stat>>, Failed>> + use<> {
        let mut body = multi.0;
        put_head(&mut body, -1, true);
        let answer = self.ask(MULTI, body);
        async move { done(&mut answer.await.map_err(Failed::Whole)?.as_slice()) }
    }
}

/// Changes that are carried out together.
#[derive(Debug, Default)]
pub struct Multi(Vec<u8>);

impl Multi {
    pub fn check(&mut self, path: &str, version: i32) {
        put_head(&mut self.0, CHECK, false);
        put_text(&mut self.0, path);
        self.0.put_i32(version);
    }

    pub fn create(&mut self, path: &str, data: &str, rights: Rights) {
        put_head(&mut self.0, CREATE, false);
        put_create(&mut self.0, path, data.as_bytes(), rights, Kind::Persistent);
    }

    pub fn set(&mut self, path: &str, data: &str, version: Option<i32>) {
        put_head(&mut self.0, SET, false);
        put_set(&mut self.0, path, data.as_bytes(), version);
    }
}

/// Why a [`Multi`] failed.
#[derive(Debug)]
pub enum Failed {
    /// The operation with this index, from 0, was refused, so none was carried out.
    Part(usize, Error),
    /// The request failed as a whole; if the connection was lost, it may have been carried out.
    Whole(Error),
}

impl From<TryGetError> for Failed {
    fn from(error: TryGetError) -> Failed {
        Failed::Whole(error.into())
    }
}

fn put_head(to: &mut Vec<u8>, kind: i32, last: bool) {
    to.put_i32(kind);
    to.put_u8(u8::from(last));
    to.put_i32(-1);
}

fn done(answer: &mut &[u8]) -> Result<Vec<Option<Stat>>, Failed> {
    let (mut done, mut failed) = (Vec::new(), None);
    for part in 0.. {
        let (kind, last) = (answer.try_get_i32()?, answer.try_get_u8()? != 0);
        let _code = answer.try_get_i32()?;
        if last {
            break;
        }
        match kind {
            CHECK => done.push(None),
            SET => done.push(Some(Stat::read(answer).map_err(Failed::Whole)?)),
            CREATE => {
                read_text(answer).map_err(Failed::Whole)?;
                done.push(None);
            }
            // Operations before the refused one have code 0, those after it a code for not having been tried.
            -1 => match answer.try_get_i32()? {
                0 => {}
                code => failed = failed.or(Some(Failed::Part(part, Error::of(code)))),
            },
            _ => return Err(Failed::Whole(Error::unread())),
        }
    }
    failed.map_or(Ok(done), Err)
}
