// What older runtimes lack is absent at run time, so it is optional here.
declare module 'cloudflare:workers' {
  export abstract class DurableObject {
    protected ctx: unknown
    protected env: unknown
    constructor(ctx: unknown, env: unknown)
  }
  export const env: Record<string, unknown> | undefined
  export const waitUntil: ((work: Promise<unknown>) => void) | undefined
}
