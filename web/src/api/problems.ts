import { TrackerError } from '#tracker-client'
import { capitalize, nounOf } from '../texts/declared-names.ts'
import { type MessageKey, t, translateSentence } from '../texts/text.ts'

export type FieldErrors = TrackerError['errors']

/**
 * Returns the messages of an error as one text, for places without form fields. They name fields as the forms
 * of the resource do.
 */
export function sentenceOf(error: unknown, resource?: string): string {
  if (!(error instanceof TrackerError)) return error instanceof Error ? error.message : String(error)
  const sentences = Object.entries(error.errors).flatMap(([name, messages]) =>
    messages.map((message) => withFieldLabel(capitalize(nounOf(name, resource)), name, message)),
  )
  return sentences.length > 0 ? sentences.join(' ') : error.message
}

/** Replaces the property name at the beginning of an API message with the label of the field. */
export function withFieldLabel(label: string, name: string, message: string): string {
  const property = capitalize(name)
  return /^[ :]/.test(message.slice(property.length)) && message.startsWith(property)
    ? label + message.slice(property.length)
    : message
}

export const outageError = (cause?: unknown): TrackerError =>
  new TrackerError(0, t('The server cannot be reached. Check the connection, then try again.'), { cause })

/** Returns whether the server could not be reached, so that the same request may succeed later. */
export const isOutage = (error: unknown): error is TrackerError =>
  error instanceof TrackerError && error.status === 0

/** Replaces API messages that are not in the words of the screens. The first word of a message is left out. */
const rewordings: Readonly<Record<string, MessageKey>> = {
  'date must be on or after start date.': 'The end cannot be before the start.',
  'must be an ISO-8601 date and time.': 'Enter a day, such as fri, 12 dec or in 2 weeks.',
}

/** Returns the same error in the user's language. */
export function translateError(error: TrackerError): TrackerError {
  const { status, message, errors, retryAfterSeconds } = error
  if (status === 0) return outageError(error)
  const translated = Object.entries(errors).map(([name, messages]) => [
    name,
    messages.map((message) => {
      const reworded = rewordings[message.slice(message.indexOf(' ') + 1)]
      return reworded ? t(reworded) : translateSentence(message)
    }),
  ])
  // A proxy may have responded instead of the server. Its page has no message, so the client library wrote one.
  const isFromProxy = /^The server answered \d+\.$/.test(message)
  return new TrackerError(
    status,
    isFromProxy ? t('The server answered {status}.', { status }) : translateSentence(message),
    { errors: Object.fromEntries(translated), retryAfterSeconds, cause: error },
  )
}
