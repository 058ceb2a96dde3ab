import './default.js'
export * from '../testing.js'
