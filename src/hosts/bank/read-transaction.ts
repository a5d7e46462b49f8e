import { isUtf8 } from 'node:buffer'
import type { Transaction } from './transactions.ts'

/** Turns unknown bytes into a transaction, or into a sentence for the payer. What passes cannot make other transactions of its call fail. */
export function readTransaction(body: Buffer): Omit<Transaction, 'account'> | string {
  const text = isUtf8(body) ? body.toString() : ''
  const fields = readFields(text)
  if (fields === undefined) return 'The body must be a JSON object.'
  // The lower-case spelling counts where both are there; JSON has no undefined.
  const amountName = fields.valor === undefined ? 'Valor' : 'valor'
  const amount = fields[amountName]
  const kind = fields.tipo === undefined ? fields.Tipo : fields.tipo
  const description = fields.descricao === undefined ? fields.Descricao : fields.descricao
  if (!isAmount(amount) || (mayBeRounded.test(text) && !isWholeAsWritten(text, amountName)))
    return `Valor must be a whole number from 1 to ${amountMax}.`
  if (kind !== 'c' && kind !== 'd') return 'Tipo must be c or d.'
  if (!isDescription(description))
    return `Descricao must have 1 to ${descriptionLengthMax} characters, none of them NUL.`
  return { amount: kind === 'c' ? amount : -amount, description }
}

/** What the ledger's column holds. */
const amountMax = 2_147_483_647
const descriptionLengthMax = 10

function readFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const isAmount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= amountMax

/** A number with a fraction or an exponent: a double may have rounded it to a whole one. Hardly any body has one. */
const mayBeRounded = /\d[.eE]/

/** Judges the digits that were sent, because `1.0000000000000000001` becomes 1 as a double. */
function isWholeAsWritten(text: string, name: string): boolean {
  const written = new Map<unknown, string>()
  const note = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (key === name) written.set(this, context?.source ?? '')
    return value
  }
  const [, whole = '', fraction = '', exponent = '0'] =
    numberParts.exec(written.get(JSON.parse(text, note)) ?? '') ?? []
  const wholeDigits = Math.max(0, whole.length + Number(exponent))
  return /^0*$/.test((whole + fraction).slice(wholeDigits))
}

const numberParts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Characters are code points. PostgreSQL stores neither NUL nor half a surrogate pair. */
function isDescription(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * descriptionLengthMax) return false
  const isShort = value.length <= descriptionLengthMax || [...value].length <= descriptionLengthMax
  return isShort && value.isWellFormed() && !value.includes('\0')
}
