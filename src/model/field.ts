import type { Deprecation } from './deprecation.ts'

/** Turns unknown input into a value, or into sentences for the user about what is wrong. */
export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly string[] }

/** What a deployment may set more strictly than the contract. */
export interface ReadingRules {
  readonly hoursStep?: HoursStep
}

/** Of an hour: the finest part that is taken. */
export type HoursStep = 0.01 | 0.25 | 1

/** What a column can hold: how it is read, shown again and described. The one extension point of the resources. */
export interface Kind<Value, Wire extends WireKind = WireKind> {
  /** As OpenAPI describes it. */
  readonly schema: Readonly<Record<string, unknown>>
  /** As typed messages carry it. */
  readonly wire: Wire
  read(input: unknown, label: string, rules?: ReadingRules): Reading<Value>
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

/** The two bodies that a resource has. */
export type BodyPurpose = 'create' | 'update'

/** What happens to a row when the row it points at is removed. */
export type WhenRemoved =
  /** The removal is refused while this row is active. */
  | 'blockRemoval'
  /** This row is removed with it, and comes back with it. */
  | 'removeAlong'
  /** This row stays, and keeps pointing at what was removed. */
  | 'stay'

export interface Reference<Target extends string = string> {
  readonly resource: Target
  readonly whenRemoved: WhenRemoved
}

export interface Field<
  Value = unknown,
  Required extends Presence = Presence,
  Wire extends WireKind = WireKind,
  N extends number = number,
> extends Kind<Value, Wire> {
  readonly presence: Required
  /** In the messages of this resource, for ever: a new field takes a number that was never used. */
  readonly number: N
  /** Stored in another form, never shown and never a sort column. */
  readonly isSecret?: true
  readonly references?: Reference
  /** The account that calls, where a create does not carry the field. */
  readonly isCallerByDefault?: true
  readonly deprecation?: Deprecation
  readonly about?: string
  readonly example?: unknown
}

/** What documents say of a field beside what every field of its kind can hold. */
export interface Meaning {
  /** A sentence. */
  readonly about?: string
  readonly example?: unknown
}

export type ReferenceField<Target extends string, N extends number> = Field<string, 'required', 'uuid', N> & {
  readonly references: Reference<Target>
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

/** Of the common fields, in the messages of every resource. */
export const commonNumbers = { id: 1, createdAt: 11, updatedAt: 12, deletedAt: 13, active: 14 } as const

type CommonNumber = (typeof commonNumbers)[keyof typeof commonNumbers]

/** A number for a field of one resource; any other does not compile, and the error is the sentence. */
type OwnNumber<N extends number> = N extends CommonNumber
  ? 'The numbers 1 and 11 to 14 belong to the common fields.'
  : N

const declare =
  <P extends Presence>(presence: P) =>
  <Value, Wire extends WireKind, const N extends number>(
    number: OwnNumber<N>,
    kind: Kind<Value, Wire>,
    meaning: Meaning = {},
  ): Field<Value, P, Wire, N> => ({ ...kind, ...meaning, number: number as N, presence })

export const required = declare('required')

export const requiredOnCreate = declare('requiredOnCreate')

export const updateOnly = declare('updateOnly')

export const optional = <Value, Wire extends WireKind, const N extends number>(
  number: OwnNumber<N>,
  kind: Kind<Value, Wire>,
  meaning: Meaning = {},
): Field<Value | null, 'optional', Wire, N> => ({
  ...kind,
  ...meaning,
  number: number as N,
  presence: 'optional',
  read: (input, label, rules) => (input === null ? { value: null } : kind.read(input, label, rules)),
})

/** Still read, stored and shown; documents and answers say until when. */
export const deprecated = <F extends Field>(field: F, deprecation: Deprecation): F => ({
  ...field,
  deprecation,
})

export const secret = <F extends Field>(field: F): F & { readonly isSecret: true } => ({
  ...field,
  isSecret: true,
})

/** A reference says what happens to this row when the row it points at is removed. */
export const references = <const Target extends string, const N extends number>(
  number: OwnNumber<N>,
  kind: Kind<string, 'uuid'>,
  resource: Target,
  whenRemoved: WhenRemoved,
  meaning: Meaning = {},
): ReferenceField<Target, N> => ({
  ...required(number, kind, meaning),
  references: { resource, whenRemoved },
})

export const callerByDefault = <F extends Field>(field: F): F & { readonly isCallerByDefault: true } => ({
  ...field,
  isCallerByDefault: true,
})

/** Whether a body without the field is rejected. */
export const isRequired = (
  { presence, isCallerByDefault }: Pick<Field, 'presence' | 'isCallerByDefault'>,
  purpose: BodyPurpose,
): boolean =>
  purpose === 'create' ? presence.startsWith('required') && !isCallerByDefault : presence === 'required'

export const refused = (...problems: readonly string[]): { readonly problems: readonly string[] } => ({
  problems,
})

/** The name a message uses for a property: camelCase becomes PascalCase. */
export const labelOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
