import { type HoursStep, type Kind, parseFailure } from './field.ts'
import { sanitizeFileName } from './text.ts'

export const text = ({ max }: { max: number }): Kind<string, 'text'> => ({
  schema: { type: 'string', maxLength: max },
  wire: 'text',
  parse(input, label) {
    if (typeof input !== 'string') return parseFailure(`${label} must be text.`)
    if (!isStorable(input)) return parseFailure(`${label} contains a character that cannot be stored.`)
    const value = input.trim()
    return isLongerThan(value, max) ? parseFailure(`${label} must be at most ${max} characters.`) : { value }
  },
})

/** Accepts one of a few words. */
export const choice = <const Word extends string>(words: readonly Word[]): Kind<Word, 'text'> => ({
  schema: {
    type: 'string',
    enum: words,
    description: `One of ${words.join(', ')}.`,
    examples: words.slice(0, 1),
  },
  wire: 'text',
  parse(input, label) {
    const value = typeof input === 'string' ? words.find((word) => word === input.trim()) : undefined
    return value === undefined ? parseFailure(`${label} must be one of ${words.join(', ')}.`) : { value }
  },
})

/** Colors are stored by name, because each client chooses the values for its light and its dark theme. */
export const colors = [
  ...(['gray', 'red', 'orange', 'amber', 'green', 'teal'] as const),
  ...(['cyan', 'blue', 'indigo', 'purple', 'pink', 'brown'] as const),
] as const

export const color = choice(colors)

const projectKeyPattern = '^[A-Z][A-Z0-9]{1,7}$'
const projectKeyRule = '2 to 8 capital letters and digits, beginning with a letter.'

/** The first part of the keys of a project's assignments: MBA in MBA-12. */
export const projectKey: Kind<string, 'text'> = {
  schema: {
    type: 'string',
    pattern: projectKeyPattern,
    maxLength: 8,
    description: projectKeyRule,
  },
  wire: 'text',
  parse: (input, label) =>
    typeof input === 'string' && new RegExp(projectKeyPattern).test(input.trim())
      ? { value: input.trim() }
      : parseFailure(`${label} must be ${projectKeyRule}`),
}

/** The name of a file, without what `sanitizeFileName` removes. */
export const fileName = ({ max }: { max: number }): Kind<string, 'text'> => {
  const kind = text({ max })
  return {
    ...kind,
    parse(input, label) {
      if (typeof input !== 'string' || !isStorable(input)) return kind.parse(input, label)
      const name = sanitizeFileName(input)
      return name === '' ? parseFailure(`${label} must be the name of a file.`) : kind.parse(name, label)
    },
  }
}

/** Accepts UUIDs without version bits too, because .NET creates them. Stores lower case. */
export const uuid: Kind<string, 'uuid'> = {
  schema: { type: 'string', format: 'uuid', examples: ['0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'] },
  wire: 'uuid',
  parse: (input, label) =>
    typeof input === 'string' && uuidPattern.test(input)
      ? { value: input.toLowerCase() }
      : parseFailure(`${label} must be a UUID.`),
}

/** .NET clients send this for an id that was not set. */
export const zeroUuid = '00000000-0000-0000-0000-000000000000'

export const timestamp: Kind<string, 'timestamp'> = {
  schema: { type: 'string', format: 'date-time', examples: ['2026-01-05T09:00:00Z'] },
  wire: 'timestamp',
  parse(input, label) {
    const value = typeof input === 'string' ? parseTimestamp(input) : undefined
    return value === undefined ? parseFailure(`${label} must be an ISO-8601 date and time.`) : { value }
  },
}

/** A hundredth of an hour is finer than time is recorded in practice. */
const hoursStepDefault = 0.01

/** A float of 32 bits below 32 hours, and a sum such as 0.1 + 0.2, are this close to the intended value. */
const hoursTolerance = 1e-6

/** A deployment can set a coarser step, for example for clients that only support whole hours. */
export function hours({ zeroAllowed }: { zeroAllowed: boolean }): Kind<number, 'number'> {
  const least = zeroAllowed ? '0 or more' : 'greater than 0'
  const schema = {
    type: 'number',
    // Without the format, generated Go clients use 32 bits.
    format: 'double',
    ...(zeroAllowed ? { minimum: 0 } : { exclusiveMinimum: 0 }),
    maximum: hoursMax,
    examples: [4.5],
    // The schema has no multipleOf, because validators divide doubles, and 0.07 divided by 0.01 is no whole
    // number.
    description: `Hours, ${least}, in multiples of ${hoursStepDefault} or of the coarser step that the host is configured with. A value within ${hoursTolerance} of a multiple counts as the multiple.`,
  }
  return {
    schema,
    wire: 'number',
    parse(input, label, { hoursStep = hoursStepDefault } = {}) {
      if (typeof input !== 'number' || !Number.isFinite(input))
        return parseFailure(`${label} must be a number.`)
      const value = roundNearMultiple(input, hoursStep)
      if (value < 0 || (value === 0 && !zeroAllowed)) return parseFailure(`${label} must be ${least}.`)
      if (value > hoursMax) return parseFailure(`${label} must be at most ${hoursMax}.`)
      if (value !== nearestMultiple(value, hoursStep))
        return parseFailure(`${label} must be a multiple of ${hoursStep}.`)
      // Turns negative zero into zero.
      return { value: value + 0 }
    },
  }
}

/**
 * Divides by the steps per hour, because multiplying by 0.01 seldom gives the double nearest to the multiple.
 */
