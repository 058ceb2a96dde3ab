import './bun.js'
export * from '../registry.js'
