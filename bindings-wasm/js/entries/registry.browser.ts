import './browser.js'
export * from '../registry.js'
