import { capitalize, type Kind } from './field.ts'
import { isNullOrBlank } from './field-kinds.ts'

/**
 * Every kind of error that an operation may return. Each host maps a kind to its own status, in one table.
 */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'gone'
  /** A unique value is in use. */
  | 'duplicate'
  /** Active rows depend on the row. */
  | 'inUse'
  /** The row is newer than the `expectedVersion` of the body. */
  | 'stale'
  /** The row does not match `If-Match`. */
  | 'changed'
  /** The same rows were changed at the same time. A retry helps. */
  | 'contended'
  /** An Idempotency-Key was sent with another request before. */
  | 'reused'
  | 'locked'
  | 'busy'
  | 'overloaded'
  | 'uncertain'

/**
 * Messages by the camelCase name of the request property. `generalErrors` has messages that belong to no
 * property.
 */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

export interface ProblemDetails {
  readonly errors?: FieldErrors
  /** How long a locked-out or busy caller should wait. */
  readonly retryAfterSeconds?: number
  /** Written to the log only. */
  readonly cause?: unknown
}

export class Problem extends Error {
  readonly kind: ProblemKind
  readonly errors: FieldErrors | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ProblemKind, message: string, { errors, retryAfterSeconds, cause }: ProblemDetails = {}) {
    super(message, { cause })
    this.name = 'Problem'
    this.kind = kind
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const invalid = (errors: FieldErrors) =>
  new Problem('invalid', 'One or more validation errors occurred.', { errors })

export const unauthenticated = () => new Problem('unauthenticated', 'A valid access token is required.')

export const forbidden = (message = 'You are not allowed to do this.') => new Problem('forbidden', message)

export const notFound = (what: string) => new Problem('missing', `${what} was not found.`)

/** The resource existed before. A retry does not help. */
export const gone = (message: string) => new Problem('gone', message)

export const duplicate = (key: string, message: string) =>
  new Problem('duplicate', message, { errors: { [key]: [message] } })

export const inUse = (what: string, dependents: string) => {
  const message = `${what} cannot be removed while it has active ${dependents}.`
  return new Problem('inUse', message, { errors: { generalErrors: [message] } })
}

export const stale = (what: string) => {
  const message = `${what} was changed since the expected version.`
  return new Problem('stale', message, { errors: { expectedVersion: [message] } })
}

/** The row no longer matches the caller's precondition. */
export const changed = (what: string) =>
  new Problem('changed', `${what} is no longer as If-Match says. Read it again.`)

export const contended = () =>
  new Problem('contended', 'The same rows were changed at the same time. Please try again.')

/** The same key was sent with another request. */
export const reused = () =>
  new Problem(
    'reused',
    'Idempotency-Key was used for another request. Send a new one, or the same request.',
    {
      errors: { idempotencyKey: ['IdempotencyKey was used for another request.'] },
    },
  )

/** The default of `Retry-After`, which the API contract prescribes. */
export const retryAfterDefaultSeconds = 60

export const locked = (retryAfterSeconds: number) =>
  new Problem('locked', 'Too many failed attempts. Please try again later.', { retryAfterSeconds })

export const busy = (retryAfterSeconds: number) =>
  new Problem('busy', 'Too many requests. Please try again later.', { retryAfterSeconds })

/** The service is temporarily overloaded. Nothing was done, so a retry is safe. */
export const overloaded = (message: string, details: ProblemDetails) =>
  new Problem('overloaded', message, details)

/** Without `Retry-After`, clients do not retry automatically. A retry could do the same twice. */
export const uncertain = (cause: unknown) =>
  new Problem(
    'uncertain',
    'The store failed before it was known whether this was done. Check that before you try again.',
    { cause },
  )

/** Collects every violation of a body or query, so that all are reported at once. */
export interface Violations {
  add(key: string, ...messages: readonly string[]): void
  throwIfAny(): void
}

export function collectViolations(): Violations {
  // A request may name a property `constructor`, so the prototype is null.
  const errors: Record<string, string[]> = Object.create(null)
  return {
    add(key, ...messages) {
      errors[key] = [...(errors[key] ?? []), ...messages]
    },
    throwIfAny() {
      // Copied, because callers expect an object with a prototype.
      if (Object.keys(errors).length > 0) throw invalid({ ...errors } satisfies FieldErrors)
    },
  }
}

/** Requires the body of a request to be an object. */
export function parseObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw invalid({ generalErrors: ['The body must be a JSON object.'] })
}

type Kinds = Readonly<Record<string, Kind<string>>>
type Fields<K extends Kinds> = { readonly [Name in keyof K]: string }

/**
 * Parses a body in which every field is required. `check` gets the valid fields, and its violations are
 * reported together with the others.
 */
export function parseFields<K extends Kinds>(
  body: unknown,
  kinds: K,
  check: (fields: Partial<Fields<K>>, object: Readonly<Record<string, unknown>>) => FieldErrors = () => ({}),
): Fields<K> {
  const object = parseObject(body)
  const fields: Record<string, string> = {}
  const violations = collectViolations()
  for (const [name, kind] of Object.entries(kinds)) {
    const input = Object.hasOwn(object, name) ? object[name] : undefined
    const parsed = isNullOrBlank(input)
      ? { problems: [`${capitalize(name)} is required.`] }
      : kind.parse(input, capitalize(name))
    if ('value' in parsed) fields[name] = parsed.value
    else violations.add(name, ...parsed.problems)
  }
  for (const [name, problems] of Object.entries(check(fields as Partial<Fields<K>>, object))) {
    violations.add(name, ...problems)
  }
  violations.throwIfAny()
  return fields as Fields<K>
}
