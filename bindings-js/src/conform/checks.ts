export const CHECKS: unknown = [
  {"name": "lease-shape", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"lease": {}, "as": "b"},
    {"that": ["==", "$a.tag", "$tag"], "else": "`tag` of an answer must be that of the ask"},
    {"that": ["<=", 1, "$a.start"], "else": "numbers begin at 1"},
    {"that": ["<", "$a.start", "$a.end"], "else": "a lease must have numbers"},
    {"that": ["<=", 1, "$a.step"], "else": "`step` must be 1 or more"},
    {"that": ["<=", "$a.step", "$a.max_step"], "else": "`step` must not lie above `max_step`"},
    {"that": ["==", "$a.store", "$b.store"], "else": "the id of a store must stay"}
  ]},
  {"name": "lease-follows", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"repeat": 5, "steps": [
      {"lease": {}, "as": "b"},
      {"that": ["<=", "$a.end", "$b.start"], "else": "leases of one tag must ascend"},
      {"let": "a", "be": "$b"}
    ]}
  ]},
  {"name": "lease-at-once", "needs": ["lease_segment"], "steps": [
    {"at_once": 8, "steps": [{"repeat": 6, "steps": [{"lease": {"step": 2}}]}]}
  ]},
  {"name": "lease-step", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"let": "n", "be": ["min", 3, "$a.max_step"]},
    {"lease": {"step": "$n"}, "as": "b"},
    {"that": ["==", ["-", "$b.end", "$b.start"], "$n"], "else": "a lease must have as many numbers as its `step`"}
  ]},
  {"name": "lease-at-least", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"let": "n", "be": ["min", ["+", ["*", 2, "$a.step"], 1], "$a.max_step"]},
    {"lease": {"at_least": "$n"}, "as": "b"},
    {"that": ["<=", "$n", ["-", "$b.end", "$b.start"]], "else": "a lease must have as many numbers as its `at_least`, or more"},
    {"lease": {"at_least": ["min", ["+", "$a.max_step", 1], 2147483647]}, "as": "c"},
    {"that": ["<=", ["-", "$c.end", "$c.start"], "$a.max_step"], "else": "no lease may have more numbers than `max_step`"}
  ]},
  {"name": "lease-exactly", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"let": "n", "be": ["min", 7, "$a.max_step"]},
    {"lease": {"exactly": "$n"}, "as": "b"},
    {"that": ["==", ["-", "$b.end", "$b.start"], "$n"], "else": "a lease must have as many numbers as its `exactly`"},
    {"if": ["<", "$a.max_step", 2147483647], "steps": [
      {"lease": {"exactly": ["+", "$a.max_step", 1]}, "refused": "COUNT_INVALID"}
    ]}
  ]},
  {"name": "lease-other-store", "needs": ["lease_segment"], "steps": [
    {"lease": {"store": "$fresh"}, "refused": "STORE_CHANGED"},
    {"lease": {}, "as": "a"},
    {"lease": {"store": "$a.store"}}
  ]},
  {"name": "lease-unknown-tag", "needs": ["lease_segment"], "steps": [
    {"lease": {"tag": "$unknown"}, "refused": "TAG_UNKNOWN", "granted": "the store creates tags on first use"}
  ]},
  {"name": "lease-other-process", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"lease": {}, "as": "b", "of": "again"},
    {"that": ["==", "$a.store", "$b.store"], "else": "another process must have the same store"},
    {"that": ["<=", "$a.end", "$b.start"], "else": "leases of one tag must ascend"},
    {"at_once": 2, "steps": [{"lease": {}, "of": "again"}, {"lease": {}}]}
  ]},
  {"name": "acquire-shape", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"let": "tick", "be": "$w.layout.tick_ms"},
    {"let": "at", "be": ["-", "$w.now_ms", "$w.layout.epoch_ms"]},
    {"that": ["<=", 1000, "$w.max_window_ms"], "else": "`max_window_ms` must be 1000 or more"},
    {"that": ["<", "$w.worker", ["<<", 1, "$w.layout.worker_bits"]], "else": "`worker` must fit in the layout"},
    {"that": ["<", "$w.start", "$w.end"], "else": "a window must have ticks"},
    {"that": ["<=", ["*", ["-", "$w.end", "$w.start"], "$tick"], ["max", 1000, ["*", 2, "$tick"]]], "else": "a window must not last longer than `length_ms` says, in ms"},
    {"that": ["<=", ["*", "$w.start", "$tick"], ["+", "$at", 1]], "else": "a window must not begin after `now_ms`"},
    {"that": ["<=", "$at", ["*", ["+", "$w.start", 2], "$tick"]], "else": "a window must not begin before `now_ms`"}
  ]},
  {"name": "acquire-again", "needs": ["acquire", "renew", "release"], "steps": [
    {"let": "request", "be": "$fresh"},
    {"acquire": {"request": "$request", "owner": "$owner"}, "as": "a"},
    {"acquire": {"request": "$request", "owner": "$owner"}, "as": "b"},
    {"that": ["==", "$a.worker", "$b.worker"], "else": "an ask that comes again must get the same number"},
    {"that": ["==", "$a.start", "$b.start"], "else": "an ask that comes again must get the same window"}
  ]},
  {"name": "acquire-at-once", "needs": ["acquire", "renew", "release"], "steps": [
    {"at_once": 8, "as": "some", "steps": [{"acquire": {"length_ms": 60000}, "or": "WORKERS_EXHAUSTED"}]},
    {"that": ["<=", 1, "$some"], "else": "of several who ask at once somebody must get a number"}
  ]},
  {"name": "acquire-layout", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"let": "own", "be": "$w.layout"},
    {"acquire": {"layout": {"epoch_ms": ["+", "$own.epoch_ms", 1], "tick_ms": "$own.tick_ms", "time_bits": "$own.time_bits", "worker_bits": "$own.worker_bits", "sequence_bits": "$own.sequence_bits"}}, "refused": "LAYOUT_MISMATCH"},
    {"acquire": {"layout": "$own"}}
  ]},
  {"name": "acquire-other-store", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {"store": "$fresh"}, "refused": "STORE_CHANGED"}
  ]},
  {"name": "acquire-unknown-namespace", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {"namespace": "$unknown"}, "refused": "NAMESPACE_UNKNOWN", "granted": "the store creates namespaces on first use"}
  ]},
  {"name": "acquire-other-process", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"renew": "$w", "of": "again"},
    {"acquire": {}, "of": "again"}
  ]},
  {"name": "renew-extends", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"pass": 250},
    {"renew": "$w", "as": "a"},
    {"if": ["<=", "$w.layout.tick_ms", 250], "steps": [
      {"that": ["<", "$w.end", "$a.end"], "else": "a renewal after 250 ms must move the end forward"}
    ]},
    {"renew": "$w", "as": "b"},
    {"that": ["<=", "$a.end", "$b.end"], "else": "a renewal whose answer was lost must give the same again"}
  ]},
  {"name": "renew-key", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"renew": "$w", "with": {"key": "$fresh"}, "refused": "LEASE_LOST"}
  ]},
  {"name": "renew-other-store", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"renew": "$w", "with": {"store": "$fresh"}, "refused": "STORE_CHANGED"}
  ]},
  {"name": "release-ends", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"release": "$w", "with": {"unused_from": "$w.end"}},
    {"renew": "$w", "refused": "LEASE_LOST"}
  ]},
  {"name": "release-key", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"release": "$w", "with": {"key": "$fresh"}, "or": "LEASE_LOST", "goes_on": true},
    {"renew": "$w"}
  ]},
  {"name": "release-rests", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {"owner": "$owner", "sticky": true}, "as": "w"},
    {"release": "$w", "with": {"unused_from": "$w.end"}},
    {"acquire": {"owner": "$owner", "sticky": true}, "or": "WORKERS_EXHAUSTED", "goes_on": true},
    {"acquire": {"owner": "$owner"}}
  ]},
  {"name": "sticky-returns", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {"owner": "$owner", "sticky": true}, "as": "w"},
    {"release": "$w"},
    {"pass": ["*", 2, "$w.layout.tick_ms"]},
    {"acquire": {"owner": "$owner", "sticky": true}, "as": "a"},
    {"that": ["==", "$a.worker", "$w.worker"], "else": "a sticky owner must get its number again"},
    {"release": "$a"},
    {"acquire": {"owner": "$owner"}}
  ]},
  {"name": "numbers-exhausted", "needs": ["acquire", "renew", "release"], "steps": [
    {"fill": {"length_ms": 60000}, "as": "wait_ms"},
    {"that": ["<", 0, "$wait_ms"], "else": "WORKERS_EXHAUSTED must say when the first number is free"},
    {"free": true},
    {"acquire": {}, "as": "abandoned"},
    {"repeat": 8, "steps": [{"acquire": {}, "as": "w"}, {"release": "$w"}, {"pass": 250}]}
  ]},
  {"name": "time-never-back", "needs": [], "steps": [
    {"back": 3600000},
    {"check": "lease-shape"},
    {"check": "acquire-at-once"},
    {"back": -3600000},
    {"that": ["==", "$backwards", ""], "else": "`now_ms` must not go back"}
  ]},
  {"name": "lease-went-back", "needs": ["lease_segment"], "steps": [
    {"lease": {}, "as": "a"},
    {"lease": {"store": "$a.store", "have_until": "$a.end"}, "as": "b"},
    {"lease": {"store": "$a.store", "have_until": ["+", "$b.end", 1000000]}, "refused": "STORE_WENT_BACK"},
    {"lease": {"store": "$a.store"}, "refused": "STORE_REFUSED"}
  ]},
  {"name": "renew-went-back", "needs": ["acquire", "renew", "release"], "steps": [
    {"acquire": {}, "as": "w"},
    {"renew": "$w", "with": {"have_until": ["+", "$w.end", 1000]}, "refused": "STORE_WENT_BACK"},
    {"renew": "$w", "refused": "LEASE_LOST"}
  ]}
]
