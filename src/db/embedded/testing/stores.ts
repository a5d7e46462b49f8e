import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { startEmbeddedStore } from '../start-embedded-store.ts'

/** Settings that save time, because the data of tests need not survive a power failure. */
export const fast = { fsync: 'off' }

/** Creates a directory that any user may traverse. It is removed when the process ends. */
export function temporaryDirectory(): string {
  root ??= createRoot()
  const directory = mkdtempSync(join(root, 'test-'))
  chmodSync(directory, 0o755)
  return directory
}

let root: string | undefined

function createRoot(): string {
  const directory = mkdtempSync(join(hasRoomInMemory() ? memoryDirectory : tmpdir(), 'store-tests-'))
  process.on('exit', () =>
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  )
  chmodSync(directory, 0o755)
  return directory
}

/** A cluster has a thousand files, whose creation takes a second on some disks. */
const memoryDirectory = '/dev/shm'

function hasRoomInMemory(): boolean {
  if (!existsSync(memoryDirectory)) return false
  const { bavail, bsize } = statfsSync(memoryDirectory)
  return bavail * bsize > roomBytes
}

/** Enough for ten clusters of 40 MB, with as much in reserve. */
const roomBytes = 800 * 1024 * 1024

export async function queryRows(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * Returns the data directory of a stopped store with one note. All tests of a process share it, because its
 * creation takes a second, and each test leaves the store stopped.
 */
export function sharedStore(): Promise<string> {
  shared ??= createStore()
  return shared
}

let shared: Promise<string> | undefined

async function createStore(): Promise<string> {
  const dataDirectory = join(temporaryDirectory(), '.data')
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  await queryRows(store.url, `create table note as select 'kept' as text`)
  await store.stop()
  return dataDirectory
}

/** Creates a copy for tests whose changes would break the others. */
export async function copyOfStore(name = '.data'): Promise<string> {
  const dataDirectory = join(temporaryDirectory(), name)
  execFileSync('cp', ['-a', await sharedStore(), dataDirectory])
  return dataDirectory
}

export interface Launched {
  /** Resolves with the URL, or rejects with the message of the error. */
  readonly url: Promise<string>
  /** Kills the process as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>
  /** Shuts the store down. */
  end(): Promise<void>
}

export interface LaunchOptions {
  readonly user?: { readonly uid: number; readonly gid: number }
  readonly path?: string
}

/** Starts a store in a separate process, as `npm start` does. */
export function launch(t: TestContext, dataDirectory: string, { user, path }: LaunchOptions = {}): Launched {
  const source = `
    import { startEmbeddedStore } from ${JSON.stringify(import.meta.resolve('../start-embedded-store.ts'))}
    process.stdin.resume()
    try {
      const store = await startEmbeddedStore({ dataDirectory: process.argv[1], settings: ${JSON.stringify(fast)} })
      process.stdout.write(store.url + '\\n')
      process.stdin.on('end', () => void store.stop().then(() => process.exit()))
    } catch (error) {
      process.stdout.write('error: ' + error.message.replaceAll('\\n', ' ') + '\\n')
      process.exit(1)
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, dataDirectory], {
    ...user,
    env: { ...process.env, ...(path === undefined ? {} : { PATH: path }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const end = async (how: () => unknown) => {
    if (child.exitCode === null && child.signalCode === null) how()
    await exited
  }
  t.after(() => end(() => child.kill('SIGKILL')))
  const url = once(createInterface(child.stdout), 'line').then(([line]) => {
    if (line.startsWith('error: ')) throw new Error(line)
    return line as string
  })
  url.catch(() => {})
  return {
    url,
    kill: () => end(() => child.kill('SIGKILL')),
    end: () => end(() => child.stdin.end()),
  }
}

/** Creates a directory whose contents only its owner can see. */
export function closedDirectory(): string {
  const directory = join(temporaryDirectory(), 'closed')
  mkdirSync(directory, { mode: 0o700 })
  return directory
}
