// A store in a file beside a server with a journal.
import '../support/sqlite.mjs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sqliteStore } from 'leafid/node'
import { killedAndStopped, together } from '../support/beside.mjs'
import { scratch } from '../support/ends.mjs'

for (const act of [together, killedAndStopped]) {
  test(`a file: ${act.name}`, async (t) => {
    const path = join(scratch(), 'ids.db')
    await act(t, `sqlite:${path}`, (options) => sqliteStore(path, options))
  })
}
