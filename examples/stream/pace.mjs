// The common part of the two JavaScript programs: options, pace, and end.

import { parseArgs } from 'node:util'

/** Reads the options that every program of the stream takes. */
export function readOptions() {
  const string = { type: 'string' }
  const { values } = parseArgs({
    options: {
      store: string, tag: string, namespace: string, only: string,
      rate: { ...string, default: '2000' }, timeout: { ...string, default: '10' },
    },
  })
  for (const name of ['store', 'tag', 'namespace']) {
    if (values[name] === undefined) throw new Error(`\`--${name}\` is missing`)
  }
  const kinds = values.only === undefined ? ['segment', 'snowflake'] : [values.only]
  return { ...values, kinds, rate: Number(values.rate), timeoutMs: Number(values.timeout) * 1000 }
}

/** A rate of IDs per second, in batches of about 20 ms; time lost in waits is not made up for. */
export class Pace {
  constructor(rate) {
    this.rate = rate
    this.begin = performance.now()
    this.drawn = 0
  }

  /** The time until the next batch, in ms. */
  untilNext() {
    const batch = Math.max(1, this.rate / 50)
    return Math.max(0, this.begin + ((this.drawn + batch) / this.rate) * 1000 - performance.now())
  }

  /** The number of IDs to draw now. */
  due() {
    const now = performance.now()
    let due = Math.floor(((now - this.begin) / 1000) * this.rate) - this.drawn
    if (due > Math.max(1, this.rate / 5)) {
      due = Math.floor(Math.max(1, this.rate / 50))
      this.begin = now - (due / this.rate) * 1000
      this.drawn = 0
    }
    this.drawn += due
    return due
  }
}

/** Runs `batch` at the pace, and `report` about once a second, until standard input ends. */
export async function draw(pace, batch, report) {
  let ended = false
  let wake = () => {}
  process.stdin.resume().on('end', () => {
    ended = true
    wake()
  })
  let reported = 0
  while (!ended) {
    await new Promise((resolve) => {
      wake = resolve
      setTimeout(resolve, pace.untilNext())
    })
    if (ended) break
    await batch(pace.due())
    if (performance.now() - reported >= 1000) {
      reported = performance.now()
      await report()
    }
  }
}

/** Writes lines, or nothing for an empty list. */
export function say(lines) {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
}
