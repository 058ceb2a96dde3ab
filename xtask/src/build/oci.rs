//! The components as an OCI image layout: what `wkg oci push` would push, in a folder.

use serde_json::{Value, json};

use crate::process::Run;
use crate::{Outcome, files, project};

const LAYER: &str = "application/wasm";
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// What a component says of itself.
pub struct Artifact {
    /// The name of its file, without `.wasm`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its WIT, which begins with its world.
    pub wit: String,
}

/// Writes `dist/oci` anew.
pub fn write(artifacts: &[Artifact]) -> Outcome {
    files::remove_dir(&project::dist().join("oci"))?;
    let manifests = artifacts.iter().map(manifest).collect::<Outcome<Vec<_>>>()?;
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests });
    files::write(&project::dist().join("oci/index.json"), index.to_string())?;
    let layout = json!({ "imageLayoutVersion": "1.0.0" });
    files::write(&project::dist().join("oci/oci-layout"), layout.to_string())?;
    Ok(())
}

/// The manifest of one component, as the index names it.
fn manifest(artifact: &Artifact) -> Outcome<Value> {
    let Artifact { name, about, wit } = artifact;
    let interfaces = |word: &str| {
        let lines = wit.lines().filter_map(|line| line.trim().strip_prefix(word));
        lines.map(|name| name.trim_end_matches(';').to_owned()).collect::<Vec<_>>()
    };
    let component = files::bytes(&project::dist().join(format!("{name}.wasm")))?;
    let layer = blob(LAYER, &component)?;
    // The time is none: the same sources make the same artifact.
    let config = json!({
        "created": "1970-01-01T00:00:00Z",
        "architecture": "wasm",
        "os": "wasip2",
        "layerDigests": [layer["digest"]],
        "component": { "imports": interfaces("import "), "exports": interfaces("export ") },
    });
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": blob(CONFIG, config.to_string().as_bytes())?,
        "layers": [layer],
        "annotations": {
            "org.opencontainers.image.title": name,
            "org.opencontainers.image.description": about,
            "org.opencontainers.image.version": project::version(),
            "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            "org.opencontainers.image.source": "https://github.com/leafid/leafid",
        },
    });
    let mut named = blob(MANIFEST, manifest.to_string().as_bytes())?;
    named["annotations"] = json!({ "org.opencontainers.image.ref.name": name });
    Ok(named)
}

/// Writes some bytes under their digest, and describes them.
fn blob(media_type: &str, bytes: &[u8]) -> Outcome<Value> {
    let half = project::target().join("component/blob");
    files::write(&half, bytes)?;
    let said = Run::new("sha256sum").quiet().arg(&half).output()?;
    let digest = said.split_whitespace().next().ok_or("`sha256sum` said nothing")?;
    files::install(&half, &project::dist().join("oci/blobs/sha256").join(digest))?;
    Ok(json!({
        "mediaType": media_type,
        "digest": format!("sha256:{digest}"),
        "size": bytes.len(),
    }))
}
