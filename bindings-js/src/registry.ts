import './start/registry.js'

export * from './stores/registry.js'
