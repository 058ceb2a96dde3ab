"""Reads `dist/oci` back by digests, as a registry's client does."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from support.places import DIST

OCI = DIST / "oci"


def blob(described: dict[str, Any]) -> bytes:
    algorithm, digest = described["digest"].split(":")
    content = (OCI / "blobs" / algorithm / digest).read_bytes()
    assert hashlib.new(algorithm, content).hexdigest() == digest
    assert len(content) == described["size"]
    return content


EXPORTS = {"leafid": "registry", "leafid-pure": "registry", "leafid-public": "public-ids"}


@pytest.mark.parametrize("name", EXPORTS)
def test_the_artifact_is_the_component(name: str) -> None:
    assert json.loads((OCI / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    manifests = json.loads((OCI / "index.json").read_text())["manifests"]
    refs = {each["annotations"]["org.opencontainers.image.ref.name"]: each for each in manifests}
    manifest = json.loads(blob(refs[name]))
    (layer,) = manifest["layers"]
    assert layer["mediaType"] == "application/wasm"
    assert blob(layer) == (DIST / f"{name}.wasm").read_bytes()
    assert manifest["config"]["mediaType"] == "application/vnd.wasm.config.v0+json"
    config = json.loads(blob(manifest["config"]))
    assert (config["architecture"], config["layerDigests"]) == ("wasm", [layer["digest"]])
    assert f"leafid:generator/{EXPORTS[name]}@0.1.0" in config["component"]["exports"]
    assert len(config["component"]["imports"]) == (4 if name == "leafid" else 1)
