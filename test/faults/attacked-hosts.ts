import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBrowser } from '../support/browser.ts'
import { type ChildEnvironment, freePort, spawnStart } from '../support/child-host.ts'
import {
  callHeaders,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
  opening,
  preface,
  resetCall,
} from '../support/http2-frames.ts'
import { robot } from '../support/known-clients.ts'
import { until } from '../support/until.ts'

export interface AttackedHosts {
  readonly ports: Readonly<Record<'rest' | 'identity' | 'commands' | 'web' | 'bank', number>>
  readonly token: string
  /** Measures how long another account waits for its projects over REST, one request after the other. */
  measureReads(milliseconds: number): Promise<Measured>
  stop(): Promise<unknown>
}

export interface Measured {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** The largest resident size of the hosts' process. */
  readonly megabytes: number
}

/** Starts the named hosts, or all of them, in one process, as `npm start` does. */
export async function startAttackedHosts(
  environment: ChildEnvironment,
  hostNames: readonly string[] = [],
): Promise<AttackedHosts> {
  const names = ['rest', 'identity', 'commands', 'web', 'bank', 'diagnostics'] as const
  const portEntries = await Promise.all(names.map(async (name) => [name, await freePort()] as const))
  const ports = Object.fromEntries(portEntries) as Record<(typeof names)[number], number>
  const identity = `http://127.0.0.1:${ports.identity}`
  const child = spawnStart(
    {
      REST_PORT: String(ports.rest),
      IDENTITY_PORT: String(ports.identity),
      COMMAND_PORT: String(ports.commands),
      COMMAND_DIAGNOSTICS_PORT: String(ports.diagnostics),
      WEB_PORT: String(ports.web),
      BANK_PORT: String(ports.bank),
      Jwt__Issuer: identity,
      SVC_DEMO_LOGIN: robot.login,
      SVC_DEMO_PASSWORD: 'Correct-Horse-1',
      [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
      [`Identity__ServiceClients__${robot.id}__Login`]: robot.login,
      ...environment,
    },
    hostNames,
  )
  const isReady = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200
  for (const port of [ports.rest, ports.identity, ports.diagnostics])
    await until(() => isReady(port), child.output())
  const granted = await openBrowser(identity).post('/connect/token', {
    grant_type: 'client_credentials',
    client_id: robot.id,
    client_secret: robot.secret,
  })
  const token = granted.json.access_token
  const headers = { authorization: `Bearer ${token}` }
  return {
    ports,
    token,
    async measureReads(milliseconds) {
      const endsAt = performance.now() + milliseconds
      const times = [] as number[]
      let megabytes = 0
      while (performance.now() < endsAt) {
        const startedAt = performance.now()
        await readProjects({ port: ports.rest, headers, localAddress: `127.0.1.${1 + (times.length % 250)}` })
        times.push(performance.now() - startedAt)
        megabytes = Math.max(megabytes, residentMegabytes(child.process))
        // Without a pause, the reader would keep a core busy.
        await sleep(betweenMilliseconds)
      }
      times.sort((first, second) => first - second)
      const quantile = (fraction: number) => times[Math.floor(times.length * fraction)] ?? 0
      return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), megabytes }
    },
    stop() {
      child.process.kill('SIGTERM')
      return child.exited
    },
  }
}

const betweenMilliseconds = 20

/** Reads come from many addresses, because one address would exhaust its rate limit within seconds. */
async function readProjects(options: RequestOptions): Promise<void> {
  const request = get({ host: '127.0.0.1', path: '/api/projects', agent: false, ...options })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`A read was answered with ${answer.statusCode}.`)
}

function residentMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024)
}

export interface Attacker {
  /** Its last line of output: how many connections it has opened, and how they ended. */
  report(): string
  end(): void
}

export function startReconnecting(target: string, kind: string, atOnce: number): Attacker {
  const program = join(import.meta.dirname, 'attack-reconnecting.ts')
  const child = spawn(process.execPath, [program, target, kind, String(atOnce)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = text.trim().split('\n').at(-1) ?? ''
  })
  return { report: () => last, end: () => void child.kill('SIGKILL') }
}

/** The bytes that are sent on each connection. */
export interface Attack {
  readonly first: Buffer
  /** Sent repeatedly, until the host disconnects, or `pieces` are sent and the attacker connects again. */
  readonly piece?: (index: number) => Buffer
  readonly pieces?: number
  /** The pause between two pieces. Without it, they are sent as fast as they are accepted. */
  readonly everyMilliseconds?: number
}

const block = headerBlock(callHeaders('/tracker.commands.v1.Commands/ListOrganizations'))
const withCall = Buffer.concat([opening, openCall(0, block)])

const resetsByRound = Array.from({ length: 12 }, (_, round) =>
  manyTimes(100, (index) =>
    Buffer.concat([openCall(100 * round + index, block), resetCall(100 * round + index)]),
  ),
)

function flood(frameBytes: Buffer, first = opening): Attack {
  const piece = manyTimes(1000, () => frameBytes)
  return { first, piece: () => piece, pieces: 1000 }
}

const slowly = (first: Buffer, piece: Buffer): Attack => ({
  first,
  piece: () => piece,
  pieces: Number.POSITIVE_INFINITY,
  everyMilliseconds: 1000,
})

/** Attacks on the port of commands without a token. Each reconnects when its connection ends. */
export const commandAttacks = {
  'rapid reset': { first: opening, piece: (round) => resetsByRound[round] ?? preface, pieces: 12 },
  'rapid reset in one piece': { first: Buffer.concat([opening, ...resetsByRound]) },
  'calls without a token': {
    first: Buffer.concat([
      opening,
      manyTimes(100, (index) => openCall(index, block, endHeaders + endStream)),
    ]),
  },
  'connections that close': { first: Buffer.alloc(0) },
  'connections that only send the preface': { first: opening },
  'half a preface': slowly(preface.subarray(0, 12), Buffer.alloc(0)),
  'slow header blocks': slowly(
    Buffer.concat([opening, openCall(0, block, 0)]),
    frame(frameTypes.continuation, 0, 1, Buffer.from([0])),
  ),
  'empty continuations': flood(
    frame(frameTypes.continuation, 0, 1),
    Buffer.concat([opening, openCall(0, block, 0)]),
  ),
  'window updates': flood(frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))),
  pings: flood(frame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
  settings: flood(frame(frameTypes.settings, 0, 0)),
  'empty data': flood(frame(frameTypes.data, 0, 1), withCall),
  'empty headers': flood(frame(frameTypes.headers, endHeaders, 1), withCall),
  priorities: flood(frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 1])), withCall),
} satisfies Readonly<Record<string, Attack>>

const request = Buffer.from('GET /api/projects HTTP/1.1\r\nHost: x\r\n\r\n')

export const httpAttacks = {
  'connections that close': { first: Buffer.alloc(0) },
  'one request per connection': { first: request },
  'pipelined requests': { first: manyTimes(500, () => request) },
  'slow heads': slowly(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '), Buffer.from('x')),
} satisfies Readonly<Record<string, Attack>>

export const attacks: Readonly<Record<string, Attack>> = { ...httpAttacks, ...commandAttacks }
