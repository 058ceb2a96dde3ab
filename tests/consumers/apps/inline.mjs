// The same page from the entry that has the wasm inlined.
import { Segment, Snowflake, memoryStore } from 'leafid/inline'
import { drawWith } from './draws.mjs'
import { tell } from './tell.mjs'

tell((store) => drawWith({ Segment, Snowflake, memoryStore }, store))
