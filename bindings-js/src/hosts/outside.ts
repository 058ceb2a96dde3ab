// What `leafid/workers` finds in place of `cloudflare:workers` outside a Worker, where tests import it.

/** A class of objects, made with whatever the test passes. */
export abstract class DurableObject {
  protected ctx: unknown
  protected env: unknown

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}

/** There are no bindings: stores take a function that gives theirs. */
export const env = undefined
