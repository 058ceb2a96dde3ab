import { expect, test } from 'vitest'
import { draw } from '../draw.mjs'

test('draws', { timeout: 60_000 }, async () => {
  const told = await draw(process.env.LEAFID_STORE)
  process.stdout.write(`${JSON.stringify(told)}\n`)
  expect(told.duplicates).toBe(0)
})
