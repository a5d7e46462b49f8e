import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { programIn } from './program-in.ts'

/**
 * Packages from npm carry no links and may lose their exec bits, and install scripts may be off: what is missing
 * is made here, in place where that is allowed, else in a copy below `copyParent`. Returns the folder to use.
 */
export function completeBinaries(native: string, copyParent: string): string {
  try {
    makeComplete(native)
    return native
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return copyBinaries(native, copyParent)
  }
}

/** Copies once per version of the binaries. */
export function copyBinaries(native: string, parent: string): string {
  const target = join(parent, 'postgres-binaries')
  const stamp = stampOf(native)
  if (readStamp(target) !== stamp) replaceCopy(native, target, stamp)
  return join(target, basename(native))
}

function replaceCopy(native: string, target: string, stamp: string): void {
  const staging = `${target}.new`
  rmSync(staging, { recursive: true, force: true })
  // Root makes the copy for another user, who must be able to read it whatever root's umask is.
  const umask = process.umask(0o022)
  try {
    cpSync(native, join(staging, basename(native)), { recursive: true, verbatimSymlinks: true })
  } finally {
    process.umask(umask)
  }
  makeComplete(join(staging, basename(native)))
  writeFileSync(join(staging, 'stamp'), stamp)
  rmSync(target, { recursive: true, force: true })
  renameSync(staging, target)
}

function makeComplete(native: string): void {
  for (const { source, target } of linksOf(native)) {
    const link = join(dirname(native), target)
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
      makeLink(relative(dirname(target), source), link)
  }
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    const program = programIn(join(native, 'bin'), name)
    if ((statSync(program).mode & 0o555) !== 0o555) chmodSync(program, 0o755)
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

function linksOf(native: string): readonly Link[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
}

function makeLink(source: string, link: string): void {
  try {
    symlinkSync(source, link)
  } catch (error) {
    // Another start on the same packages made it at the same moment.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

const isReadOnly = (error: unknown) => ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

function stampOf(native: string): string {
  const { size, mtimeMs } = statSync(programIn(join(native, 'bin'), 'postgres'))
  return `${native} ${size} ${mtimeMs}`
}

function readStamp(target: string): string | undefined {
  const file = join(target, 'stamp')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
