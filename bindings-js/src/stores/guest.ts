import { entropy, randomToken, theHost } from '../hosts/host.js'

/** A store that opens tables beside their servers, and has a record among these while it waits for them. */
export interface Guest {
  /** The id of the record. */
  readonly id: string
  /** Whose request it is: acks of a record that was removed, with an earlier number, are not of the next one. */
  asks(): object
}

export function newGuest(): Guest {
  const id = randomToken()
  return { id, asks: () => ({ id, salt: new DataView(entropy(4).buffer).getUint32(0), name: theHost().owner() }) }
}
