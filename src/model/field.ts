/** Unknown in; a value or the user's sentences out. */
export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly string[] }

/** What a column can hold: how it is read, shown again and described. The one extension point of the resources. */
export interface Kind<Value> {
  /** As OpenAPI describes it. */
  readonly schema: Readonly<Record<string, unknown>>
  /** As typed messages carry it. */
  readonly wire: WireKind
  read(input: unknown, label: string): Reading<Value>
}

export type WireKind = 'text' | 'uuid' | 'moment' | 'number' | 'wholeNumber'

/** What it means that a body does not carry the field. */
export type Presence =
  /** Refused, on create and on update. */
  | 'required'
  /** Absent on create is null, absent on update is unchanged, null clears it. */
  | 'optional'
  /** Required on create; absent or null on update means unchanged. */
  | 'requiredOnCreate'
  /** Read on update only, never stored; absent or null means it was not asked for. */
  | 'updateOnly'

export interface Reference {
  readonly resource: string
  readonly whenRemoved: 'blockRemoval' | 'removeAlong'
}

export interface Field<Value = unknown, Required extends Presence = Presence> extends Kind<Value> {
  readonly presence: Required
  /** In the messages of this resource, for ever: a new field takes a number that was never used. */
  readonly number: number
  /** Stored in another form, never shown and never a sort column. */
  readonly isSecret?: true
  readonly references?: Reference
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

export const required = <Value>(number: number, kind: Kind<Value>): Field<Value, 'required'> => ({
  ...kind,
  number,
  presence: 'required',
})

export const optional = <Value>(number: number, kind: Kind<Value>): Field<Value | null, 'optional'> => ({
  ...kind,
  number,
  presence: 'optional',
  read: (input, label) => (input === null ? { value: null } : kind.read(input, label)),
})

export const requiredOnCreate = <Value>(
  number: number,
  kind: Kind<Value>,
): Field<Value, 'requiredOnCreate'> => ({ ...kind, number, presence: 'requiredOnCreate' })

export const updateOnly = <Value>(number: number, kind: Kind<Value>): Field<Value, 'updateOnly'> => ({
  ...kind,
  number,
  presence: 'updateOnly',
})

export const secret = <F extends Field>(field: F): F & { readonly isSecret: true } => ({
  ...field,
  isSecret: true,
})

/** A reference says what happens to this row when the row it points at is removed. */
export const references = (
  number: number,
  kind: Kind<string>,
  resource: string,
  whenRemoved: Reference['whenRemoved'],
): Field<string, 'required'> => ({ ...required(number, kind), references: { resource, whenRemoved } })

export const refused = (...problems: readonly string[]): { readonly problems: readonly string[] } => ({
  problems,
})

/** The name a message uses for a property: camelCase becomes PascalCase. */
export const labelOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
