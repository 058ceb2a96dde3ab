import * as leafid from 'leafid'
import { drawWith } from './draws.mjs'

/** Draws from a store; `memory:` is one of this process. */
export const draw = (store) => drawWith(leafid, store)