function nearestMultiple(hours: number, step: HoursStep): number {
  const stepsPerHour = 1 / step
  return Math.round(hours * stepsPerHour) / stepsPerHour
}

/** Rounds measured hours to the nearest multiple of the step, but at least to one step. */
export const nearestHours = (measured: number, step: HoursStep = hoursStepDefault): number =>
  Math.max(step, nearestMultiple(measured, step))

function roundNearMultiple(hours: number, step: HoursStep): number {
  const multiple = nearestMultiple(hours, step)
  return Math.abs(hours - multiple) <= hoursTolerance ? multiple : hours
}

export const integer = ({ min, max }: { min: number; max: number }): Kind<number, 'integer'> => ({
  schema: { type: 'integer', minimum: min, maximum: max, examples: [min] },
  wire: 'integer',
  parse: (input, label) =>
    typeof input === 'number' && Number.isInteger(input) && input >= min && input <= max
      ? // Turns negative zero into zero.
        { value: input + 0 }
      : parseFailure(`${label} must be a whole number from ${min} to ${max}.`),
})

export const boolean: Kind<boolean, 'boolean'> = {
  schema: { type: 'boolean' },
  wire: 'boolean',
  parse: (input, label) =>
    typeof input === 'boolean' ? { value: input } : parseFailure(`${label} must be true or false.`),
}

export const passwordCharactersMin = 8
/** A longer password is not safer, and takes longer to hash. */
export const passwordCharactersMax = 128

/** A new password is never trimmed, because spaces may be part of it. */
export const newPassword: Kind<string, 'text'> = {
  schema: {
    type: 'string',
    format: 'password',
    minLength: passwordCharactersMin,
    maxLength: passwordCharactersMax,
    writeOnly: true,
    description: `${passwordCharactersMin} to ${passwordCharactersMax} characters: a lower-case letter, an upper-case letter, a digit and another character among them, no control characters; no common password, and not the login.`,
    examples: ['Correct-horse-7'],
  },
  wire: 'text',
  parse(input, label) {
    if (typeof input !== 'string') return parseFailure(`${label} must be text.`)
    const problems = passwordProblems(input, label)
    return problems.length > 0 ? parseFailure(...problems) : { value: input }
  },
}

/** Any printable Unicode is allowed. A password needs at least one character of each of these kinds. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\p{Ll}/u, 'must contain a lower-case letter'],
  [/\p{Lu}/u, 'must contain an upper-case letter'],
  [/\p{Nd}/u, 'must contain a digit'],
  [/[^\p{Ll}\p{Lu}\p{Nd}]/u, 'must contain a character that is no letter and no digit'],
]

/** Lists everything that is wrong with a new password, a sentence each. */
export function passwordProblems(password: string, label: string): readonly string[] {
  // Counts code points. A longer text is cut first, so that counting stays cheap.
  const characters = [...password.slice(0, 2 * passwordCharactersMax + 1)].length
  const problems: string[] = []
  if (characters < passwordCharactersMin)
    problems.push(`must be at least ${passwordCharactersMin} characters`)
  if (characters > passwordCharactersMax) problems.push(`must be at most ${passwordCharactersMax} characters`)
  if (!password.isWellFormed() || /\p{Cc}/u.test(password))
    problems.push('must not contain control characters')
  for (const [pattern, problem] of rules) if (!pattern.test(password)) problems.push(problem)
  return problems.map((problem) => `${label} ${problem}.`)
}

/** Returns whether a body or a query left the value out: blank text counts as missing. */
export const isNullOrBlank = (input: unknown): boolean =>
  input === undefined || input === null || (typeof input === 'string' && input.trim() === '')

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
export const isStorable = (input: string): boolean => !input.includes('\0') && input.isWellFormed()

/**
 * Characters are code points, as PostgreSQL counts them. Each has one or two code units, so the first two
 * comparisons decide almost every text without counting.
 */
export const isLongerThan = (input: string, max: number): boolean =>
  input.length > max && (input.length > 2 * max || [...input].length > max)

export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** More than eleven years without a break. */
const hoursMax = 100_000

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/i

/**
 * Parses a date, or a date and time with an offset or in UTC. Returns text, because a `Date` has only
 * milliseconds: RFC 3339 in UTC with up to six decimals of a second. Returns undefined if there is no such
 * instant.
 */
export function parseTimestamp(input: string): string | undefined {
  const [matched, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset = 'Z'] =
    timestampPattern.exec(input) ?? []
  if (matched === undefined) return undefined
  const local = new Date(0)
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // `Date` turns the 30th of February into the 2nd of March.
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offsetMinutes = minutesOf(offset)
  if (offsetMinutes === undefined) return undefined
  local.setUTCHours(Number(hour), Number(minute) - offsetMinutes, Number(second))
  const utcYear = local.getUTCFullYear()
  return utcYear >= 1 && utcYear <= 9999
    ? `${local.toISOString().slice(0, 19)}${microseconds(fraction)}Z`
    : undefined
}

/**
 * Returns whether the first timestamp is earlier. The Z is removed, because it would sort after further
 * decimals.
 */
export const isEarlier = (first: string, second: string): boolean => first.slice(0, -1) < second.slice(0, -1)

function minutesOf(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (60 * hours + minutes)
}

/**
 * Clients send three to nine decimals. The database stores six, and further decimals are dropped without
 * rounding, so that a version stays equal when a client sends it back.
 */
function microseconds(fraction: string): string {
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}

/**
 * Returns whether this is the name of a time zone, such as Europe/Lisbon. Offsets such as +01:00 are
 * rejected, because they have no daylight saving time.
 */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
