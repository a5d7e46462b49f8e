/** A parsed value, or sentences that say what is wrong with the input. */
export type Parsed<Value> = { readonly value: Value } | { readonly problems: readonly string[] }

/** Options with which a deployment accepts less than the contract allows. */
export interface ParseOptions {
  readonly hoursStep?: HoursStep
}

/** The smallest part of an hour that is accepted. */
export type HoursStep = 0.01 | 0.25 | 1

/**
 * Defines the values of a column: how they are parsed, serialized and described. New kinds of values are
 * added in field-kinds.ts and nowhere else.
 */
export interface Kind<Value, Wire extends WireKind = WireKind> {
  /** The OpenAPI schema. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The type in protobuf messages. */
  readonly wire: Wire
  parse(input: unknown, label: string, options?: ParseOptions): Parsed<Value>
}

export type WireKind = 'text' | 'uuid' | 'timestamp' | 'number' | 'integer' | 'boolean'

/** Defines what a body without the field means. */
export type Presence =
  /** Rejected, on create and on update. */
  | 'required'
  /** Absent means null on create and unchanged on update; null clears it. */
  | 'optional'
  /** Required on create; absent or null on update means unchanged. */
  | 'requiredOnCreate'
  /** Used by updates only and never stored, such as `expectedVersion`. */
  | 'updateOnly'
  /** Set by the server when it creates the row, and in no body. */
  | 'byServer'

/** The two bodies of a resource. */
export type BodyPurpose = 'create' | 'update'

/** The effect on a row when the row it refers to is removed. */
export type OnRemove =
  /** The removal is rejected while this row is active. */
  | 'restrict'
  /** This row is removed with it, and restored with it. */
  | 'cascade'
  /** This row stays, and keeps its reference to the removed one. */
  | 'keep'

export interface Reference<Target extends string = string> {
  readonly resource: Target
  readonly onRemove: OnRemove
}

export interface Field<
  Value = unknown,
  Required extends Presence = Presence,
  Wire extends WireKind = WireKind,
  N extends number = number,
> extends Kind<Value, Wire> {
  readonly presence: Required
  /** The protobuf field number. It is permanent, and a new field takes one that was never used. */
  readonly number: N
  /** Stored in another form, never serialized and never a column to sort by. */
  readonly isSecret?: true
  readonly references?: Reference
  /** If a create leaves the field out, it refers to the caller's account. */
  readonly isCallerDefault?: true
  /** The value that a create stores if its body leaves the field out. */
  readonly defaultValue?: unknown
  /** If a create leaves the field out, the database generates a value. */
  readonly isGenerated?: true
  /** Only extensions show and accept the field of a v1 resource. */
  readonly isExtension?: true
  readonly deprecation?: Deprecation
  readonly about?: string
  readonly example?: unknown
}

/** The documentation of one field, in addition to that of its kind. */
export interface FieldDocs {
  /** Describes the field in one sentence. */
  readonly about?: string
  readonly example?: unknown
}

