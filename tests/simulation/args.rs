//! The options.

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// For how many seconds of real time.
    pub seconds: f64,
    /// How many worlds, instead of a time.
    pub worlds: Option<u64>,
    /// The seed of the first world.
    pub seed: Option<u64>,
    /// Whether to look for the seeded bugs instead.
    pub bugs: bool,
    /// Whether to go on after what is wrong, and count it.
    pub keep_going: bool,
    /// Whether to look for this one only.
    pub only: Option<&'static str>,
}

/// How it is called.
pub const USAGE: &str = "\
simulate [--seconds N | --hours N | --worlds N] [--seed N] [--keep-going]
simulate --bugs [--only NAME] [--seed N]

  --seconds, --hours   for how long, real time; a minute unless said
  --worlds             how many worlds instead
  --seed               the seed of the first world; alone: this world and no other, with its trace
  --keep-going         count what is wrong instead of stopping at the first
  --bugs               switch each seeded bug on and tell which check finds it
  --only               of these, one";

/// Reads the options.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        seconds: 60.0,
        worlds: None,
        seed: None,
        bugs: false,
        keep_going: false,
        only: None,
    };
    let mut args = args;
    while let Some(arg) = args.next() {
        if arg == "--bugs" {
            options.bugs = true;
            continue;
        }
        if arg == "--keep-going" {
            options.keep_going = true;
            continue;
        }
        if arg == "--help" {
            return Err(USAGE.to_owned());
        }
        let value = args.next().ok_or_else(|| format!("`{arg}` is unknown or needs a value"))?;
        match arg.as_str() {
            "--seconds" => options.seconds = number(&arg, &value)?,
            "--hours" => options.seconds = number::<f64>(&arg, &value)? * 3_600.0,
            "--worlds" => options.worlds = Some(number(&arg, &value)?),
            "--seed" => options.seed = Some(number(&arg, &value)?),
            "--only" => options.only = Some(value.leak()),
            _ => return Err(format!("there is no option `{arg}`\n{USAGE}")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{value}` is no number for `{option}`"))
}
