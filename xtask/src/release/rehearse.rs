//! Tries a release with its users' tools: package registries, Kubernetes, systemd, GitHub; uses each installed
//! package once.

use std::path::{Path, PathBuf};

use super::make::fresh;
use super::{at, go, made, python};
use crate::build::npm;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

const HELM: &str = "helm.sh/helm/v3/cmd/helm@v3.22.0";
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const CHART: &str = "deploy/helm/leafid";
/// The oldest Kubernetes of the chart, and the one whose schemas are used.
const KUBERNETES: [&str; 2] = ["1.25", "1.33"];
/// The limit of systemd's exposure level, times ten: below two is its best rating.
const MOST_EXPOSED: &str = "20";

/// A user's first program, without a server.
const FIRST: &str =
    "import leafid; assert leafid.Segment('o', store='memory:').take(3) == [1, 2, 3]";
/// A user's first program in Node, where the native package must be found.
const FIRST_JS: &str = "const { Segment, Snowflake } = require('leafid'); const store = 'memory:'; \
                        const ids = new Snowflake('default', { store, state: 'state' }); \
                        ids.next().then(() => ids.close()); \
                        new Segment('o', { store }).take(3).then(([one]) => { if (one !== 1n) throw one })";

/// Lints Dockerfile, chart, unit and workflows.
pub fn lints() -> Outcome<String> {
    python("hadolint")?.args(["--ignore", "DL3018", "deploy/Dockerfile"]).done()?;
    let workflows = files::ending(&project::at(".github/workflows"), ".yml");
    let shellcheck = super::program("shellcheck")?;
    let lint = Run::new(go("actionlint", ACTIONLINT)?).arg("-shellcheck").arg(shellcheck);
    lint.args(&workflows).done()?;
    for values in files::ending(&project::at(CHART).join("ci"), "-values.yaml") {
        for version in KUBERNETES {
            let lint = Run::new(helm()?).args(["lint", "--strict", "--quiet", CHART, "-f"]);
            lint.arg(&values).args(["--kube-version", version]).output()?;
        }
        let rendered = fresh("chart")?.join("all.yaml");
        files::write(&rendered, render(&values)?)?;
        let validate = ["--strict", "--quiet", "-k", KUBERNETES[1]];
        python("kubernetes-validate")?.args(validate).arg(&rendered).done()?;
    }
    Ok(format!("{} workflows, Dockerfile, chart; unit: {}", workflows.len(), unit()?))
}

pub fn helm() -> Outcome<std::path::PathBuf> {
    go("helm", HELM)
}

/// Renders a sample of the chart to YAML.
pub fn render(values: &Path) -> Outcome<String> {
    let run = Run::new(helm()?).quiet().args(["template", "r", CHART, "-f"]).arg(values);
    run.args(["--kube-version", KUBERNETES[1]]).output()
}

/// Checks with systemd whether the unit can be loaded, and how much it may do.
fn unit() -> Outcome<String> {
    let text = files::read(&project::at("deploy/systemd/leafid.service"))?;
    let unit = fresh("unit")?.join("leafid.service");
    // Neither the program nor its page is installed here.
    let here = text.replace("/usr/bin/leafid", "/bin/true");
    files::write(&unit, here.replace("man:leafid(1) ", ""))?;
    // Its warnings are failures, too.
    let verify = "! systemd-analyze verify --man=no \"$0\" 2>&1 | grep .";
    Run::new("sh").args(["-c", verify]).arg(&unit).output()?;
    let security = ["security", "--offline=true", "--threshold", MOST_EXPOSED, "--no-pager"];
    let said = Run::new("systemd-analyze").args(security).arg(&unit).output()?;
    Ok(said.lines().last().unwrap_or_default().trim_start_matches(['→', ' ']).to_owned())
}

/// Checks the packages as their registries do, then installs and uses them.
pub fn packages() -> Outcome<String> {
    let (wheels, tarballs) = (made(".whl")?, made(".tgz")?);
    let sdist = at(format!("leafid-{}.tar.gz", project::VERSION));
    python("twine")?.args(["check", "--strict"]).args(&wheels).arg(&sdist).done()?;
    let is_stable = |wheel: &&PathBuf| !wheel.to_string_lossy().contains("cp314t");
    for wheel in wheels.iter().filter(is_stable) {
        python("abi3audit")?.arg("--strict").arg(wheel).done()?;
    }
    let offline = ["--no-index", "leafid", "--find-links"];
    for (what, words) in [(&sdist, &["--no-binary", "leafid"][..]), (&at(""), &offline)] {
        // A folder of its own: a user does not have the checkout's cargo settings.
        let folder = fresh("python-user")?;
        Run::new("python3").args(["-m", "venv"]).arg(&folder).done()?;
        let python = folder.join("bin/python");
        let pip = Run::new(&python).args(["-m", "pip", "install", "--quiet"]).args(words);
        pip.arg(what).dir(&folder).without("CARGO_TARGET_DIR").done()?;
        Run::new(&python).args(["-c", FIRST]).dir(&folder).without("PYTHONPATH").done()?;
    }

    for tarball in &tarballs {
        let dry = ["publish", "--dry-run", "--access", "public"];
        Run::new("npm").args(dry).arg(tarball).output()?;
    }
    let (user, version) = (fresh("npm-user")?, project::VERSION);
    let platform = project::npm_platform();
    let program = format!("server-{}", npm::program_for(platform));
    let names = ["leafid", "leafid-server"].map(str::to_owned).into_iter();
    let own = names.chain([format!("leafid-{platform}"), format!("leafid-{program}")]);
    let own = own.map(|name| at(format!("{name}-{version}.tgz")));
    tools::npm_install(&user, [PathBuf::from("--offline")].into_iter().chain(own))?;
    Run::new("node").args(["-e", FIRST_JS]).dir(&user).done()?;
    Run::new("npx").args(["leafid", "--version"]).dir(&user).done()?;
    Ok(format!("{} wheels and {} npm packages; installed and used", wheels.len(), tarballs.len()))
}
