// The same page from the entry with the wasm in its code.
import { Segment, Snowflake, memoryStore } from 'leafid/inline'
import { drawWith } from './draws.mjs'
import { tell } from './tell.mjs'

tell((store) => drawWith({ Segment, Snowflake, memoryStore }, store))
