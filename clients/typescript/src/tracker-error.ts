/** The error of a rejected request, with its sentences, or of one without an answer. */
export class TrackerError extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** Sentences by field; `generalErrors` holds those of no field. */
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

  /** True if a retry of the same request would be rejected again. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429
  }
}

interface Envelope {
  readonly message?: string
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly error_description?: string
}

/** Reads the error of a response; an answer from a proxy in the host's place gets a sentence of our own. */
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
