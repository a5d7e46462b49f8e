import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Opens a file for the output of tests and their hosts. It is deleted if no test has failed. */
export function openTestLog() {
  const path = join(tmpdir(), `tracker-tests-${process.pid}.log`)
  const stream = createWriteStream(path)
  return {
    path,
    stream,
    async close(hasPassed: boolean) {
      stream.end()
      await once(stream, 'close')
      if (hasPassed) rmSync(path)
    },
  }
}

export type TestLog = ReturnType<typeof openTestLog>
