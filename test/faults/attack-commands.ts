import { connect } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { framed, grpcHeaders } from '../support/raw-calls.ts'

/**
 * Runs as a process of its own, so that its work is not taken for the host's: `node attack-commands.ts target
 * kind [token]`.
 */
const [target = '', kind = '', token] = process.argv.slice(2)

/** As large as a message may be, and packed into four kilobytes. */
const largest = Buffer.alloc(4 * 1024 ** 2 - 5)
const packed = framed(gzipSync(largest), { flag: 1 })
const path = '/tracker.commands.v1.Commands/ListOrganizations'
const gzip = { 'grpc-encoding': 'gzip' }

interface Attack {
  readonly streams: number
  readonly body: Buffer
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly isEnded?: true
}

const attacks: Readonly<Record<string, Attack>> = {
  'packed messages that never end': { streams: 256, body: packed, headers: gzip },
  'messages that never end': { streams: 256, body: framed(largest) },
  'complete packed requests': { streams: 200, body: packed, headers: gzip, isEnded: true },
  'packed health checks that never end': {
    streams: 256,
    body: packed,
    headers: gzip,
    path: '/grpc.health.v1.Health/Check',
  },
  'reflection requests that never end': {
    streams: 256,
    body: Buffer.alloc(100_000, framed(Buffer.alloc(0))),
    path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  },
}

const attack = attacks[kind]
if (!attack) throw new Error(`There is no attack ${kind}.`)

/**
 * What is not sent yet counts, and a client beyond it resets the stream at the first header of an answer:
 * with the 10 MB of Node's default the third of these messages already would.
 */
const maxSessionMemory = 1000

/** Each with fewer streams than a client may open before it knows the limit, so that every one of them is looked at. */
const connections = Array.from({ length: 4 }, () =>
  connect(`http://${target}`, { maxSessionMemory }).on('error', () => undefined),
)
const ended = new Set<unknown>()
const answers: Record<string, number> = {}
for (let opened = 0; opened < attack.streams; opened += 1) {
  const stream = connections[opened % connections.length]!.request(
    { ...grpcHeaders(attack.path ?? path, token), ...attack.headers, ':method': 'POST' },
    { endStream: false },
  )
  const end = (answer: string) => {
    if (ended.has(stream)) return
    ended.add(stream)
    answers[answer] = (answers[answer] ?? 0) + 1
    if (ended.size === attack.streams) report()
  }
  stream.on('error', () => undefined)
  // Node keeps a stream that was answered for as long as its own bytes are not sent, so the answer is what
  // counts.
  stream.on('response', (headers) => {
    if (headers['grpc-status'] !== undefined) end(`status ${headers['grpc-status']}`)
  })
  stream.on('trailers', (headers) => end(`status ${headers['grpc-status']}`))
  stream.on('close', () => end(`reset ${stream.rstCode}`))
  stream.resume()
  stream.write(attack.body)
  if (attack.isEnded) stream.end()
}

process.stdout.on('error', () => process.exit())
const report = () =>
  process.stdout.write(`${JSON.stringify({ opened: attack.streams, over: ended.size, answers })}\n`)
setInterval(report, 100)
