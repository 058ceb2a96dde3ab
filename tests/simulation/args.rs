//! The simulation's command line options.

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    pub seconds: f64,
    pub worlds: Option<u64>,
    pub seed: Option<u64>,
    pub bugs: bool,
    pub only: Option<&'static str>,
}

pub const USAGE: &str = "\
simulate [--seconds N | --worlds N] [--seed N]
simulate --bugs [--only NAME] [--seed N]

  --seconds   for how long, real time; a minute unless said
  --worlds    how many worlds instead
  --seed      the seed of the first world; alone: this world and no other, and all that happens in it
  --bugs      switch each seeded bug on and tell which check finds it
  --only      of these, one";

pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { seconds: 60.0, ..Options::default() };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--bugs" => options.bugs = true,
            "--seconds" => options.seconds = number(&arg, &value()?)?,
            "--worlds" => options.worlds = Some(number(&arg, &value()?)?),
            "--seed" => options.seed = Some(number(&arg, &value()?)?),
            "--only" => options.only = Some(value()?.leak()),
            "--help" => return Err(USAGE.to_owned()),
            _ => return Err(format!("there is no option `{arg}`\n{USAGE}")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{value}` is no number for `{option}`"))
}
