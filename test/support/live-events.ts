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

export interface EventStreamOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Events arrive within a second or two. On a busy machine, the reader itself may be late. */
const arrivalSecondsMax = 30

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

/** Opens a live listing, and resolves when the headers of the response have arrived. */
export async function openEventStream(
  address: string,
  path: string,
  options: EventStreamOptions = {},
): Promise<LiveReader> {
  const response = await open(address, path, options)
  response.setEncoding('utf8')
  if (response.statusCode !== 200) return readerOf(response, await textOf(response))
  return readerOf(response, '')
}

function open(
  address: string,
  path: string,
  { token, headers }: EventStreamOptions,
): Promise<IncomingMessage> {
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
    // The body of a rejected stream has been read to its end.
    if (response.closed || response.readableEnded) finish()
    else response.on('close', finish).on('error', finish)
  })
  let incomplete = ''
  if (rejection === '') {
    response.on('data', (piece: string) => {
      const blocks = (incomplete + piece).split('\n\n')
      incomplete = blocks.pop() ?? ''
      for (const block of blocks) {
        const parsed = parseBlock(block)
        if (parsed.event) events.push(parsed.event)
        comments.push(...parsed.comments)
        retryMilliseconds = parsed.retryMilliseconds ?? retryMilliseconds
      }
      notify()
    })
  }
  async function next(secondsMax = arrivalSecondsMax): Promise<LiveEvent> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      notify()
    }, secondsMax * 1000)
    try {
      for (;;) {
        const event = events[nextIndex]
        if (event !== undefined) {
          nextIndex += 1
          return event
        }
        if (isEnded) throw new Error('The stream ended before the next event.')
        if (isLate) throw new Error(`No event arrived within ${secondsMax} s.`)
        await wake.promise
      }
    } finally {
      clearTimeout(timer)
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

interface Block {
  readonly event?: LiveEvent
  readonly comments: readonly string[]
  readonly retryMilliseconds?: number
}

/** Parses one block of the event stream, as the HTML standard defines it. */
function parseBlock(block: string): Block {
  const lines = block.split('\n')
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim())
  // A line that begins with a colon is a comment.
  const comments = valuesOf('')
  const data = valuesOf('data')
  const [id = ''] = valuesOf('id')
  const [name = ''] = valuesOf('event')
  const [retry] = valuesOf('retry')
  return {
    comments,
    ...(data.length > 0 && { event: { id, name, data: JSON.parse(data.join('\n')), at: Date.now() } }),
    ...(retry !== undefined && { retryMilliseconds: Number(retry) }),
  }
}
