import './workerd.js'
export * from '../testing.js'
