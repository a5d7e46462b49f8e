import { connect } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { framed, grpcHeaders } from '../support/raw-calls.ts'

/**
 * Runs in a separate process, so that its work is not attributed to the host: `node attack-commands.ts target
 * kind [token]`.
 */
const [target = '', kind = '', token] = process.argv.slice(2)

/** The largest message that is allowed, and the same compressed to four kilobytes. */
const largest = Buffer.alloc(4 * 1024 ** 2 - 5)
const compressed = framed(gzipSync(largest), { flag: 1 })
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
  'compressed messages that never end': { streams: 256, body: compressed, headers: gzip },
  'messages that never end': { streams: 256, body: framed(largest) },
  'complete compressed requests': { streams: 200, body: compressed, headers: gzip, isEnded: true },
  'compressed health checks that never end': {
    streams: 256,
    body: compressed,
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
 * The memory of a session in megabytes. Three of these messages would exceed the default of 10 MB, and the
 * client would reset its streams.
 */
const maxSessionMemory = 1000

/** Each connection has fewer streams than a new one may open, so that the host handles all of them. */
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
  // Node keeps an answered stream open until all its bytes are sent, so the status already counts as the end.
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
  process.stdout.write(`${JSON.stringify({ opened: attack.streams, ended: ended.size, answers })}\n`)
setInterval(report, 100)
