import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startChild } from '../support/child-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'tracker-signals-'))
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

test('a signal that arrives twice, as behind timeout or npm, still stops in order', async () => {
  const host = await startChild({ DATA_DIR: folder })
  host.process.kill('SIGINT')
  host.process.kill('SIGTERM')
  assert.equal(await host.end('SIGINT'), 0, host.output())
})
