//! Counts of what happened, so that no run passes by doing nothing.

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
    renewals 20_000,
    /// Ranges that did not begin at the end of the one before.
    switches 10_000,
    refusals 10_000,
    releases 300,
    /// Those of grants that came after closing.
    late_releases 60,
    forks 300,
    restores 100,
    forgets 100,
    crashes 300,
    starts 2_000,
    long_pauses 100,
    /// Host clocks that froze, stepped, leapt or began to drift.
    clock_faults 500,
    /// Servers that went down, and came back.
    server_outages 300,
    /// Servers whose clock source was set.
    server_clock_faults 100,
    lost 3_000,
    late 1_000,
    doubled 3_000,
    swapped 1_000,
    garbled 500,
    /// Answers of another store behind the same name.
    alien 2,
    /// Holders that stopped because another store answered.
    stopped 5,
    conflicts 50,
    repeated 100,
    /// Rows that an operator revoked.
    revokes 300,
    leases_lost 100,
    /// Acquires that found no number free.
    exhausted 500,
    /// Sticky owners that borrowed a number.
    borrowed 30,
    /// Sticky owners that got their own number again.
    kept 1_000,
    /// Sticky owners that came back to two numbers of their own.
    kept_twice 1,
    /// Ranges of worker numbers that operators moved.
    moves 100,
    /// Numbers that left their range while a holder had a key to them.
    left_with_key 50,
    /// Stores that went back to an older copy.
    losses 10,
    /// Fences that were put above what such a store may have granted since.
    fences 10,
    /// Holders that were told that their store went back.
    told_went_back 10,
    long_lives 500,
    /// Holders that waited for a count until they had it.
    waited_for_count 5_000,
    /// Numbers that a holder dropped for an answer, as its caller wanted more at once.
    dropped 50_000,
    /// Draws of more than can ever be had at once.
    counts_refused 20_000,
    /// Draws above the known limit, for which the store was asked again.
    looks 10,
    /// Clocks that had leapt ahead and were put right by an answer.
    clocks_mended 500,
    /// Clocks that were noticed to part from the one that only ticks.
    leaps_noticed 1_000,
    /// Tags deleted or recreated.
    tags_deleted 50,
    /// Tags that an operator advanced, and refused attempts to lower one.
    tags_advanced 20,
    advances_refused 5,
    /// Tags whose upper end an operator moved or removed, and refused attempts below the position.
    tags_bounded 20,
    bounds_refused 5,
    /// Draws of more than a tag has left, refused at once.
    ends_known 50,
    tags_spent 20,
    /// Tags stopped by a holder's proof, leases refused for that, and tags that an operator then moved
    /// above the claim.
    tags_stopped 10,
    stopped_leases 10,
    tags_settled 10,
    /// Draws beyond the layout's time, or before it.
    overflows 20,
    sloppy 5_000,
    /// Useless answers that a holder refused.
    refused_answers 500,
    states_written 30_000,
    states_failed 100,
    /// Files that were abandoned after a failed write.
    states_abandoned 100,
    states_removed 20,
    /// Writes that were broken off by the end of their process.
    states_torn 100,
    /// Files of which a bit changed after a process had ended.
    states_rotten 300,
    /// Starts that resumed from a file …
    states_used 300,
    /// … while no server answered.
    states_used_alone 30,
    states_damaged 1,
    states_copied 100,
    /// Files that exist twice, as their machine was cloned.
    states_cloned 30,
    /// Files that came from elsewhere.
    states_foreign 50,
    /// How long holders drew on slow disks, in ms, and how much of that they waited for them.
    slow_disks_ms 1_000_000,
    slow_disks_waits_ms 1,
    /// Files that another process had locked.
    states_locked 300,
    states_voided 100,
    /// Windows that were given back after a file was void.
    states_given_up 30,
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
        let (waits, all) = (self.slow_disks_waits_ms, self.slow_disks_ms);
        if waits > all / 25 {
            short.push(format!("{waits} of {all} ms waited for slow disks, 4 % the most"));
        }
        short
    }
}
