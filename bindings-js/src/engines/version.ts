/** The version of this package; the build stamps it. */
export const VERSION: string = '0.0.0'
