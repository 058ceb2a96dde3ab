import './bun.js'
export * from '../testing.js'
