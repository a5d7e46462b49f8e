import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type FileSeconds = Readonly<Record<string, number>>

const path = join(import.meta.dirname, 'file-seconds.json')
const root = join(import.meta.dirname, '..', '..', '..')

/** How long the slower files took when they were last recorded. */
export const recordedSeconds = (): FileSeconds => JSON.parse(readFileSync(path, 'utf8'))

/** Files that are quicker than this are all taken for equally quick. */
const secondsMin = 1

/** Files that did not run keep what was recorded of them. */
export function recordSeconds(measured: readonly (readonly [file: string, seconds: number])[]): void {
  const isMeasured = new Set(measured.map(([file]) => file))
  const kept = Object.entries(recordedSeconds()).filter(
    ([file]) => !isMeasured.has(file) && existsSync(join(root, file)),
  )
  const slow = [...kept, ...measured].filter(([, seconds]) => seconds >= secondsMin)
  const recorded = Object.fromEntries(slow.map(([file, seconds]) => [file, Math.round(seconds)]).sort())
  writeFileSync(path, `${JSON.stringify(recorded, null, 2)}\n`)
}
