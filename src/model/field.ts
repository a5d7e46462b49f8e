/** A parsed value, or sentences that describe the problems of the input. */
export type Parsed<Value> = { readonly value: Value } | { readonly problems: readonly string[] }

/** Settings with which a deployment accepts less than the contract allows. */
export interface ParseOptions {
  readonly hoursStep?: HoursStep
}

/** The smallest accepted part of an hour. */
export type HoursStep = 0.01 | 0.25 | 1

/**
 * Defines the values of a column: how they are parsed, and their types in JSON and protobuf. All kinds are in
 * field-kinds.ts.
 */
export interface Kind<Value, Wire extends WireKind = WireKind> {
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
  /** On create, an absent field is null. On update, it is unchanged, and null clears it. */
  | 'optional'
  /** Required on create. On update, an absent or null field is unchanged. */
  | 'requiredOnCreate'
  /** Used only by updates and never stored, such as `expectedVersion`. */
  | 'updateOnly'
  /** Set by the server. No body contains it. */
  | 'byServer'

/** The two bodies of a resource. */
export type BodyPurpose = 'create' | 'update'

/** The effect on a row when the row to which it refers is removed. */
export type OnRemove =
  /** The removal is rejected while this row is active. */
  | 'restrict'
  /** This row is removed and restored with the other row. */
  | 'cascade'
  /** This row stays and keeps its reference. */
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
  /** The permanent field number in protobuf messages. */
  readonly number: N
  /** Stored in another form, and never serialized or sorted by. */
  readonly isSecret?: true
  readonly references?: Reference
  /** By default, a new row refers to the account of the caller. */
  readonly isCallerDefault?: true
  readonly defaultValue?: unknown
  /** By default, the database generates the value of a new row. */
  readonly isGenerated?: true
  /** Only extensions have this field of a v1 resource. */
  readonly isExtension?: true
  readonly deprecation?: Deprecation
  readonly about?: string
  readonly example?: unknown
}

/** The documentation of a field, in addition to the documentation of its kind. */
export interface FieldDocs {
  readonly about?: string
  readonly example?: unknown
}

export type ReferenceField<Target extends string, N extends number> = Field<string, 'required', 'uuid', N> & {
  readonly references: Reference<Target>
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

export const commonFieldNumbers = { id: 1, createdAt: 11, updatedAt: 12, deletedAt: 13, active: 14 } as const

/** The field number of `updateMask` in every update message. */
export const updateMaskNumber = 1000

type CommonNumber = (typeof commonFieldNumbers)[keyof typeof commonFieldNumbers]

/**
 * The field number of a resource's own field. The compiler reports this text for the number of a common
 * field.
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

/** A deprecated field still works. Documents and responses announce until when. */
export const deprecated = <F extends Field>(field: F, deprecation: Deprecation): F => ({
  ...field,
  deprecation,
})

export const secret = <F extends Field>(field: F): F & { readonly isSecret: true } => ({
  ...field,
  isSecret: true,
})

/** Declares a reference, and what happens to this row when the other row is removed. */
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

/** Declares a reference that may be null. */
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

/** Declares a reference that no body may set. */
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

/** Declares a field of a v1 resource that only `/ext/` and the extension commands have. */
export const extension = <F extends Field>(field: F): F & { readonly isExtension: true } => ({
  ...field,
  isExtension: true,
})

/**
 * Declares a default for new rows. An update without the field leaves it unchanged. The field is never null.
 */
export const withDefault = <Value, Wire extends WireKind, N extends number>(
  field: Field<Value, 'requiredOnCreate', Wire, N>,
  defaultValue: NoInfer<Value>,
): Field<Value, 'requiredOnCreate', Wire, N> & { readonly defaultValue: Value } => ({
  ...field,
  schema: { ...field.schema, default: defaultValue },
  defaultValue,
})

/** Declares a field that the database generates for new rows. It is never null. */
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

/** Converts camelCase to PascalCase, for messages. */
export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export interface Deprecation {
  /** The date, such as 2027-01-31, from which the replacement is available. */
  readonly since: string
  /** The date until which the route or field still works. */
  readonly until: string
  /** The replacement, as a sentence. */
  readonly instead: string
}

/** Nothing is removed earlier than this number of days after its notice (CONTRIBUTING.md). */
const noticeDays = { v1: 365, ext: 180 } as const

/** Returns a sentence for each mistake in a deprecation. */
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

export const describeDeprecation = ({ since, until, instead }: Deprecation): string =>
  `Deprecated since ${since}, and gone after ${until}. ${instead}`

/** Returns milliseconds since 1970. */
export const startOfDay = (date: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
