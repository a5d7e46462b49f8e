/** One end of the message channel between a process and its child. */
export interface Channel {
  readonly connected: boolean
  send?(message: object, handle?: unknown, options?: object, done?: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown
}

/** A reply contains data or a socket handle, which passes to the other process. */
export interface Reply {
  readonly value?: unknown
  readonly handle?: unknown
}

export type SendRequest = (request: string) => Promise<Reply>

interface Message {
  readonly requestId?: number
  readonly request?: string
  readonly replyTo?: number
  readonly value?: unknown
  /** Why the request failed. */
  readonly failure?: string
}

/** Longer than any reply takes. */
const replyMilliseconds = 5000

/**
 * Lets either end of a channel request something from the other by name. Rejects if the other end fails, or if
 * its reply does not arrive in time.
 */
export function openProcessRequests(
  channel: Channel,
  handlers: Readonly<Record<string, () => Reply | Promise<Reply>>>,
): SendRequest {
  const waiting = new Map<number, (reply: Reply & Pick<Message, 'failure'>) => void>()
  let count = 0
  const send = (message: Message, handle?: unknown) =>
    // The other end may have exited; both ends detect that by themselves.
    channel.connected && channel.send?.(message, handle, {}, () => {})
  channel.on('message', (message, handle) => {
    const { requestId, request = '', replyTo, value, failure } = (message ?? {}) as Message
    if (replyTo !== undefined) waiting.get(replyTo)?.({ value, handle, ...(failure && { failure }) })
    const handler = requestId === undefined ? undefined : handlers[request]
    if (handler === undefined || requestId === undefined) return
    // A handler that fails must not end this process: the request may have been only for metrics.
    void (async () => handler())().then(
      (reply) => send({ replyTo: requestId, value: reply.value }, reply.handle),
      (error) => send({ replyTo: requestId, failure: String(error) }),
    )
  })
  return (request) =>
    new Promise((resolve, reject) => {
      const requestId = ++count
      const discard = () => {
        clearTimeout(timer)
        waiting.delete(requestId)
      }
      const timer = setTimeout(() => {
        discard()
        reject(new Error(`No reply to: ${request}.`))
      }, replyMilliseconds)
      waiting.set(requestId, ({ failure, ...reply }) => {
        discard()
        if (failure === undefined) resolve(reply)
        else reject(new Error(`${request}: ${failure}`))
      })
      send({ requestId, request })
    })
}
