/** Unknown in; a value or the user's sentences out. */
export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly string[] }

/** What a column can hold: how it is read, shown again and described. The one extension point of the resources. */
export interface Kind<Value> {
  /** As OpenAPI describes it. */
  readonly schema: Readonly<Record<string, unknown>>
  read(input: unknown, label: string): Reading<Value>
}

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

export interface Field<Value = unknown> extends Kind<Value> {
  readonly presence: Presence
  /** Stored in another form, never shown and never a sort column. */
  readonly isSecret?: true
  readonly references?: Reference
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

export const required = <Value>(kind: Kind<Value>): Field<Value> => ({ ...kind, presence: 'required' })

export const optional = <Value>(kind: Kind<Value>): Field<Value | null> => ({
  ...kind,
  presence: 'optional',
  read: (input, label) => (input === null ? { value: null } : kind.read(input, label)),
})

export const requiredOnCreate = <Value>(kind: Kind<Value>): Field<Value> => ({
  ...kind,
  presence: 'requiredOnCreate',
})

export const updateOnly = <Value>(kind: Kind<Value>): Field<Value> => ({ ...kind, presence: 'updateOnly' })

export const secret = <Value>(field: Field<Value>): Field<Value> => ({ ...field, isSecret: true })

/** A reference says what happens to this row when the row it points at is removed. */
export const references = (
  kind: Kind<string>,
  resource: string,
  whenRemoved: Reference['whenRemoved'],
): Field<string> => ({ ...required(kind), references: { resource, whenRemoved } })

export const refused = (...problems: readonly string[]): { readonly problems: readonly string[] } => ({
  problems,
})

/** The name a message uses for a property: camelCase becomes PascalCase. */
export const labelOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
