import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './accounts.ts'
import { spawnDependent } from './dependent-program.ts'

/** Runs one of PostgreSQL's programs, throws what it complained about. */
export async function runToEnd(command: readonly string[], account: Account, input = ''): Promise<void> {
  const { process: child, exited, release } = spawnDependent(command, account, ['pipe', 'ignore', 'pipe'])
  const complaint = readTail(child.stderr)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const limit = new AbortController()
  const ending = await Promise.race([
    exited,
    sleep(secondsMax * 1000, `not done in ${secondsMax} seconds`, { signal: limit.signal }),
  ])
  limit.abort()
  release()
  if (ending !== 'exit code 0')
    throw new Error(`${basename(command[0] ?? '')} failed (${ending}): ${complaint()}`)
}

/** A new cluster takes one second, or some ten on a disk that is slow to sync. */
const secondsMax = 120

function readTail(stream: Readable | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-tailCharactersMax)
  })
  return () => text.trim()
}

const tailCharactersMax = 4000
