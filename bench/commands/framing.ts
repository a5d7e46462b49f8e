import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { firstLine } from '../child-process.ts'
import { cpuSecondsOf } from '../process-usage.ts'

const kinds = ['library', 'bare'] as const
const concurrency = 16
const rounds = 7
const callsPerRound = 4000

interface MeasuredServer {
  readonly child: ChildProcess
  readonly client: Client
  readonly microseconds: number[]
}

/**
 * Compares the cost per call of the gRPC library with the cost of Node's HTTP/2 alone. The client uses the
 * library for both.
 */
export async function runFramingBench(): Promise<void> {
  const servers = new Map<string, MeasuredServer>()
  try {
    for (const kind of kinds) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'framing-server.ts'), kind], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const client = new Client(`127.0.0.1:${await firstLine(child)}`, credentials.createInsecure())
      servers.set(kind, { child, client, microseconds: [] })
    }
    for (const server of servers.values()) await runRound(server)
    for (let round = 0; round < rounds; round += 1)
      for (const server of servers.values()) server.microseconds.push(await runRound(server))
    console.table(
      [...servers].map(([kind, { microseconds }]) => {
        const sorted = microseconds.toSorted((first, second) => first - second)
        return {
          kind,
          'CPU µs a call': Math.round(sorted[rounds >> 1] ?? 0),
          all: sorted.map(Math.round).join(' '),
        }
      }),
    )
  } finally {
    for (const { child, client } of servers.values()) {
      client.close()
      child.kill()
    }
  }
}

/** Runs one round, and returns the server's CPU time per call in microseconds. */
async function runRound({ child, client }: MeasuredServer): Promise<number> {
  const before = cpuSecondsOf(child.pid ?? 0)
  let remaining = callsPerRound
  const work = async () => {
    while (remaining > 0) {
      remaining -= 1
      await call(client)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return ((cpuSecondsOf(child.pid ?? 0) - before) * 1e6) / callsPerRound
}

const asIs = (bytes: Buffer): Buffer => bytes
const request = Buffer.alloc(40)

const call = (client: Client): Promise<void> =>
  new Promise((resolve, reject) =>
    client.makeUnaryRequest('/floor.Floor/Get', asIs, asIs, request, (error) =>
      error ? reject(error) : resolve(),
    ),
  )
