import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface LoadResult {
  readonly requests: number
  /**
   * Counts responses that the rules of "Rinha de Backend 2024/Q1" do not allow (they allow 200, and 422 for a
   * debit), and requests that could not be sent or got no response.
   */
  readonly errors: number
  /** The number of responses with a balance below the overdraft limit, which must not happen. */
  readonly overdrawn: number
  readonly seconds: number
  /** The CPU time of the load generator, which must not count as that of other processes. */
  readonly cpuSeconds: number
  /** Latencies in milliseconds, by the percentage of requests that took no longer. */
  readonly percentiles: Readonly<Record<'50' | '75' | '90' | '99' | '99.9' | '100', number>>
}

export interface Load {
  runClosedLoop(
    port: number,
    shape: { connections: number; keepAlive: boolean; seconds: number },
  ): Promise<LoadResult>
  runChallenge(port: number, shape: { rampSeconds: number; holdSeconds: number }): Promise<LoadResult>
}

/** Compiles the load generator. */
export async function buildLoad(folder: string): Promise<Load> {
  const program = join(folder, 'load')
  await run('cc', ['-O2', '-o', program, join(import.meta.dirname, 'load.c'), '-lm']).catch((cause) => {
    if (cause.code !== 'ENOENT') throw cause
    throw new Error('The load generator needs a C compiler (in Debian, the package gcc).', { cause })
  })
  const runProgram = async (args: readonly (string | number)[]) =>
    JSON.parse((await run(program, args.map(String))).stdout) as LoadResult
  return {
    runClosedLoop: (port, { connections, keepAlive, seconds }) =>
      runProgram([port, 'closed', connections, Number(keepAlive), seconds]),
    runChallenge: (port, { rampSeconds, holdSeconds }) =>
      runProgram([port, 'challenge', rampSeconds, holdSeconds]),
  }
}
