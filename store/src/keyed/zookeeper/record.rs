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
pub(super) const ANY: i32 = -1;
/// The kind of a new node that stays when the session ends.
const PERSISTENT: i32 = 0;

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

/// The server's metadata of a node.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    /// The number, in the cluster's count of changes, of the one that wrote it last.
    pub mzxid: i64,
    /// When it was written last, in ms since 1970 by the leader's clock.
    pub mtime: i64,
    /// How often it was written.
    pub version: i32,
    /// How often its children changed.
    pub cversion: i32,
}

impl Stat {
    fn read(from: &mut &[u8]) -> Result<Stat, Error> {
        let _czxid = from.try_get_i64()?;
        let (mzxid, _ctime) = (from.try_get_i64()?, from.try_get_i64()?);
        let (mtime, version) = (from.try_get_i64()?, from.try_get_i32()?);
        let cversion = from.try_get_i32()?;
        // Skips the ACL's version, the owner, the data's length, and the children's number and last change.
        from.try_copy_to_slice(&mut [0; 4 + 8 + 4 + 4 + 8])?;
        Ok(Stat { mzxid, mtime, version, cversion })
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

    /// Writes an existing node without data, whatever its version.
    pub async fn set(&self, path: &str) -> Result<Stat, Error> {
        let mut multi = Multi::default();
        multi.set(path, "", None);
        let done = self.write(multi).await.map_err(|failed| failed.error)?;
        done.into_iter().flatten().next().ok_or_else(Error::unread)
    }

    /// Makes a node without data, and missing nodes above it.
    pub async fn make_all(&self, path: &str, rights: Rights) -> Result<(), Error> {
        let mut missing = vec![path];
        while let Some(&at) = missing.last() {
            let mut multi = Multi::default();
            multi.create(at, "", rights);
            match self.write(multi).await.map_err(|failed| failed.error) {
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

    /// Lets this server, which may lag behind, catch up with all earlier writes.
    pub async fn sync(&self, of: &str) -> Result<(), Error> {
        self.ask(SYNC, path(of)).await.map(drop)
    }

    /// Carries out all operations or none, and gives the new stat of each node that was set, `None` for the
    /// other operations. The request is sent now, in the order of the calls.
    pub fn write(
        &self,
        multi: Multi,
    ) -> impl Future<Output = Result<Vec<Option<Stat>>, Failed>> + use<> {
        let mut body = multi.0;
        put_head(&mut body, -1, true);
        let answer = self.ask(MULTI, body);
        async move { done(&mut answer.await?.as_slice()) }
    }
}

/// Changes that are carried out together.
#[derive(Debug, Default)]
pub struct Multi(Vec<u8>);

impl Multi {
    /// Requires a version of a node.
    pub fn check(&mut self, path: &str, version: i32) {
        self.put(CHECK, path);
        self.0.put_i32(version);
    }

    /// Makes a node that stays.
    pub fn create(&mut self, path: &str, data: &str, rights: Rights) {
        self.put(CREATE, path);
        put_text(&mut self.0, data);
        // The ACL: one entry with all five permissions.
        self.0.put_i32(1);
        self.0.put_i32(0b1_1111);
        let (scheme, id) = match rights {
            Rights::Anyone => ("world", "anyone"),
            Rights::Creator => ("auth", ""),
        };
        put_text(&mut self.0, scheme);
        put_text(&mut self.0, id);
        self.0.put_i32(PERSISTENT);
    }

    /// Writes a node, if it has this version.
    pub fn set(&mut self, path: &str, data: &str, version: Option<i32>) {
        self.put(SET, path);
        put_text(&mut self.0, data);
        self.0.put_i32(version.unwrap_or(ANY));
    }

    /// Deletes a node without children.
    pub fn delete(&mut self, path: &str) {
        self.put(DELETE, path);
        self.0.put_i32(ANY);
    }

    fn put(&mut self, kind: i32, path: &str) {
        put_head(&mut self.0, kind, false);
        put_text(&mut self.0, path);
    }
}

/// Why a [`Multi`] failed.
#[derive(Debug)]
pub struct Failed {
    /// The index, from 0, of the operation that was refused, so that none was carried out. Without one the
    /// request failed as a whole, and if the connection was lost, it may have been carried out.
    pub part: Option<usize>,
    /// The reason.
    pub error: Error,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { part: None, error }
    }
}

impl From<TryGetError> for Failed {
    fn from(error: TryGetError) -> Failed {
        Error::from(error).into()
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
            CHECK | DELETE => done.push(None),
            SET => done.push(Some(Stat::read(answer)?)),
            CREATE => {
                read_text(answer)?;
                done.push(None);
            }
            // Operations before the refused one have code 0, those after it a code for not having been tried.
            -1 => match answer.try_get_i32()? {
                0 => {}
                code => failed = failed.or(Some((part, Error::of(code)))),
            },
            _ => return Err(Error::unread().into()),
        }
    }
    let failed = failed.map(|(part, error)| Failed { part: Some(part), error });
    failed.map_or(Ok(done), Err)
}
