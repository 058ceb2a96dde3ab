// What Cloudflare's own types say of this module, as far as it is used here.
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected ctx: { abort(reason?: string): void }
    protected env: Env
    constructor(ctx: { abort(reason?: string): void }, env: Env)
  }
}
