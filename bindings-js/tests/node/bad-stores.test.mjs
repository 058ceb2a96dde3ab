// An engine that breaks as an answer arrives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ranNode } from '../support/ends.mjs'

test('an engine that breaks twice: only who draws hears of it', () => {
  const program = `
    const { Instance } = WebAssembly
    let isBroken = false
    WebAssembly.Instance = class extends Instance {
      get exports() {
        const real = super.exports
        if (!('fillAvailable' in real)) return real
        const breaks = (act) => (...given) => {
          if (isBroken) throw new WebAssembly.RuntimeError('unreachable')
          return act(...given)
        }
        return Object.fromEntries(Object.entries(real).map(([name, act]) => [name, typeof act === 'function' ? breaks(act) : act]))
      }
    }
    const { Segment, memoryStore } = await import('leafid')
    const rows = memoryStore()
    rows.createTag('orders', { step: 10, max_step: 10 })
    let answer
    const orders = new Segment('orders', { store: { lease_segment: (ask) => (answer === undefined ? (answer = () => {}, rows.lease_segment(ask)) : new Promise((resolve) => (answer = () => resolve(rows.lease_segment(ask))))) } })
    for (let n = 0; n < 10; n++) orders.nextSync()
    isBroken = true
    answer()
    await new Promise(setImmediate)
    const told = []
    try { orders.nextSync() } catch (error) { told.push(error.name) }
    isBroken = false
    answer = undefined
    told.push(await orders.next() > 10n)
    console.log(JSON.stringify(told))`
  const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
  assert.deepEqual([status, stderr, stdout], [0, '', '["RuntimeError",true]\n'])
})
