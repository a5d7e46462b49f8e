/** One end of the message channel between a process and its child. */
export interface Channel {
  readonly connected: boolean
  send?(message: object, handle?: unknown, options?: object, done?: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown
}

/** The payload of a reply: data, or a socket handle, which the channel transfers to the other process. */
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
}

/** Longer than any reply takes. */
const replyMilliseconds = 5000

/** Lets either end of a channel request something from the other by name. A request without a reply in time is rejected. */
export function openProcessRequests(
  channel: Channel,
  handlers: Readonly<Record<string, () => Reply | Promise<Reply>>>,
): SendRequest {
  const waiting = new Map<number, (reply: Reply) => void>()
  let count = 0
  const send = (message: Message, handle?: unknown) =>
    // The other end may have exited; both ends detect that by themselves.
    channel.connected && channel.send?.(message, handle, {}, () => {})
  channel.on('message', (message, handle) => {
    const { requestId, request = '', replyTo, value } = (message ?? {}) as Message
    if (replyTo !== undefined) waiting.get(replyTo)?.({ value, handle })
    const handler = requestId === undefined ? undefined : handlers[request]
    if (handler === undefined) return
    void Promise.resolve(handler()).then((reply) =>
      send({ replyTo: requestId as number, value: reply.value }, reply.handle),
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
      waiting.set(requestId, (reply) => {
        discard()
        resolve(reply)
      })
      send({ requestId, request })
    })
}
