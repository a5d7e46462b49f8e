import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { disposable } from './fixture.ts'

export interface LiveEvent {
  readonly id: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: an event's data is what came over the network
  readonly data: any
  /** The time of its arrival, by `Date.now()`. */
  readonly at: number
}

export interface LiveReader extends AsyncDisposable {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body of the response, if the stream was rejected. */
  readonly rejection: string
  readonly events: readonly LiveEvent[]
  readonly comments: readonly string[]
  /** The last `retry:` value. */
  readonly retryMilliseconds: number | undefined
  /** Returns the next event that was not returned before, and waits for it if necessary. */
  next(secondsMax?: number): Promise<LiveEvent>
  /** Skips events until one matches. */
  nextWhere(isWanted: (event: LiveEvent) => boolean): Promise<LiveEvent>
  /** Stops reading, as a busy client does. */
  pause(): void
  resume(): void
  readonly isEnded: boolean
  readonly ended: Promise<void>
  close(): void
}

export interface ListenOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Events arrive within a second or two. On a busy machine, the reader itself may be late. */
const arrivalSecondsMax = 30

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

/** Opens a live listing, and resolves when the headers of the response have arrived. */
export async function listen(
  address: string,
  path: string,
  options: ListenOptions = {},
): Promise<LiveReader> {
  const response = await open(address, path, options)
  response.setEncoding('utf8')
  if (response.statusCode !== 200) return readerOf(response, await textOf(response))
  return readerOf(response, '')
}

function open(address: string, path: string, { token, headers }: ListenOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, {
      agent,
      headers: {
        accept: 'text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    sent.on('response', resolve).on('error', reject).end()
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response) text += piece
  return text
}

function readerOf(response: IncomingMessage, rejection: string): LiveReader {
  const events: LiveEvent[] = []
  const comments: string[] = []
  let retryMilliseconds: number | undefined
  let nextIndex = 0
  let isEnded = false
  let wake = Promise.withResolvers<void>()
  const notify = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const ended = new Promise<void>((resolve) => {
    const finish = () => {
      isEnded = true
      notify()
      resolve()
    }
    response.on('close', finish).on('error', finish)
  })
  let incomplete = ''
  if (rejection === '') {
    response.on('data', (piece: string) => {
      const blocks = (incomplete + piece).split('\n\n')
      incomplete = blocks.pop() ?? ''
      for (const block of blocks) retryMilliseconds = readBlock(block, events, comments) ?? retryMilliseconds
      notify()
    })
  }
  async function next(secondsMax = arrivalSecondsMax): Promise<LiveEvent> {
    const deadline = Date.now() + secondsMax * 1000
    for (;;) {
      const event = events[nextIndex]
      if (event !== undefined) {
        nextIndex += 1
        return event
      }
      if (isEnded) throw new Error('The stream ended before the next event.')
      if (Date.now() > deadline) throw new Error(`No event arrived within ${secondsMax} s.`)
      await Promise.race([wake.promise, new Promise((resolve) => setTimeout(resolve, 100))])
    }
  }
  return disposable<LiveReader>({
    status: response.statusCode ?? 0,
    headers: response.headers,
    rejection,
    events,
    comments,
    get retryMilliseconds() {
      return retryMilliseconds
    },
    next,
    async nextWhere(isWanted) {
      for (;;) {
        const event = await next()
        if (isWanted(event)) return event
      }
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    get isEnded() {
      return isEnded
    },
    ended,
    close: () => void response.destroy(),
  })
}

/** Reads one block of the event stream, as the HTML standard defines it. Returns its `retry:` value. */
function readBlock(block: string, events: LiveEvent[], comments: string[]): number | undefined {
  const lines = block.split('\n')
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim())
  // A line that begins with a colon is a comment.
  comments.push(...valuesOf(''))
  const data = valuesOf('data')
  const [retry] = valuesOf('retry')
  if (data.length === 0) return retry === undefined ? undefined : Number(retry)
  const [id = ''] = valuesOf('id')
  const [name = ''] = valuesOf('event')
  events.push({ id, name, data: JSON.parse(data.join('\n')), at: Date.now() })
  return undefined
}
