import type { FileSeconds } from './file-seconds.ts'

/** For a file that is not recorded: it is quick, or new. */
const unknownSeconds = 0.3

/** Shares the files out so that all shares take about as long: the slowest first, each to the share that has least. */
export function shareFiles(files: readonly string[], sharesMax: number, seconds: FileSeconds): string[][] {
  const shares = Array.from({ length: Math.min(sharesMax, files.length) }, () => ({
    files: [] as string[],
    seconds: 0,
  }))
  const secondsOf = (file: string) => seconds[file] ?? unknownSeconds
  for (const file of [...files].sort((one, other) => secondsOf(other) - secondsOf(one))) {
    const share = shares.reduce((least, other) => (other.seconds < least.seconds ? other : least))
    share.files.push(file)
    share.seconds += secondsOf(file)
  }
  return shares.map((share) => share.files.sort())
}
