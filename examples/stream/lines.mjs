// The lines of the stream, for Node and for Workers.

import { decode } from 'leafid'

/** `n START END` for each run of consecutive numbers. */
export function numberLines(ids) {
  return runs(ids, (id, before) => id === before + 1n).map((run) => `n ${run[0]} ${run.at(-1) + 1n}`)
}

/** `s FIRST LAST COUNT` for each run of ascending IDs of one worker. */
export function snowflakeLines(ids) {
  const follows = (id, before) => id > before && decode(id).worker === decode(before).worker
  return runs(ids, follows).map((run) => `s ${run[0]} ${run.at(-1)} ${run.length}`)
}

/** `stats KIND …`: a generator's counters. */
export function statsLine(kind, generator) {
  const { ids, asks, grants, failures, waits, inHand } = generator.stats()
  return `stats ${kind} ${[ids, asks, grants, failures, waits, inHand].join(' ')}`
}

/** `error KIND CODE MESSAGE`. */
export function errorLine(kind, error) {
  return `error ${kind} ${error.code ?? error.name} ${error.message.replace(/\s+/g, ' ')}`
}

/** Draws up to `count` IDs; an error becomes a line, and keeps the IDs drawn before. */
export async function drawLines(kind, generator, count) {
  const ids = []
  const lines = []
  try {
    while (ids.length < count) ids.push(await generator.next())
  } catch (error) {
    lines.push(errorLine(kind, error))
  }
  return [...(kind === 'segment' ? numberLines(ids) : snowflakeLines(ids)), ...lines]
}

function runs(ids, follows) {
  const found = []
  for (const [at, id] of ids.entries()) {
    if (at > 0 && follows(id, ids[at - 1])) found.at(-1).push(id)
    else found.push([id])
  }
  return found
}
