import './deno.js'
export * from '../registry.js'
