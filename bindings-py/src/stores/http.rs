//! `leafid.HttpStore`: a store behind a URL.

use std::sync::Arc;

use leafid_core::{Ask, Release};
use leafid_wire::Fields;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::stores::{Credentials, Http, Transport, shown};
use crate::stores::answer;
use crate::values::{FilePath, Text, dict};

/// A store behind a URL.
///
/// Generators carry their asks to it in a thread that never takes the interpreter lock. `token` comes
/// from the operator; `ca` is a PEM file of the authorities to trust in place of the public ones;
/// `cert` and `key` are the files of a client certificate and its key. The defaults are `LEAFID_TOKEN`,
/// `LEAFID_CA`, `LEAFID_CERT` and `LEAFID_KEY` in the environment. The files are read once.
#[pyclass(frozen, module = "leafid")]
pub struct HttpStore(pub Arc<Http>);

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
    ) -> PyResult<HttpStore> {
        let token = token.map(|token| token.get("token")).transpose()?;
        let path = |given: Option<FilePath>, what| given.map(|path| path.get(what)).transpose();
        let (ca, cert, key) = (path(ca, "ca")?, path(cert, "cert")?, path(key, "key")?);
        let shown_to_it = Credentials { token, ca, cert, key };
        Ok(HttpStore(Arc::new(Http::new(&url.get("url")?, shown_to_it)?)))
    }

    /// The URL, with its password, if it has one; `repr` and messages leave that out.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// Leases numbers of a tag, over its own connection.
    fn lease_segment<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Segment)
    }

    /// Grants a worker number and a window on it, over its own connection.
    fn acquire<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Acquire)
    }

    /// Extends a window, over its own connection.
    fn renew<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Renew)
    }

    /// Takes back the rest of a window, over its own connection.
    fn release<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = ask.py();
        let release: Release = dict::read(ask, "the release")?;
        py.detach(|| self.0.connect().release(&release));
        Ok(PyDict::new(py))
    }

    /// The constructor's arguments, for a pickle, which therefore contains the token.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let how = PyDict::new(py);
        let given = &self.0.given;
        how.set_item("token", &given.token)?;
        for (name, path) in [("ca", &given.ca), ("cert", &given.cert), ("key", &given.key)] {
            how.set_item(name, path)?;
        }
        Ok(((&self.0.url,), how))
    }

    fn __repr__(&self) -> String {
        format!("HttpStore({:?})", shown(&self.0.url))
    }
}

impl HttpStore {
    fn serve<'py, A: Fields>(
        &self,
        ask: &Bound<'py, PyAny>,
        of: impl FnOnce(A) -> Ask,
    ) -> PyResult<Bound<'py, PyDict>> {
        answer(ask, of, |wanted| ask.py().detach(|| self.0.connect().ask(wanted)))
    }
}
