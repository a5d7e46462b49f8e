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
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'
import { seedStore } from '../rest/seed.ts'
import { type Twin, twinsFor, wireOf } from './scenarios.ts'

const atOnce = 16
const warmUpSeconds = 0.5
const restPort = 5198
const commandPort = 5197

/** Each command on both wires and the same request to REST, alternately. `--seconds N` each, `--rounds N`. */
export async function runCommandBench(words: readonly string[]): Promise<void> {
  const seconds = numberOf(words, '--seconds', 3)
  const rounds = numberOf(words, '--rounds', 3)
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
      `${atOnce} at once, ${rounds} rounds of ${seconds} s each; CPU in milliseconds per call, medians.`,
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
  readonly host: number
  readonly store: number
}

async function measureTwin(bench: Bench, twin: Twin) {
  const run = {
    REST: (seconds: number) => runLoad({ port: restPort, connections: atOnce, seconds, next: twin.rest }),
    protobuf: (seconds: number) => runCalls(bench, twin, 'protobuf', seconds),
    '.NET': (seconds: number) => runCalls(bench, twin, '.NET', seconds),
  } as const
  const names = ['REST', 'protobuf', '.NET'] as const
  const figures = { REST: [] as Figures[], protobuf: [] as Figures[], '.NET': [] as Figures[] }
  for (const name of names) await run[name](1)
  for (let round = 0; round < bench.rounds; round++) {
    // In another order each time: the first one after a pause finds cold caches.
    for (const name of [...names.slice(round % 3), ...names.slice(0, round % 3)]) {
      const host = name === 'REST' ? bench.rest : bench.commands
      await run[name](warmUpSeconds)
      figures[name].push(await measured(host, bench.postmaster, () => run[name](bench.seconds)))
    }
  }
  const host = (name: (typeof names)[number]) => median(figures[name].map((figure) => figure.host))
  return names.map((name) => ({
    [twin.name]: name,
    'calls/s': Math.round(median(figures[name].map(({ callsPerSecond }) => callsPerSecond))),
    'p99 ms': rounded(median(figures[name].map(({ p99 }) => p99))),
    failures: figures[name].reduce((sum, { failures }) => sum + failures, 0),
    'host CPU': rounded(host(name)),
    'store CPU': rounded(median(figures[name].map(({ store }) => store))),
    'x REST': rounded(host(name) / host('REST')),
  }))
}

async function measured(
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
    host: ((cpuSecondsOf(pid) - before[0]) * 1000) / requests,
    store: ((cpuSecondsOfServer(postmaster) - before[1]) * 1000) / requests,
  }
}

/** As stock clients do it: all calls on one connection; bodies of the .NET wire are compressed from 64 bytes on. */
function runCalls({ client, token }: Bench, twin: Twin, name: 'protobuf' | '.NET', seconds: number) {
  const { path, write } = wireOf(twin.command, name === 'protobuf' ? protobuf : messagePack)
  const bodyOf = (bytes: Buffer) => (name === '.NET' ? compressed(bytes) : bytes)
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const fire = (count: number) =>
    new Promise<boolean>((resolve) => {
      const body = bodyOf(write(twin.request(count)))
      client.makeUnaryRequest(path, asIs, asIs, body, metadata, (error) => resolve(error === null))
    })
  return runLoop({ atOnce, seconds, fire })
}

const asIs = (bytes: Buffer): Buffer => bytes

const numberOf = (words: readonly string[], name: string, byDefault: number): number =>
  Number(words[words.indexOf(name) + 1] ?? byDefault) || byDefault

const median = (values: readonly number[]): number =>
  values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? Number.NaN

const rounded = (number: number): number => Math.round(number * 1000) / 1000

/** A body as the .NET clients frame it: from 64 bytes on in one LZ4 block, here of literals only. */
function compressed(body: Buffer): Buffer {
  if (body.length < compressedFromBytes) return body
  const lengths = Buffer.from([0xcd, body.length >> 8, body.length & 0xff])
  const block = Buffer.concat([literalsHead(body.length), body])
  const head = [0x92, 0xc7, lengths.length, 98, ...lengths, 0xc5, block.length >> 8, block.length & 0xff]
  return Buffer.concat([Buffer.from(head), block])
}

const compressedFromBytes = 64

/** A length of 15 and more goes on in further bytes. */
function literalsHead(length: number): Buffer {
  if (length < 15) return Buffer.from([length << 4])
  const rest = length - 15
  return Buffer.from([0xf0, ...Array(Math.floor(rest / 255)).fill(255), rest % 255])
}
