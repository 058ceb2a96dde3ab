import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { draw } from '../draw.mjs'

test('draws', { timeout: 60_000 }, async () => {
  const told = await draw(process.env.LEAFID_STORE)
  writeFileSync(process.env.TOLD, JSON.stringify(told))
  expect(told.duplicates).toBe(0)
})
