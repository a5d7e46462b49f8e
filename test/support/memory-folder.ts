import { statfsSync } from 'node:fs'

const path = '/dev/shm'
/** About ten times what the clusters, the browser profiles and the files of tests need. */
const bytesMin = 4 * 2 ** 30

/**
 * A directory in memory, if the system has one with enough space. Many containers have only 64 MB. Copying a
 * database there takes a tenth of the time, and no test needs its files after the run.
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
