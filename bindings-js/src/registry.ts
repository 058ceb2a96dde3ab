export * from './stores/registry.js'
