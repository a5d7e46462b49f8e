import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { takeOwnership } from './owner-lock.ts'
import { temporaryFolder } from './test-stores.ts'

test('a folder has one owner until the owner releases it', () => {
  const folder = temporaryFolder()
  const first = takeOwnership(folder)
  assert.throws(
    () => takeOwnership(folder),
    /Another start is already running on .* \(process \d+\)\. Stop it first/,
  )
  first.release()
  first.release()
  takeOwnership(folder).release()
})

test('a folder stays owned though nothing refers to its owner any more', async () => {
  const folder = temporaryFolder()
  takeOwnership(folder)
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await setImmediate()
  assert.throws(() => takeOwnership(folder), /Another start is already running/)
})

test('a number left behind by a dead owner blocks no start, even when another program has it now', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'postgres.owner'), `${process.ppid}\n`)
  writeFileSync(join(folder, 'postgres.lock'), '')
  takeOwnership(folder).release()
})
