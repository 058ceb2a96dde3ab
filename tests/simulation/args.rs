//! The simulation's command line options.

/// Simulates worlds of holders and stores, and checks every ID.
#[derive(Clone, Debug, clap::Parser)]
pub struct Options {
    /// For how long, in seconds of real time
    #[arg(long, default_value_t = 60.0)]
    pub seconds: f64,
    /// How many worlds instead
    #[arg(long)]
    pub worlds: Option<u64>,
    /// The seed of the first world; alone: this world and no other, and all that happens in it
    #[arg(long)]
    pub seed: Option<u64>,
    /// Switch each seeded bug on and tell which check finds it
    #[arg(long)]
    pub bugs: bool,
    /// Of these, one
    #[arg(long, requires = "bugs")]
    pub only: Option<String>,
}
