// Optional: older runtimes lack it.
declare module 'cloudflare:workers' {
  export abstract class DurableObject {
    protected ctx: unknown
    protected env: unknown
    constructor(ctx: unknown, env: unknown)
  }
  export const env: Record<string, unknown> | undefined
  export const waitUntil: ((work: Promise<unknown>) => void) | undefined
}
