import { VERSION } from './engines/engine.js'

export { LeafidError, type ErrorCode, type ErrorDetails } from './values/errors.js'
export type { CallOptions, GeneratorOptions } from './face/options.js'
export { Segment, type SegmentOptions } from './face/segment.js'
export { Snowflake, type SnowflakeOptions } from './face/snowflake.js'
export type { Stats } from './face/generator.js'
export { Layout, decode, type DecodeOptions, type LayoutFields, type LayoutName, type Moment, type Parts } from './values/layout.js'
export { httpStore, type GivenHeaders, type HttpStoreOptions, type RequestHeaders } from './stores/http.js'
export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './memory.js'
export type { StoreOption } from './stores/chosen.js'
export type { AcquireAsk, Big, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, Store, WindowGrant } from './stores/store.js'
export type { Id, IdText } from './values/id.js'
export { fromBase32, fromDecimal, toBase32, toDecimal } from './values/text.js'

/** The version of leafid. */
export function version(): string {
  return VERSION
}
