import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { acquireOwnership } from './owner-lock.ts'
import { temporaryFolder } from './test-stores.ts'

test('a folder has one owner until the owner releases it', () => {
  const folder = temporaryFolder()
  const first = acquireOwnership(folder)
  assert.throws(
    () => acquireOwnership(folder),
    /Another server is already using .* \(process \d+\)\. Stop it first/,
  )
  first.release()
  first.release()
  acquireOwnership(folder).release()
})

test('a folder stays owned though nothing refers to its owner any more', async () => {
  const folder = temporaryFolder()
  acquireOwnership(folder)
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await setImmediate()
  assert.throws(() => acquireOwnership(folder), /Another server is already using/)
})

test('an owner that cannot write its number reports the folder and keeps no lock', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'postgres.owner')
  // A directory in place of the file fails for root, too.
  mkdirSync(file)
  assert.throws(() => acquireOwnership(folder), /^Error: .* cannot be written: EISDIR/)
  rmdirSync(file)
  acquireOwnership(folder).release()
})

test('a full disk is reported as such', { skip: !existsSync('/dev/full') }, () => {
  const folder = temporaryFolder()
  symlinkSync('/dev/full', join(folder, 'postgres.owner'))
  assert.throws(() => acquireOwnership(folder), /^Error: .* cannot be written: ENOSPC: no space left/)
})

test('a number left behind by a dead owner blocks no start, even when another program has it now', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'postgres.owner'), `${process.ppid}\n`)
  writeFileSync(join(folder, 'postgres.lock'), '')
  acquireOwnership(folder).release()
})
