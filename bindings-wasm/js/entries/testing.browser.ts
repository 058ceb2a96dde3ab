import './browser.js'
export * from '../testing.js'
