declare const kind: unique symbol

/** An ID of one kind, such as `Id<'order'>`: a `bigint` that the compiler tells from IDs of other kinds. */
export type Id<Kind extends string> = bigint & { readonly [kind]: Kind }

/** The decimal text of an `Id`, as in JSON. */
export type IdText<Kind extends string> = string & { readonly [kind]: Kind }

/** A generator's IDs: plain `bigint`s, unless a kind is named. */
export type IdOf<Kind extends string> = [Kind] extends [never] ? bigint : Id<Kind>

/** A generator's IDs as text. */
export type IdTextOf<Kind extends string> = [Kind] extends [never] ? string : IdText<Kind>
