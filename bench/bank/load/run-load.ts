import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface LoadResult {
  readonly requests: number
  /** Anything but what the challenge accepts: 200, or 422 for a debit over the limit. */
  readonly errors: number
  /** Answers that show a balance under its limit. */
  readonly underLimit: number
  readonly seconds: number
  /** Of the load itself, which is no part of what is measured. */
  readonly cpuSeconds: number
  /** Milliseconds, by the share of requests that took no longer. */
  readonly percentiles: Readonly<Record<'50' | '75' | '90' | '99' | '99.9' | '100', number>>
}

export interface Load {
  closed(
    port: number,
    shape: { connections: number; keepAlive: boolean; seconds: number },
  ): Promise<LoadResult>
  challenge(port: number, shape: { rampSeconds: number; holdSeconds: number }): Promise<LoadResult>
}

/** Builds the load's program with the machine's C compiler. */
export async function buildLoad(folder: string): Promise<Load> {
  const program = join(folder, 'load')
  await run('cc', ['-O2', '-o', program, join(import.meta.dirname, 'load.c'), '-lm']).catch((cause) => {
    throw new Error('The load is a C program: a compiler is needed (in Debian, the package gcc).', { cause })
  })
  const result = async (words: readonly (string | number)[]) =>
    JSON.parse((await run(program, words.map(String))).stdout) as LoadResult
  return {
    closed: (port, { connections, keepAlive, seconds }) =>
      result([port, 'closed', connections, Number(keepAlive), seconds]),
    challenge: (port, { rampSeconds, holdSeconds }) => result([port, 'challenge', rampSeconds, holdSeconds]),
  }
}
