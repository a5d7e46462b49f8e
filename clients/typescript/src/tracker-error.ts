/** A refusal with its sentences, or no answer at all. */
export class TrackerError extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** By field; `generalErrors` holds those of no field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** When a limited caller may try again. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    message: string,
    {
      errors = {},
      retryAfterSeconds,
      cause,
    }: {
      readonly errors?: Readonly<Record<string, readonly string[]>>
      readonly retryAfterSeconds?: number | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.name = 'TrackerError'
    this.status = status
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface Envelope {
  readonly message?: string
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly error_description?: string
}

/** What a refused answer says; anything else that answers in the host's place gets a sentence of ours. */
export async function errorOf(response: Response): Promise<TrackerError> {
  const envelope = ((await response.json().catch(() => null)) ?? {}) as Envelope
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new TrackerError(
    response.status,
    // The identity host speaks OAuth.
    envelope.message ?? envelope.error_description ?? `The server answered ${response.status}.`,
    {
      errors: envelope.errors ?? {},
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    },
  )
}

export const unreachable = (cause: unknown): TrackerError =>
  new TrackerError(0, 'The server did not answer.', { cause })
