declare const kind: unique symbol

/** An ID of one kind, such as `Id<'order'>`: a `bigint` that the compiler does not take for an ID of another kind. */
export type Id<Kind extends string> = bigint & { readonly [kind]: Kind }

/** The decimal text of an `Id`, as it stands in JSON. */
export type IdText<Kind extends string> = string & { readonly [kind]: Kind }

/** What a generator gives: plain `bigint`s, unless a kind is named. */
export type IdOf<Kind extends string> = [Kind] extends [never] ? bigint : Id<Kind>

/** The same as text. */
export type IdTextOf<Kind extends string> = [Kind] extends [never] ? string : IdText<Kind>
