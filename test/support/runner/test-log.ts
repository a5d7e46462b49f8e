import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where what tests and their hosts print goes; kept only when something failed. */
export function openTestLog() {
  const path = join(tmpdir(), `tracker-tests-${process.pid}.log`)
  const stream = createWriteStream(path)
  return {
    path,
    stream,
    async close(isUnwanted: boolean) {
      stream.end()
      await once(stream, 'close')
      if (isUnwanted) rmSync(path)
    },
  }
}

export type TestLog = ReturnType<typeof openTestLog>
