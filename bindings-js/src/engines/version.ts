declare const LEAFID_VERSION: string

/** The version of this package, from the build. */
export const VERSION: string = LEAFID_VERSION
