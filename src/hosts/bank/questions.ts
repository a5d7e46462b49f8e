/** One end of the channel between a process and its child. */
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

export type Ask = (question: string) => Promise<Reply>

interface Message {
  readonly asked?: number
  readonly question?: string
  readonly answered?: number
  readonly value?: unknown
}

/** Longer than any reply takes. */
const answerMilliseconds = 5000

/** Questions that either end may ask; each is answered once or not at all. */
export function openQuestions(
  channel: Channel,
  answers: Readonly<Record<string, () => Reply | Promise<Reply>>>,
): Ask {
  const waiting = new Map<number, (reply: Reply) => void>()
  let count = 0
  const send = (message: Message, handle?: unknown) =>
    // The other end may have exited; both ends detect that by themselves.
    channel.connected && channel.send?.(message, handle, {}, () => {})
  channel.on('message', (message, handle) => {
    const { asked, question = '', answered, value } = (message ?? {}) as Message
    if (answered !== undefined) waiting.get(answered)?.({ value, handle })
    const answer = asked === undefined ? undefined : answers[question]
    if (answer === undefined) return
    void Promise.resolve(answer()).then((reply) =>
      send({ answered: asked as number, value: reply.value }, reply.handle),
    )
  })
  return (question) =>
    new Promise((resolve, reject) => {
      const asked = ++count
      const discard = () => {
        clearTimeout(tooLong)
        waiting.delete(asked)
      }
      const tooLong = setTimeout(() => {
        discard()
        reject(new Error(`No reply to: ${question}.`))
      }, answerMilliseconds)
      waiting.set(asked, (reply) => {
        discard()
        resolve(reply)
      })
      send({ asked, question })
    })
}
