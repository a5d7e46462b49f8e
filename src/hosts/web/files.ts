import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface ServedFile {
  readonly type: string
  /** Named after its content, so that it never changes. */
  readonly immutable: boolean
  readonly plain: Buffer
  /** Compressed at build time, by the name of the encoding; none for what does not shrink. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>
}

export type Encoding = (typeof encodings)[number]['name']

/** By path, `/` being the page. */
export type ServedFiles = ReadonlyMap<string, ServedFile>

/** Reads the whole client into memory: some hundred kilobytes, which then cost no system call. */
export async function readFiles(folder: string): Promise<ServedFiles> {
  if (!existsSync(join(folder, 'index.html')))
    throw new Error('The web client is not built. Run npm run build, or start the other hosts by name.')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sources = paths.filter((path) => !encodings.some(({ suffix }) => path.endsWith(suffix)))
  const files = await Promise.all(
    sources.map(async (path) => [addressOf(folder, path), await readOne(path, paths)] as const),
  )
  return new Map(files)
}

/** In the order of preference. */
export const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

async function readOne(path: string, paths: readonly string[]): Promise<ServedFile> {
  const there = encodings.filter(({ suffix }) => paths.includes(path + suffix))
  const encoded = await Promise.all(
    there.map(async ({ name, suffix }) => [name, await readFile(path + suffix)] as const),
  )
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    immutable: path.includes(`${sep}assets${sep}`),
    plain: await readFile(path),
    encoded: new Map(encoded),
  }
}

function addressOf(folder: string, path: string): string {
  const address = `/${relative(folder, path).split(sep).join('/')}`
  return address === '/index.html' ? '/' : address
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}
