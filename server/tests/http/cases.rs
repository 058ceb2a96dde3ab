//! Requests that are refused, with the expected refusals: one a line, in columns.
//!
//! The columns: method and path; the body; status and code; words of the detail, joined by ` & `; and headers
//! in place of that of JSON, `-` for none. In a body `@` stands for the field `request` with an id, `%` for the
//! id alone, `$` for the store's id, `\0` for that character, and `LONG` for a name that is one too long.

/// Each request is answered with a problem and changes nothing.
pub const CASES: &str = r#"
POST /v1/segments/ordres/lease | {@} | 404 TAG_UNKNOWN | leafid tag create ordres
POST /v1/segments/ordres/lease | {@,"have_until":"7"} | 404 TAG_UNKNOWN | up to 7
POST /v1/segments/ordres/ids | {"count":1} | 404 TAG_UNKNOWN | leafid tag create ordres
POST /v1/segments/or%20ders/lease | {@} | 400 TAG_INVALID | `or ders` is not a valid tag
POST /v1/segments/a%2Fb/lease | {@} | 400 TAG_INVALID | a/b
POST /v1/segments/%C3%A4/lease | {@} | 400 TAG_INVALID | ä
POST /v1/segments/%FF/lease | {@} | 400 REQUEST_INVALID | path
PUT /v1/tags/%27%3B-- | {} | 400 TAG_INVALID | ';--
PUT /v1/tags/a:* | {} | 400 TAG_INVALID | a:*
POST /v1/segments/orders/lease | {@,"step":0} | 400 STEP_INVALID | step must be 1 to 2147483647, got `0`
POST /v1/segments/orders/lease | {@,"step":4294967295} | 400 STEP_INVALID | 4294967295
POST /v1/segments/orders/lease | {@,"step":4294967296} | 400 REQUEST_INVALID | step
POST /v1/segments/orders/lease | {@,"have_untill":"7"} | 400 REQUEST_INVALID | have_untill
POST /v1/segments/orders/lease | {@,"have_until":7} | 400 REQUEST_INVALID | have_until
POST /v1/segments/orders/lease | {@,"have_until":"07"} | 400 REQUEST_INVALID | have_until
POST /v1/segments/orders/lease | {"request":"000102030405060708090A0B0C0D0E0F"} | 400 REQUEST_INVALID | request
POST /v1/segments/orders/lease | {@,"have_until":"9223372036854775808"} | 400 RANGE_INVALID | 9223372036854775808
POST /v1/segments/orders/lease | {@,"have_until":"18446744073709551615"} | 400 RANGE_INVALID | 18446744073709551615
POST /v1/segments/orders/lease | {@,"have_until":"999"} | 409 STORE_WENT_BACK | 999
POST /v1/segments/orders/lease | {@,"store":%} | 409 STORE_CHANGED | 000102030405060708090a0b0c0d0e0f
PUT /v1/namespaces/other | {"layout":{"epoch_ms":0,"tick_ms":1.5,"time_bits":41,"worker_bits":10,"sequence_bits":12}} | 400 REQUEST_INVALID | in `layout`: field `tick_ms` must be a whole number from 0 to 9007199254740991, got `1.5`
PUT /v1/namespaces/other | {"layout":7} | 400 REQUEST_INVALID | `layout` must be a preset (`leaf`
PUT /v1/namespaces/other | {"layout":"leaf","workers":{"start":0}} | 400 REQUEST_INVALID | in `workers`: field `end` is missing
POST /v1/segments/orders/lease | {@,"step":"5"} | 400 REQUEST_INVALID | field `step` must be a whole number from 0 to 4294967295, got `"5"`
POST /v1/workers/default/acquire | {@,"owner":"a","sticky":1} | 400 REQUEST_INVALID | field `sticky` must be `true` or `false`, got `1`
POST /v1/segments/orders/lease | {} | 400 REQUEST_INVALID | `request` is missing; it must be a string of 32
POST /v1/segments/orders/lease |  | 400 REQUEST_INVALID | `{}`
PUT /v1/tags/other |  | 400 REQUEST_INVALID | `{}`
PUT /v1/namespaces/other |  | 400 REQUEST_INVALID | `{}`
POST /v1/workers/default/0/release |  | 400 REQUEST_INVALID | `{}`
POST /v1/segments/orders/lease | [1] | 400 REQUEST_INVALID | must be a JSON object
POST /v1/segments/orders/lease | {"request": | 400 REQUEST_INVALID | not JSON
POST /v1/segments/orders/lease | \0 | 400 REQUEST_INVALID | not JSON
POST /v1/segments/orders/ids | {"count":0} | 400 COUNT_INVALID | count must be 1 to 10000, got `0`
POST /v1/segments/orders/ids | {"count":10001} | 400 COUNT_INVALID | got `10001`
POST /v1/segments/orders/ids | {"count":"1"} | 400 REQUEST_INVALID | count
POST /v1/snowflake/default/ids | {"count":-1} | 400 REQUEST_INVALID | count
POST /v1/snowflake/nowhere/ids | {"count":1} | 404 NAMESPACE_UNKNOWN | leafid namespace create nowhere
PUT /v1/tags/other | {"step":0} | 400 STEP_INVALID | got step 0 and max_step unset
PUT /v1/tags/other | {"step":10,"max_step":5} | 400 STEP_INVALID | got step 10 and max_step 5
PUT /v1/tags/other | {"from":"0"} | 400 RANGE_INVALID | from must be 1 to 9223372036854775806, got `0`
PUT /v1/tags/other | {"from":"9223372036854775808"} | 400 RANGE_INVALID | 9223372036854775808
PUT /v1/tags/orders | {"from":"5"} | 409 TAG_EXISTS | orders
GET /v1/tags/other |  | 404 TAG_UNKNOWN | leafid tag create other
DELETE /v1/tags/other |  | 404 TAG_UNKNOWN | other
GET /v1/tags?limit=0 |  | 400 REQUEST_INVALID | limit must be 1 to 1000, got `0`
GET /v1/tags?limit=1001 |  | 400 REQUEST_INVALID | 1001
GET /v1/tags?limit=%2B5 |  | 400 REQUEST_INVALID | +5
GET /v1/tags?limit= |  | 400 REQUEST_INVALID | limit
GET /v1/tags?after=or%20ders |  | 400 TAG_INVALID | `or ders` is not a valid tag
GET /v1/workers/default?after=%2B5 |  | 400 REQUEST_INVALID | +5
GET /v1/workers/default?after=05 |  | 400 REQUEST_INVALID | 05
GET /v1/tags?offset=5 |  | 400 REQUEST_INVALID | offset
PUT /v1/namespaces/other | {"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"worker_bits":11,"sequence_bits":12}} | 400 LAYOUT_INVALID | 63 bits
PUT /v1/namespaces/other | {"layout":{"epoch_ms":0,"tick_ms":0,"time_bits":41,"worker_bits":10,"sequence_bits":12}} | 400 LAYOUT_INVALID | layout
PUT /v1/namespaces/other | {"layout":"oak"} | 400 LAYOUT_INVALID | oak
PUT /v1/namespaces/other | {"layout":"leaf","workers":{"start":0,"end":1025}} | 400 WORKER_INVALID | 1025
PUT /v1/namespaces/other | {"layout":"leaf","workers":{"start":5,"end":5}} | 400 WORKER_INVALID | 5
PUT /v1/namespaces/other | {"layout":"leaf","max_window_ms":10} | 400 RANGE_INVALID | max_window_ms must be 1000 to 86400000, got `10`
PUT /v1/namespaces/other | {"layout":"leaf","max_windows_ms":10000} | 400 REQUEST_INVALID | max_windows_ms
POST /v1/workers/default/acquire | {@} | 400 REQUEST_INVALID | owner
POST /v1/workers/default/acquire | {@,"owner":""} | 400 REQUEST_INVALID | owner
# PROTOCOL R14.
POST /v1/workers/default/acquire | {@,"owner":"a","layout":"edge"} | 409 LAYOUT_MISMATCH | 41/10/12
POST /v1/workers/default/acquire | {@,"owner":"a","strict":true} | 400 REQUEST_INVALID | sticky
POST /v1/workers/default/renew | {@,"store":"$","worker":1024,"key":%,"have_until":"1"} | 400 WORKER_INVALID | 1024
POST /v1/workers/default/renew | {@,"store":"$","worker":3,"key":%,"have_until":"1"} | 409 LEASE_LOST | worker 3
POST /v1/workers/default/9999/release | {} | 400 WORKER_INVALID | 9999
POST /v1/workers/default/x/release | {} | 400 WORKER_INVALID | x
POST /v1/workers/default/%2B1/release | {} | 400 WORKER_INVALID | +1
POST /v1/workers/default/01/release | {} | 400 WORKER_INVALID | 01
GET /v1/workers/nowhere |  | 404 NAMESPACE_UNKNOWN | nowhere
GET /v1/decode/nonsense |  | 400 ID_INVALID | `nonsense` is not an ID
GET /v1/decode/-1 |  | 400 ID_INVALID | -1
GET /v1/decode/9223372036854775808 |  | 400 ID_INVALID | 9223372036854775807
GET /v1/decode/1?namespace=nowhere |  | 404 NAMESPACE_UNKNOWN | nowhere
GET /v1/nothing |  | 404 REQUEST_INVALID | no such path: `/v1/nothing`
DELETE /v1/namespaces/default |  | 405 REQUEST_INVALID | method `DELETE` is not allowed
GET /v1/segments/orders/lease |  | 405 REQUEST_INVALID | GET

# A missing path or method is reported before a missing body.
PUT /healthz |  | 405 REQUEST_INVALID | PUT | -
POST /v1/nothing | x | 404 REQUEST_INVALID | /v1/nothing | -
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | text/plain | content-type: text/plain
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | application/json | -
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | `Content-Encoding: gzip` | JSON, content-encoding: gzip
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | `Content-Encoding: br` | JSON, content-encoding: identity, content-encoding: br
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | evil.example | JSON, origin: https://evil.example
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | cross-site | JSON, sec-fetch-site: none, sec-fetch-site: cross-site
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | evil.example | JSON, host: localhost, origin: http://localhost, origin: https://evil.example
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | null | JSON, origin: null
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | cross-site | JSON, sec-fetch-site: cross-site
POST /v1/segments/orders/lease | {@} | 403 FORBIDDEN | evil.example | JSON, host: evil.example
GET /v1/tags |  | 403 FORBIDDEN | 192.0.2.1 | host: 192.0.2.1:8750

# A field given twice is refused, at any depth and however its name is escaped.
POST /v1/segments/orders/ids | {"count":1,"count":2} | 400 REQUEST_INVALID | `count` is given twice
POST /v1/segments/orders/ids | {"count":1,"c\u006funt":1} | 400 REQUEST_INVALID | `count` is given twice
PUT /v1/namespaces/other | {"layout":"leaf","workers":{"start":0,"end":4,"start":2}} | 400 REQUEST_INVALID | `start` is given twice
PUT /v1/namespaces/other | {"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"tick_ms":9,"worker_bits":10,"sequence_bits":12}} | 400 REQUEST_INVALID | `tick_ms` is given twice
GET /v1/tags?limit=1&limit=2 |  | 400 REQUEST_INVALID | `limit` is given twice
POST /v1/segments/orders/lease | {@} | 400 REQUEST_INVALID | `Host` | JSON, host: localhost, host: localhost
GET /v1/tags |  | 400 REQUEST_INVALID | `Host` | host: localhost, host: evil.example
PUT /v1/tags/other | {} | 400 REQUEST_INVALID | If-None-Match | JSON, if-none-match: *, if-none-match: *
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | charset=utf-16 | content-type: application/json; charset=utf-16
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | ISO-8859-1 | content-type: application/json; Charset="ISO-8859-1"
POST /v1/segments/orders/lease | {@} | 415 REQUEST_INVALID | content type | JSON, content-type: text/plain
PUT /v1/tags/other | {} | 400 REQUEST_INVALID | If-None-Match | JSON, if-none-match: "x"

# Fields of a lease, of an upper end and of an advance.
POST /v1/segments/orders/lease | {@,"at_least":0} | 400 COUNT_INVALID | `at_least` must be 1 or more, got `0`
POST /v1/segments/orders/lease | {@,"at_least":-1} | 400 REQUEST_INVALID | `at_least`
POST /v1/segments/orders/lease | {@,"at_least":4294967296} | 400 REQUEST_INVALID | `at_least`
POST /v1/segments/orders/lease | {@,"at_least":1.5} | 400 REQUEST_INVALID | `at_least`
POST /v1/segments/orders/lease | {@,"at_least":"3"} | 400 REQUEST_INVALID | `at_least`
POST /v1/segments/orders/lease | {@,"exactly":5,"step":5} | 400 REQUEST_INVALID | exactly
POST /v1/segments/orders/lease | {@,"exactly":5,"at_least":5} | 400 REQUEST_INVALID | exactly
PUT /v1/tags/orders | {"until":26} | 400 REQUEST_INVALID | until
PUT /v1/tags/orders | {"until":"x"} | 400 REQUEST_INVALID | until
PUT /v1/tags/orders | {"until":"-1"} | 400 REQUEST_INVALID | until
PUT /v1/tags/orders | {"until":true} | 400 REQUEST_INVALID | until
PUT /v1/tags/orders | {"until":{}} | 400 REQUEST_INVALID | until
PUT /v1/tags/orders | {"step":5.5} | 400 REQUEST_INVALID | step
PUT /v1/tags/orders | {"step":1e30} | 400 REQUEST_INVALID | step
PUT /v1/tags/orders | {"step":-1.0} | 400 REQUEST_INVALID | step
POST /v1/tags/orders/advance | {} | 400 REQUEST_INVALID | to
POST /v1/tags/orders/advance | {"to":5000} | 400 REQUEST_INVALID | to
POST /v1/tags/orders/advance | {"to":null} | 400 REQUEST_INVALID | to
POST /v1/tags/orders/advance | {"to":"5000","x":1} | 400 REQUEST_INVALID | x
POST /v1/tags/orders/advance | [] | 400 REQUEST_INVALID | object
POST /v1/tags/ordres/advance | {"to":"5"} | 404 TAG_UNKNOWN | ordres
GET /v1/tags/orders/advance |  | 405 REQUEST_INVALID | GET
PUT /v1/tags/other | {"step":5} | 404 TAG_UNKNOWN | other | JSON, if-match: *
PUT /v1/tags/other | {"step":5} | 400 REQUEST_INVALID | If-Match | JSON, if-match: "abc"

# Numbers and layouts that a namespace cannot have, and worker numbers that cannot be set aside.
PUT /v1/namespaces/default | {"layout":"js53"} | 400 WORKER_INVALID | `default` & 0..1024 & 0..256 & `workers`
PUT /v1/namespaces/default | {"layout":"js53","workers":{"start":0,"end":300}} | 400 WORKER_INVALID | 0..300 & 0..256
PUT /v1/namespaces/default | {"workers":{"start":7,"end":7}} | 400 WORKER_INVALID | no number
PUT /v1/namespaces/default | {"workers":{"start":7,"end":3}} | 400 WORKER_INVALID | no number
PUT /v1/workers/default/1024 | {} | 400 WORKER_INVALID | 1024
PUT /v1/workers/default/4294967295 | {} | 400 WORKER_INVALID | 4294967295
PUT /v1/workers/default/-1 | {} | 400 WORKER_INVALID | -1
PUT /v1/workers/default/7 | {"until_ms":0} | 422 TIME_OVERFLOW | until_ms
PUT /v1/workers/default/7 | {"until_ms":9007199254740991} | 422 TIME_OVERFLOW | 9007199254740991
PUT /v1/workers/default/7 | {"until_ms":"1"} | 400 REQUEST_INVALID | until_ms
PUT /v1/workers/default/7 | {"owner":""} | 400 REQUEST_INVALID | owner
PUT /v1/workers/default/7 | {"owner":"LONG"} | 400 REQUEST_INVALID | owner
PUT /v1/workers/default/7 | {"sticky":true} | 400 REQUEST_INVALID | sticky
PUT /v1/workers/nowhere/7 | {} | 404 NAMESPACE_UNKNOWN | nowhere

# A row that exists is not created again, and a layout does not change after a window: `used` has one.
PUT /v1/tags/orders | {} | 409 TAG_EXISTS | orders | JSON, if-none-match: *
PUT /v1/namespaces/used | {"layout":"leaf"} | 409 LAYOUT_MISMATCH | `used` & exists already & 0..4 | JSON, if-none-match: *
PUT /v1/namespaces/used | {"layout":"edge"} | 409 LAYOUT_MISMATCH | `used` & exists already & 0..4 | JSON, if-none-match: *
PUT /v1/namespaces/used | {"layout":"edge","workers":{"start":0,"end":4},"max_window_ms":20000} | 409 LAYOUT_MISMATCH | exists already & 0..4 | JSON, if-none-match: *
PUT /v1/namespaces/used | {"layout":"leaf"} | 409 LAYOUT_MISMATCH | `used` & 41/16/6 & first window
PUT /v1/namespaces/used | {"layout":"js53","workers":{"start":0,"end":4}} | 409 LAYOUT_MISMATCH | `used` & 41/16/6 & first window
PUT /v1/namespaces/used | {"layout":"edge","max_window_ms":20000} | 409 LAYOUT_MISMATCH | `used` & 10000 ms & has granted some
PUT /v1/namespaces/used | {"workers":{"start":1,"end":4}} | 503 WORKERS_EXHAUSTED | worker 0

# Pages of a list.
GET /v1/tags?after=- |  | 400 TAG_INVALID | -
GET /v1/namespaces?after=- |  | 400 NAMESPACE_INVALID | -
GET /v1/workers/default?after=- |  | 400 REQUEST_INVALID | -
GET /v1/workers/default?after=A |  | 400 REQUEST_INVALID | A
GET /v1/workers/default?after=4294967296 |  | 400 REQUEST_INVALID | 4294967296
GET /v1/tags?limit=x |  | 400 REQUEST_INVALID | x
GET /v1/namespaces?limit=0 |  | 400 REQUEST_INVALID | limit
GET /v1/namespaces?limit=1001 |  | 400 REQUEST_INVALID | limit
GET /v1/namespaces?limit=x |  | 400 REQUEST_INVALID | limit
GET /v1/workers/default?limit=0 |  | 400 REQUEST_INVALID | limit
GET /v1/workers/default?limit=1001 |  | 400 REQUEST_INVALID | limit
GET /v1/workers/default?limit=x |  | 400 REQUEST_INVALID | limit

# Requests that a web page of another site can send.
POST /v1/segments/orders/ids | {"count":1} | 415 REQUEST_INVALID | text/plain | content-type: text/plain
POST /v1/segments/orders/ids | {"count":1} | 403 FORBIDDEN | evil.example | content-type: application/x-www-form-urlencoded, origin: https://evil.example
POST /v1/segments/orders/ids | {"count":1} | 403 FORBIDDEN | evil.example | JSON, host: 127.0.0.1.evil.example:8750
OPTIONS /v1/segments/orders/ids |  | 403 FORBIDDEN | evil.example | origin: https://evil.example, access-control-request-method: POST
"#;
