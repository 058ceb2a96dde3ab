//! The unit for systemd: systemd's own word on whether it can be loaded, and how much it may do.

use super::targets;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

const UNIT: &str = "deploy/systemd/leafid.service";
/// What systemd calls the exposure, times ten: below two is its best word.
const MOST_EXPOSED: &str = "20";

/// Loads nothing, and asks.
pub fn look() -> Outcome<String> {
    tools::need("systemd-analyze", &["--version"], "`sudo apt-get install systemd`")?;
    let own = targets::own("unknown-linux-musl")?;
    let binary = project::dist().join("image").join(own.image_arch()).join("leafid");
    let unit = project::target().join("release/unit/leafid.service");
    let here =
        files::read(&project::at(UNIT))?.replace("/usr/bin/leafid", &binary.to_string_lossy());
    // Its page is not installed here.
    files::write(&unit, here.replace("Documentation=man:leafid(1) ", "Documentation="))?;
    let said = Run::new("systemd-analyze").quiet().args(["verify"]).arg(&unit).listen()?;
    if !said.success || !said.stderr.trim().is_empty() {
        return Err(format!("systemd-analyze verify: {}{}", said.stdout, said.stderr));
    }
    let security = ["security", "--offline=true", "--threshold", MOST_EXPOSED, "--no-pager"];
    let said = Run::new("systemd-analyze").quiet().args(security).arg(&unit).listen()?;
    let overall = said.stdout.lines().find(|line| line.contains("Overall exposure"));
    let overall = overall.unwrap_or("nothing was said").trim_start_matches(['→', ' ']).to_owned();
    if said.success { Ok(overall) } else { Err(overall) }
}
