import './deno.js'
export * from '../testing.js'
