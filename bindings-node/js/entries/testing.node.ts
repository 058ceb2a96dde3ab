import './node.js'
export * from '../testing.js'
