import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin {
  readonly address: string
  /** The addresses of the instances, added once they are known. */
  readonly targets: string[]
  /** Returns the number of requests that each target received. */
  counts(): readonly number[]
  stop(): Promise<void>
}

/** Starts a load balancer that passes each request to the next instance. */
export async function startRoundRobin(): Promise<RoundRobin> {
  const targets: string[] = []
  const counts: number[] = []
  let requestCount = 0
  const server = createServer((request, response) => {
    const index = requestCount++ % targets.length
    counts[index] = (counts[index] ?? 0) + 1
    const { method, headers, url } = request
    const forwarded = httpRequest(new URL(url ?? '/', targets[index]), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    counts: () => counts,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
