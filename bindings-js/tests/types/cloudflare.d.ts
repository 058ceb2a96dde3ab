// The part of Cloudflare's types of this module that is used here.
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected ctx: { abort(reason?: string): void }
    protected env: Env
    constructor(ctx: { abort(reason?: string): void }, env: Env)
  }
}
