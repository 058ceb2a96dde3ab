import './default.js'
export * from '../registry.js'
