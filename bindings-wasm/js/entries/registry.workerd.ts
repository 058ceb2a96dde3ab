import './workerd.js'
export * from '../registry.js'
