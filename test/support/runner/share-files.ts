import type { FileSeconds } from './file-seconds.ts'

/** The time of a file that is not recorded, because it is fast or new. */
const unknownSeconds = 0.3

/** Distributes the files to equal shares. The slowest files come first, each to the shortest share. */
export function shareFiles(files: readonly string[], sharesMax: number, seconds: FileSeconds): string[][] {
  const shares = Array.from({ length: Math.min(sharesMax, files.length) }, () => ({
    files: [] as string[],
    seconds: 0,
  }))
  const secondsOf = (file: string) => seconds[file] ?? unknownSeconds
  const slowestFirst = files.toSorted((first, second) => secondsOf(second) - secondsOf(first))
  for (const file of slowestFirst) {
    const share = shares.reduce((shortest, other) => (other.seconds < shortest.seconds ? other : shortest))
    share.files.push(file)
    share.seconds += secondsOf(file)
  }
  return shares.map((share) => share.files.sort())
}
