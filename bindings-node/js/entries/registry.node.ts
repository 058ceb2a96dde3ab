import './node.js'
export * from '../registry.js'
