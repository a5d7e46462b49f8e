import { nounOf } from '../texts/declared-names.ts'
import { inOwnWords, t } from '../texts/text.ts'

export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** The reason why a request failed, in sentences for the user. */
export class ApiProblem extends Error {
  /** 0 when there was no response. */
  readonly status: number
  readonly errors: FieldErrors
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, errors: FieldErrors = {}, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Joins all sentences into one text, for places without fields. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error)
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

const ownWordsOf = (errors: FieldErrors = {}): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([name, messages]) => [name, messages.map((message) => inOwnWords(message))]),
  )

export const unreachable = (): ApiProblem =>
  new ApiProblem(0, t('The server cannot be reached. Check the connection, then try again.'))

/** Reads the API's envelope; a response from anything else, such as a proxy, gets a sentence of ours. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const envelope = await response.json().catch(() => undefined)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiProblem(
    response.status,
    typeof envelope?.message === 'string'
      ? inOwnWords(envelope.message)
      : t('The server answered {status}.', { status: response.status }),
    ownWordsOf(envelope?.errors),
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  )
}
