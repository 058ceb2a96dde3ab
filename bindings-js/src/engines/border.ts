import { respelled } from './spelling.js'

/** What every wasm file of the package exports. */
export interface Raw {
  readonly memory: WebAssembly.Memory
  /** Gives the address for a parcel of this length, which is written before the call that takes it. */
  room(length: number): number
}

/** Functions of a wasm file by name; those that pass their result through `tell` return nothing. */
export type Calls<Name extends string> = Readonly<Record<Name, (...given: (number | bigint)[]) => number>>

/** Kinds of a field's value, numbered as in `bindings-wasm/border`. */
const [ABSENT, FLAG, NUMBER, BIG, TEXT, OBJECT, OTHER] = [0, 1, 2, 3, 4, 5, 6]

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Passes values to a wasm file and back. Numbers pass as they are, texts and bytes as parcels. An object stays here:
 * during the call that was given it, wasm knows its index in a list, and reads and writes its fields by name: JavaScript's
 * `maxStep` by the name `max_step`.
 */
export class Border<Exports extends Raw> {
  wasm!: Exports
  readonly #module: WebAssembly.Module
  readonly #objects: unknown[] = [undefined]
  readonly #names = new Map<number, string>()
  #text: Uint8Array = new Uint8Array()
  #told: unknown

  constructor(module: WebAssembly.Module) {
    this.#module = module
    this.build()
  }

  /** Builds a new instance; everything in the previous one is gone. */
  build(): void {
    // A call into the previous instance may be under way below a getter: it goes on with its own memory.
    const own = new WebAssembly.Instance(this.#module, { js: this.#host(() => own.memory.buffer) }).exports as unknown as Exports
    this.wasm = own
  }

  send(parcel: string | Uint8Array): void {
    const bytes = typeof parcel === 'string' ? encoder.encode(parcel) : parcel
    const place = this.wasm.room(bytes.length)
    new Uint8Array(this.wasm.memory.buffer, place, bytes.length).set(bytes)
  }

  /** The value that a call passes to `tell`: a text, bytes, a bigint, or nothing. */
  told(call: () => void): unknown {
    this.#told = undefined
    call()
    return this.#told
  }

  /** The object that a call returns, if any. The call gets the indexes of the given objects, 0 for none. */
  object(call: (...places: number[]) => number, ...given: (object | null | undefined)[]): object | undefined {
    // A getter may call back: the objects of that call lie above, and are removed first.
    const before = this.#objects.length
    const places = given.map((object) => (object === undefined || object === null ? 0 : this.#placed(object)))
    try {
      return this.#objects[call(...places)] as object | undefined
    } finally {
      this.#objects.length = before
    }
  }

  #placed(object: object): number {
    return this.#objects.push(object) - 1
  }

  /** Returns the kind of a value, and writes the value, or a text's length, to `out`. */
  #written(value: unknown, memory: ArrayBuffer, out: number): number {
    if (value === undefined || value === null) return ABSENT
    const to = new DataView(memory, out)
    switch (typeof value) {
      case 'boolean':
        to.setUint32(0, Number(value), true)
        return FLAG
      case 'number':
        to.setFloat64(0, value, true)
        return NUMBER
      case 'bigint':
        to.setBigUint64(0, value, true)
        return BigInt.asUintN(64, value) === value ? BIG : OTHER
      case 'string':
        this.#text = encoder.encode(value)
        to.setUint32(0, this.#text.length, true)
        return TEXT
      case 'object':
      case 'function':
        to.setUint32(0, this.#placed(value), true)
        return OBJECT
    }
    return OTHER
  }

  #host(memory: () => ArrayBuffer): WebAssembly.ModuleImports {
    const read = (place: number, length: number) => decoder.decode(new Uint8Array(memory(), place, length))
    // Field names are constants: each is decoded once.
    const name = (place: number, length: number) => {
      const key = place * 256 + length
      const known = this.#names.get(key) ?? respelled(read(place, length))
      this.#names.set(key, known)
      return known
    }
    const set = (object: number, field: number, length: number, value: unknown) => {
      ;(this.#objects[object] as Record<string, unknown>)[name(field, length)] = value
    }
    return {
      get: (object: number, field: number, length: number, out: number) => {
        let value
        try {
          value = (this.#objects[object] as Record<string, unknown>)[name(field, length)]
        } catch {
          return OTHER
        }
        return this.#written(value, memory(), out)
      },
      take: (to: number) => new Uint8Array(memory()).set(this.#text, to),
      set_flag: (object: number, field: number, length: number, flag: number) => set(object, field, length, flag !== 0),
      set_number: set,
      set_big: (object: number, field: number, length: number, big: bigint) => set(object, field, length, BigInt.asUintN(64, big)),
      set_moment: set,
      set_text: (object: number, field: number, length: number, text: number, of: number) => set(object, field, length, read(text, of)),
      set_object: (object: number, field: number, length: number, other: number) => set(object, field, length, this.#objects[other]),
      empty: () => this.#placed({}),
      tell_text: (text: number, length: number) => {
        this.#told = read(text, length)
      },
      tell_bytes: (bytes: number, length: number) => {
        this.#told = new Uint8Array(memory(), bytes, length).slice()
      },
      tell_big: (big: bigint) => {
        this.#told = BigInt.asUintN(64, big)
      },
      tell_moment: (ms: bigint) => {
        this.#told = ms
      },
    }
  }
}

/** Whether an instance trapped (no memory, no stack). It must not be used again: its state may be half changed. */
export function isTrap(error: unknown): boolean {
  return error instanceof RangeError || (error as Error | undefined)?.name === 'RuntimeError'
}
