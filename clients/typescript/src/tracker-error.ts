/** The error of a request that was rejected, or that got no complete and valid response. */
export class TrackerError extends Error {
  /** 0 if there was no complete response. */
  readonly status: number
  /** Sentences by field; `generalErrors` holds those without a field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The time until a limited caller may try again. */
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

/** Reads the error of a response. The response of a proxy, which has no message, gets one here. */
export async function errorOf(response: Response): Promise<TrackerError> {
  const envelope = ((await response.json().catch(() => null)) ?? {}) as Envelope
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new TrackerError(
    response.status,
    // Errors of OAuth endpoints have a description instead of a message.
    envelope.message ?? envelope.error_description ?? `The server answered ${response.status}.`,
    {
      errors: envelope.errors ?? {},
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    },
  )
}

export const invalidResponseError = (status: number, cause: SyntaxError): TrackerError =>
  new TrackerError(status, 'The server sent a response that is not valid JSON.', { cause })

export const unreachableError = (cause: unknown): TrackerError =>
  new TrackerError(0, 'The server did not answer.', { cause })
