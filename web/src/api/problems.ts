import { TrackerError } from '#tracker-client'
import { nounOf } from '../texts/declared-names.ts'
import { t, translateSentence } from '../texts/text.ts'

export type FieldErrors = TrackerError['errors']

/** Joins all sentences into one text, for places without fields. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof TrackerError)) return error instanceof Error ? error.message : String(error)
  const sentences = Object.entries(error.errors).flatMap(([name, messages]) =>
    messages.map((message) => aboutField(capitalized(nounOf(name)), name, message)),
  )
  return sentences.length > 0 ? sentences.join(' ') : error.message
}

/** Messages of the API begin with the name of the property; here they begin with its label. */
export function aboutField(label: string, name: string, message: string): string {
  const property = capitalized(name)
  return /^[ :]/.test(message.slice(property.length)) && message.startsWith(property)
    ? label + message.slice(property.length)
    : message
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const unreachable = (cause?: unknown): TrackerError =>
  new TrackerError(0, t('The server cannot be reached. Check the connection, then try again.'), { cause })

/** The same error in the user's language. */
export function inUsersWords(error: TrackerError): TrackerError {
  const { status, message, errors, retryAfterSeconds } = error
  if (status === 0) return unreachable(error)
  const words = Object.entries(errors).map(([name, messages]) => [
    name,
    messages.map((one) => translateSentence(one)),
  ])
  // A proxy may answer in the place of the server; its page has no message for the user.
  const isProxy = /^The server answered \d+\.$/.test(message)
  return new TrackerError(
    status,
    isProxy ? t('The server answered {status}.', { status }) : translateSentence(message),
    { errors: Object.fromEntries(words), retryAfterSeconds, cause: error },
  )
}
