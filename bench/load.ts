import { Agent, request } from 'node:http'

export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly failures: number
  /** Milliseconds, sorted. */
  readonly latencies: readonly number[]
}

/** The load ends when one of these is reached. */
interface Length {
  readonly seconds?: number
  readonly requests?: number
}

export interface LoadOptions extends Length {
  readonly port: number
  readonly connections: number
  /** `count` is the number of requests so far, including this one. */
  readonly next: (count: number) => LoadRequest
}

/** Runs a closed loop over HTTP/1.1: each connection sends the next request after the previous response. */
export async function runLoad({ port, connections, next, ...length }: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sendNext = async (count: number) => isSuccess(await send(agent, port, next(count)))
  const result = await runLoop({ concurrency: connections, ...length, send: sendNext })
  agent.destroy()
  return result
}

const isSuccess = (status: number): boolean => status === 200 || status === 201

interface LoopOptions extends Length {
  readonly concurrency: number
  /** Resolves with whether the call succeeded. */
  readonly send: (count: number) => Promise<boolean>
}

export async function runLoop({ concurrency, send, ...length }: LoopOptions): Promise<LoadResult> {
  const { seconds = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY } = length
  const latencies: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let sent = 0
  let failures = 0
  const worker = async () => {
    while (performance.now() < endsAt && sent < requests) {
      sent += 1
      const sentAt = performance.now()
      const isSuccessful = await send(sent)
      latencies.push(performance.now() - sentAt)
      if (!isSuccessful) failures += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  latencies.sort((first, second) => first - second)
  return { requests: latencies.length, seconds: (performance.now() - startedAt) / 1000, failures, latencies }
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

function send(agent: Agent, port: number, { method, path, headers, body }: LoadRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
