import { theEngine } from './engine.js'

/** The version of leafid. */
export function version(): string {
  return theEngine().engineVersion()
}
