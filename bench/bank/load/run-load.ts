import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface LoadResult {
  readonly requests: number
  /** Counts responses that the challenge does not accept. It accepts 200, and 422 for a debit over the limit. */
  readonly errors: number
  /** The number of responses with a balance under its limit. */
  readonly underLimit: number
  readonly seconds: number
  /** The CPU time of the load itself, which counts neither for a target nor as other work on the machine. */
  readonly cpuSeconds: number
  /** Latencies in milliseconds, by the percentage of requests that took no longer. */
  readonly percentiles: Readonly<Record<'50' | '75' | '90' | '99' | '99.9' | '100', number>>
}

export interface Load {
  closed(
    port: number,
    shape: { connections: number; keepAlive: boolean; seconds: number },
  ): Promise<LoadResult>
  challenge(port: number, shape: { rampSeconds: number; holdSeconds: number }): Promise<LoadResult>
}

/** Builds the program of the load with the C compiler of this machine. */
export async function buildLoad(folder: string): Promise<Load> {
  const program = join(folder, 'load')
  await run('cc', ['-O2', '-o', program, join(import.meta.dirname, 'load.c'), '-lm']).catch((cause) => {
    throw new Error('The load is a C program: a compiler is needed (in Debian, the package gcc).', { cause })
  })
  const result = async (args: readonly (string | number)[]) =>
    JSON.parse((await run(program, args.map(String))).stdout) as LoadResult
  return {
    closed: (port, { connections, keepAlive, seconds }) =>
      result([port, 'closed', connections, Number(keepAlive), seconds]),
    challenge: (port, { rampSeconds, holdSeconds }) => result([port, 'challenge', rampSeconds, holdSeconds]),
  }
}
