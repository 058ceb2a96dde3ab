//! `leafid.HttpStore`: a store behind a URL.

use std::sync::Arc;

use leafid::stores::{Credentials, Http, shown};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::stores::native::NativeStore;
use crate::values::{FilePath, OrRaise as _, Text};

/// A store behind a URL.
///
/// Generators carry their asks to it in a thread that never takes the interpreter lock. `token` comes
/// from the operator; `ca` is a PEM file of the authorities to trust in place of the public ones;
/// `cert` and `key` are the files of a client certificate and its key. The defaults are `LEAFID_TOKEN`,
/// `LEAFID_CA`, `LEAFID_CERT` and `LEAFID_KEY` in the environment. The files are read once.
#[pyclass(frozen, extends = NativeStore, module = "leafid")]
pub struct HttpStore {
    pub http: Arc<Http>,
}

#[pymethods]
impl HttpStore {
    #[new]
    #[pyo3(signature = (url, *, token = None, ca = None, cert = None, key = None))]
    fn new(
        url: Text,
        token: Option<Text>,
        ca: Option<FilePath>,
        cert: Option<FilePath>,
        key: Option<FilePath>,
    ) -> PyResult<PyClassInitializer<HttpStore>> {
        let token = token.map(|token| token.get("token")).transpose()?;
        let path = |given: Option<FilePath>, what| given.map(|path| path.get(what)).transpose();
        let (ca, cert, key) = (path(ca, "ca")?, path(cert, "cert")?, path(key, "key")?);
        let shown_to_it = Credentials { token, ca, cert, key };
        let http = Arc::new(Http::new(&url.get("url")?, shown_to_it).or_raise()?);
        let methods = NativeStore(Arc::clone(&http) as _);
        Ok(PyClassInitializer::from(methods).add_subclass(HttpStore { http }))
    }

    /// The URL, with its password, if it has one; `repr` and messages leave that out.
    #[getter]
    fn url(&self) -> &str {
        &self.http.url
    }

    /// The constructor's arguments, for a pickle, which therefore contains the token.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let how = PyDict::new(py);
        let given = &self.http.given;
        how.set_item("token", &given.token)?;
        for (name, path) in [("ca", &given.ca), ("cert", &given.cert), ("key", &given.key)] {
            how.set_item(name, path)?;
        }
        Ok(((&self.http.url,), how))
    }

    fn __repr__(&self) -> String {
        format!("HttpStore({:?})", shown(&self.http.url))
    }
}
