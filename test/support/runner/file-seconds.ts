import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type FileSeconds = Readonly<Record<string, number>>

const path = join(import.meta.dirname, 'file-seconds.json')
const root = join(import.meta.dirname, '..', '..', '..')

/** Reads how long the slower files took when they were last recorded. */
export const recordedSeconds = (): FileSeconds => JSON.parse(readFileSync(path, 'utf8'))

/** Faster files are not recorded. */
const secondsMin = 1

export interface FileTime {
  readonly file: string
  readonly seconds: number
}

/** Records the times of these files, and keeps the times of files that did not run. */
export function recordSeconds(measured: readonly FileTime[]): void {
  const measuredFiles = new Set(measured.map(({ file }) => file))
  const kept = Object.entries(recordedSeconds())
    .map(([file, seconds]): FileTime => ({ file, seconds }))
    .filter(({ file }) => !measuredFiles.has(file) && existsSync(join(root, file)))
  const slow = [...kept, ...measured].filter(({ seconds }) => seconds >= secondsMin)
  const recorded = Object.fromEntries(slow.map(({ file, seconds }) => [file, Math.round(seconds)]).sort())
  writeFileSync(path, `${JSON.stringify(recorded, null, 2)}\n`)
}
