import { type Kind, rejected } from './field.ts'
import { passwordCharactersMax, passwordCharactersMin, passwordProblems } from './password-policy.ts'
import { parseTimestamp } from './timestamp.ts'

export const text = ({ max }: { max: number }): Kind<string, 'text'> => ({
  schema: { type: 'string', maxLength: max },
  wire: 'text',
  read(input, label) {
    if (typeof input !== 'string') return rejected(`${label} must be text.`)
    if (!isStorable(input)) return rejected(`${label} contains a character that cannot be stored.`)
    const value = input.trim()
    return isLongerThan(value, max) ? rejected(`${label} must be at most ${max} characters.`) : { value }
  },
})

/** Any form of UUID is kept, in lower case: those of .NET carry no version bits. */
export const uuid: Kind<string, 'uuid'> = {
  schema: { type: 'string', format: 'uuid', examples: ['0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'] },
  wire: 'uuid',
  read: (input, label) =>
    typeof input === 'string' && uuidPattern.test(input)
      ? { value: input.toLowerCase() }
      : rejected(`${label} must be a UUID.`),
}

/** .NET clients send this for an id that was not set. */
export const zeroUuid = '00000000-0000-0000-0000-000000000000'

export const timestamp: Kind<string, 'timestamp'> = {
  schema: { type: 'string', format: 'date-time', examples: ['2026-01-05T09:00:00Z'] },
  wire: 'timestamp',
  read(input, label) {
    const value = typeof input === 'string' ? parseTimestamp(input) : undefined
    return value === undefined ? rejected(`${label} must be an ISO-8601 date and time.`) : { value }
  },
}

/** Quarter hours matter to people; less than a hundredth of an hour does not. */
const hoursStepDefault = 0.01

/** Clients that declare whole numbers need a coarser step, which the deployment sets. */
export function hours({ zeroAllowed }: { zeroAllowed: boolean }): Kind<number, 'number'> {
  const least = zeroAllowed ? '0 or more' : 'greater than 0'
  const schema = {
    type: 'number',
    ...(zeroAllowed ? { minimum: 0 } : { exclusiveMinimum: 0 }),
    maximum: hoursMax,
    examples: [4.5],
    // Not multipleOf: validators divide doubles, and 0.07 divided by 0.01 is no whole number.
    description: `Hours, ${least}; a multiple of ${hoursStepDefault}, or of a coarser step that the host is set to.`,
  }
  return {
    schema,
    wire: 'number',
    read(input, label, { hoursStep = hoursStepDefault } = {}) {
      if (typeof input !== 'number' || !Number.isFinite(input)) return rejected(`${label} must be a number.`)
      if (input < 0 || (input === 0 && !zeroAllowed)) return rejected(`${label} must be ${least}.`)
      if (input > hoursMax) return rejected(`${label} must be at most ${hoursMax}.`)
      // Rounding to these steps yields the double nearest to the multiple.
      const stepsPerHour = 1 / hoursStep
      if (Math.round(input * stepsPerHour) / stepsPerHour !== input) {
        return rejected(`${label} must be a multiple of ${hoursStep}.`)
      }
      // Turns negative zero into zero.
      return { value: input + 0 }
    },
  }
}

export const wholeNumber = ({ min, max }: { min: number; max: number }): Kind<number, 'wholeNumber'> => ({
  schema: { type: 'integer', minimum: min, maximum: max, examples: [min] },
  wire: 'wholeNumber',
  read: (input, label) =>
    typeof input === 'number' && Number.isInteger(input) && input >= min && input <= max
      ? { value: input + 0 }
      : rejected(`${label} must be a whole number from ${min} to ${max}.`),
})

/** A new password is never trimmed: a space may be part of it. */
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
  read(input, label) {
    if (typeof input !== 'string') return rejected(`${label} must be text.`)
    const problems = passwordProblems(input, label)
    return problems.length > 0 ? rejected(...problems) : { value: input }
  },
}

/** Whether a body or a query left the value out: blank text counts as missing. */
export const isMissing = (input: unknown): input is undefined | null =>
  input === undefined || input === null || (typeof input === 'string' && input.trim() === '')

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
export const isStorable = (input: string): boolean => !input.includes('\0') && input.isWellFormed()

/** Characters are code points, as PostgreSQL counts them. */
export const isLongerThan = (input: string, max: number): boolean =>
  input.length > max && (input.length > 2 * max || [...input].length > max)

export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hoursMax = 100_000
