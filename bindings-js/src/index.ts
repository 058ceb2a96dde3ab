import { theEngine } from './engines/engine.js'

export { LeafidError } from './values/errors.js'
export type { ErrorCode } from './values/codes.js'
export type { ErrorDetails } from './values/errors.js'
export type { CallOptions, GeneratorOptions } from './face/options.js'
export { Segment } from './face/segment.js'
export type { SegmentOptions } from './face/segment.js'
export { Snowflake } from './face/snowflake.js'
export type { SnowflakeOptions } from './face/snowflake.js'
export type { Stats } from './face/generator.js'
export { Layout, decode } from './values/layout.js'
export type { DecodeOptions, LayoutFields, LayoutName, Moment, Parts } from './values/layout.js'
export { httpStore } from './stores/http.js'
export type { HttpStoreOptions } from './stores/http.js'
export type { GivenHeaders, RequestHeaders } from './stores/http.js'
export { memoryStore } from './stores/memory.js'
export type { MemoryStore, MemoryStoreOptions } from './stores/memory.js'
export type { StoreOption } from './stores/chosen.js'
export type {
  AcquireAsk,
  Big,
  ReleaseAsk,
  RenewAsk,
  SegmentAsk,
  SegmentGrant,
  Store,
  WindowGrant,
} from './stores/store.js'
export type { Id, IdText } from './values/id.js'
export { fromBase32, fromDecimal, toBase32, toDecimal } from './values/text.js'

/** The version of leafid. */
export function version(): string {
  return theEngine().engineVersion()
}
