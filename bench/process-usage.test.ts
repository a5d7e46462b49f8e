import { ok } from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { exactCpuSecondsOf } from './process-usage.ts'

test('The CPU time of a process is measured although a thread has ended since threads were listed', (t) => {
  const threads = fs.readdirSync(`/proc/${process.pid}/task`)
  t.mock.method(fs, 'readdirSync', () => [...threads, '0'])
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  ok(exactCpuSecondsOf(process.pid) > 0)
})