export type ReferenceField<Target extends string, N extends number> = Field<string, 'required', 'uuid', N> & {
  readonly references: Reference<Target>
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

/** The numbers of the common fields in the messages of every resource. */
export const commonFieldNumbers = { id: 1, createdAt: 11, updatedAt: 12, deletedAt: 13, active: 14 } as const

/** The number of `updateMask` in every update message, far from the numbers of fields. */
export const updateMaskNumber = 1000

type CommonNumber = (typeof commonFieldNumbers)[keyof typeof commonFieldNumbers]

/**
 * The number of a field of one resource. For a number of the common fields, the compiler reports this text.
 */
type OwnNumber<N extends number> = N extends CommonNumber
  ? 'The numbers 1 and 11 to 14 belong to the common fields.'
  : N

const declare =
  <P extends Presence>(presence: P) =>
  <Value, Wire extends WireKind, const N extends number>(
    number: OwnNumber<N>,
    kind: Kind<Value, Wire>,
    docs: FieldDocs = {},
  ): Field<Value, P, Wire, N> => ({ ...kind, ...docs, number: number as N, presence })

export const required = declare('required')

export const requiredOnCreate = declare('requiredOnCreate')

export const updateOnly = declare('updateOnly')

export const byServer = declare('byServer')

export const optional = <Value, Wire extends WireKind, const N extends number>(
  number: OwnNumber<N>,
  kind: Kind<Value, Wire>,
  docs: FieldDocs = {},
): Field<Value | null, 'optional', Wire, N> => ({
  ...kind,
  ...docs,
  number: number as N,
  presence: 'optional',
  parse: (input, label, options) => (input === null ? { value: null } : kind.parse(input, label, options)),
})

/** A deprecated field is still parsed, stored and serialized. Documents and responses announce until when. */
export const deprecated = <F extends Field>(field: F, deprecation: Deprecation): F => ({
  ...field,
  deprecation,
})

export const secret = <F extends Field>(field: F): F & { readonly isSecret: true } => ({
  ...field,
  isSecret: true,
})

/** Declares a reference, and what happens to this row when the row it refers to is removed. */
export const references = <const Target extends string, const N extends number>(
  number: OwnNumber<N>,
  kind: Kind<string, 'uuid'>,
  resource: Target,
  onRemove: OnRemove,
  docs: FieldDocs = {},
): ReferenceField<Target, N> => ({
  ...required(number, kind, docs),
  references: { resource, onRemove },
})

/** A reference that may be null. */
export const optionalReference = <const Target extends string, const N extends number>(
  number: OwnNumber<N>,
  kind: Kind<string, 'uuid'>,
  resource: Target,
  onRemove: OnRemove,
  docs: FieldDocs = {},
): Field<string | null, 'optional', 'uuid', N> & { readonly references: Reference<Target> } => ({
  ...optional(number, kind, docs),
  references: { resource, onRemove },
})

/** A reference that no body may set. */
export const referenceByServer = <const Target extends string, const N extends number>(
  field: ReferenceField<Target, N>,
): Omit<ReferenceField<Target, N>, 'presence'> & { readonly presence: 'byServer' } => ({
  ...field,
  presence: 'byServer',
})

export const defaultsToCaller = <F extends Field>(field: F): F & { readonly isCallerDefault: true } => ({
  ...field,
  isCallerDefault: true,
})

/** Adds a field to a v1 resource without changing v1: only `/ext/` and the extension commands have it. */
export const extension = <F extends Field>(field: F): F & { readonly isExtension: true } => ({
  ...field,
  isExtension: true,
})

/**
 * A create may leave the field out, and so may an update, which then leaves it unchanged. It is never null.
 */
export const withDefault = <Value, Wire extends WireKind, N extends number>(
  field: Field<Value, 'requiredOnCreate', Wire, N>,
  defaultValue: NoInfer<Value>,
): Field<Value, 'requiredOnCreate', Wire, N> & { readonly defaultValue: Value } => ({
  ...field,
  schema: { ...field.schema, default: defaultValue },
  defaultValue,
})

/** The database generates the value of new rows, never null. A body may set it unless it is `byServer`. */
export const generated = <F extends Field>(field: F): F & { readonly isGenerated: true } => ({
  ...field,
  isGenerated: true,
})

/** Returns whether a body may have the field. */
export const isInBody = ({ presence }: Pick<Field, 'presence'>, purpose: BodyPurpose): boolean =>
  presence !== 'byServer' && (presence !== 'updateOnly' || purpose === 'update')

/** Returns whether a body without the field is rejected. */
export const isRequired = (
  {
    presence,
    isCallerDefault,
    defaultValue,
    isGenerated,
  }: Pick<Field, 'presence' | 'isCallerDefault' | 'defaultValue' | 'isGenerated'>,
  purpose: BodyPurpose,
): boolean =>
  purpose === 'create'
    ? presence.startsWith('required') && !isCallerDefault && !isGenerated && defaultValue === undefined
    : presence === 'required'

export const parseFailure = (...problems: readonly string[]): { readonly problems: readonly string[] } => ({
  problems,
})

/** Returns the name of a property in messages: camelCase becomes PascalCase. */
export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** Marks a route or a field as deprecated, and says how long it still works. */
export interface Deprecation {
  /** A date, such as 2027-01-31, from which a replacement is available. */
  readonly since: string
  /** The date until which the deprecated route or field works unchanged. */
  readonly until: string
  /** The replacement, as a sentence. */
  readonly instead: string
}

/** The policy of CONTRIBUTING.md: nothing is removed earlier than this many days after its notice. */
const noticeDays = { v1: 365, ext: 180 } as const

/** Lists the mistakes in a deprecation, a sentence each, for the developer. */
export function deprecationProblems(
  where: string,
  { since, until, instead }: Deprecation,
  edition: keyof typeof noticeDays,
): string[] {
  const from = startOfDay(since)
  const end = startOfDay(until)
  if (Number.isNaN(from) || Number.isNaN(end))
    return [`${where}: a deprecation has two dates, such as 2027-01-31, not ${since} and ${until}.`]
  const days = noticeDays[edition]
  return [
    ...(end - from < days * 86_400_000
      ? [`${where}: a deprecation since ${since} must last ${days} days, so it cannot end on ${until}.`]
      : []),
    ...(instead.trim() === '' ? [`${where}: a deprecation says what to use instead.`] : []),
  ]
}

/** After `until`, everything with this deprecation may be removed. */
export const describeDeprecation = ({ since, until, instead }: Deprecation): string =>
  `Deprecated since ${since}, and gone after ${until}. ${instead}`

/** Milliseconds since 1970. */
export const startOfDay = (date: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
