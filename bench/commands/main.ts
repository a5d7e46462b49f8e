import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { messagePack } from '../../src/hosts/commands/dotnet/message-pack.ts'
import { protobuf } from '../../src/hosts/commands/protobuf/protobuf.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { postmasterOf, startHost } from '../child-process.ts'
import { type LoadResult, percentile, runLoad, runLoop } from '../load.ts'
import { numberOption } from '../options.ts'
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'
import { seedStore } from '../rest/seed.ts'
import { type Twin, twinsFor, wireOf } from './scenarios.ts'

const concurrency = 16
const warmUpSeconds = 0.5
const restPort = 5198
const commandPort = 5197

/**
 * Measures each command in both encodings and the same request to REST, in turns. `--rounds N`;
 * `--seconds N` for each measurement.
 */
export async function runCommandBench(args: readonly string[]): Promise<void> {
  const seconds = numberOption(args, '--seconds', 3)
  const rounds = numberOption(args, '--rounds', 3)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-commands-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  const children: ChildProcess[] = []
  const client = new Client(`127.0.0.1:${commandPort}`, credentials.createInsecure())
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const seeded = await seedStore(database)
    const token = await issuer.signIn(database, seeded.member.id, {
      audience: ['svc-api', 'svc-grpc'],
      scope: 'svc.api svc.grpc',
    })
    await database.close()
    const environment = {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(restPort),
      COMMAND_PORT: String(commandPort),
      COMMAND_DIAGNOSTICS_PORT: '0',
      Jwt__Issuer: issuer.issuer,
    }
    const rest = await startHost('rest', environment)
    children.push(rest)
    const commands = await startHost('commands', environment)
    children.push(commands)
    const bench = { rest, commands, client, token, seconds, rounds, postmaster: postmasterOf(dataDirectory) }
    for (const twin of twinsFor(seeded, token)) console.table(await measureTwin(bench, twin))
    console.log(
      `${concurrency} at once, ${rounds} rounds of ${seconds} s each; CPU in milliseconds per call, medians.`,
    )
  } finally {
    client.close()
    for (const child of children) child.kill()
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

interface Bench {
  readonly rest: ChildProcess
  readonly commands: ChildProcess
  readonly client: Client
  readonly token: string
  readonly seconds: number
  readonly rounds: number
  readonly postmaster: number
}

interface Figures {
  readonly callsPerSecond: number
  readonly p99: number
  readonly failures: number
  /** The CPU time per call. */
  readonly hostMilliseconds: number
  /** The CPU time per call. */
  readonly storeMilliseconds: number
}

async function measureTwin(bench: Bench, twin: Twin) {
  const run = {
    REST: (seconds: number) =>
      runLoad({ port: restPort, connections: concurrency, seconds, next: twin.rest }),
    protobuf: (seconds: number) => runCalls(bench, twin, 'protobuf', seconds),
    '.NET': (seconds: number) => runCalls(bench, twin, '.NET', seconds),
  } as const
  const names = ['REST', 'protobuf', '.NET'] as const
  const figures = { REST: [] as Figures[], protobuf: [] as Figures[], '.NET': [] as Figures[] }
  for (const name of names) await run[name](1)
  for (let round = 0; round < bench.rounds; round++) {
    // Each round begins with another load, because the first one after a pause finds cold caches.
    for (const name of [...names.slice(round % 3), ...names.slice(0, round % 3)]) {
      const host = name === 'REST' ? bench.rest : bench.commands
      await run[name](warmUpSeconds)
      figures[name].push(await measure(host, bench.postmaster, () => run[name](bench.seconds)))
    }
  }
  const medianHostTime = (name: (typeof names)[number]) =>
    median(figures[name].map(({ hostMilliseconds }) => hostMilliseconds))
  return names.map((name) => ({
    [twin.name]: name,
    'calls/s': Math.round(median(figures[name].map(({ callsPerSecond }) => callsPerSecond))),
    'p99 ms': rounded(median(figures[name].map(({ p99 }) => p99))),
    failures: figures[name].reduce((sum, { failures }) => sum + failures, 0),
    'host CPU': rounded(medianHostTime(name)),
    'store CPU': rounded(median(figures[name].map(({ storeMilliseconds }) => storeMilliseconds))),
    'x REST': rounded(medianHostTime(name) / medianHostTime('REST')),
  }))
}

async function measure(
  { pid = 0 }: ChildProcess,
  postmaster: number,
  run: () => Promise<LoadResult>,
): Promise<Figures> {
  const before = [cpuSecondsOf(pid), cpuSecondsOfServer(postmaster)] as const
  const { requests, seconds, failures, latencies } = await run()
  return {
    callsPerSecond: requests / seconds,
    p99: percentile(latencies, 0.99),
    failures,
    hostMilliseconds: ((cpuSecondsOf(pid) - before[0]) * 1000) / requests,
    storeMilliseconds: ((cpuSecondsOfServer(postmaster) - before[1]) * 1000) / requests,
  }
}

/** Sends calls as unmodified clients do: on one connection, with compression of .NET bodies from 64 bytes. */
function runCalls({ client, token }: Bench, twin: Twin, name: 'protobuf' | '.NET', seconds: number) {
  const { path, write } = wireOf(twin.command, name === 'protobuf' ? protobuf : messagePack)
  const bodyOf = (bytes: Buffer) => (name === '.NET' ? compress(bytes) : bytes)
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const send = (count: number) =>
    new Promise<boolean>((resolve) => {
      const body = bodyOf(write(twin.request(count)))
      client.makeUnaryRequest(path, asIs, asIs, body, metadata, (error) => resolve(error === null))
    })
  return runLoop({ concurrency, seconds, send })
}

const asIs = (bytes: Buffer): Buffer => bytes

const median = (values: readonly number[]): number =>
  values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? Number.NaN

const rounded = (number: number): number => Math.round(number * 1000) / 1000

/**
 * Frames a body like the .NET clients: 64 bytes and more in one LZ4 block, here with literals only. In
 * MessagePack, this is an array of two entries: an extension of type 98 with the uncompressed length, and the
 * block.
 */
function compress(body: Buffer): Buffer {
  if (body.length < compressedFromBytes) return body
  const lengths = Buffer.from([0xcd, body.length >> 8, body.length & 0xff])
  const block = Buffer.concat([literalsHead(body.length), body])
  const head = [0x92, 0xc7, lengths.length, 98, ...lengths, 0xc5, block.length >> 8, block.length & 0xff]
  return Buffer.concat([Buffer.from(head), block])
}

const compressedFromBytes = 64

/** Encodes a number of literals. A length of 15 or more continues in further bytes. */
function literalsHead(length: number): Buffer {
  if (length < 15) return Buffer.from([length << 4])
  const excess = length - 15
  return Buffer.from([0xf0, ...Array(Math.floor(excess / 255)).fill(255), excess % 255])
}
