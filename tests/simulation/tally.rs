//! Counts of what happened, so that no run passes by doing nothing. What a seeded bug needs to show is
//! not counted: the hunt would not find that bug.

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident $floor:literal,)*) => {
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Tally {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Tally {
            pub fn add(&mut self, other: &Tally) {
                $(self.$name += other.$name;)*
            }

            /// Name, count, and the floor that a hundred worlds must reach together.
            pub fn rows(&self) -> Vec<(&'static str, u64, u64)> {
                vec![$((stringify!($name), self.$name, $floor),)*]
            }
        }
    };
}

counts! {
    worlds 100,
    simulated_ms 30_000_000,
    ids 100_000_000,
    snowflake_ids 10_000_000,
    grants 100_000,
    /// Holders that went on from an older memory image.
    restores 100,
    long_pauses 100,
    long_lives 500,
    /// Servers that went down, and came back.
    server_outages 300,
    /// Servers whose clock source was set.
    server_clock_faults 100,
    lost 3_000,
    leases_lost 100,
    /// Holders that waited for a count until they had it.
    waited_for_count 5_000,
    /// Numbers that a holder dropped for an answer, as its caller wanted more at once.
    dropped 50_000,
    /// Draws above the known limit, for which the store was asked again.
    looks 10,
    /// Tags deleted or recreated.
    tags_deleted 50,
    /// Draws of more than a tag has left, refused at once.
    ends_known 50,
    /// Draws beyond the layout's time, or before it.
    overflows 20,
    /// State files that were removed while in use.
    states_removed 20,
    /// Starts that resumed from a file while no server answered.
    states_used_alone 30,
}

impl Tally {
    /// The counts below their floor or above their ceiling, scaled to the number of worlds; with fewer
    /// than 20 worlds only a run without IDs.
    pub fn out_of_bounds(&self) -> Vec<String> {
        let worlds = self.worlds;
        if worlds < 20 {
            return if self.ids == 0 { vec!["ids 0, floor 1".to_owned()] } else { Vec::new() };
        }
        let short = |(name, count, floor): &(&'static str, u64, u64)| {
            let floor = floor * worlds / 100;
            (*count < floor).then(|| format!("{name} {count}, floor {floor}"))
        };
        let mut short: Vec<_> = self.rows().iter().filter_map(short).collect();
        let numbers = self.ids - self.snowflake_ids;
        if self.dropped > numbers / 20 {
            short.push(format!("{} numbers dropped of {numbers} used, 5 % the most", self.dropped));
        }
        short
    }
}
