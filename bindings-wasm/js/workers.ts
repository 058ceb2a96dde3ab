export { version } from './index.js'
