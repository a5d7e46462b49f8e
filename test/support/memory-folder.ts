import { statfsSync } from 'node:fs'

const path = '/dev/shm'
/** Three clusters, the profiles of browsers, and what tests write meanwhile take a tenth of it. */
const bytesMin = 4 * 2 ** 30

/**
 * A folder in memory, if the system has one with enough room; containers often have one of 64 MB. Copying the
 * template of a database there takes a tenth of the time that it takes on a disk, and no test needs its files
 * after the run.
 */
export const memoryFolder: string | undefined = hasRoom() ? path : undefined

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= bytesMin
  } catch {
    return false
  }
}
