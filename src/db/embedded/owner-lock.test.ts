import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { acquireOwnership } from './start-embedded-store.ts'
import { temporaryDirectory } from './testing/stores.ts'

test('a directory has one owner until the owner releases it', () => {
  const directory = temporaryDirectory()
  const first = acquireOwnership(directory)
  assert.throws(
    () => acquireOwnership(directory),
    /Another server is already using .* \(process \d+\)\. Stop it first/,
  )
  first.release()
  first.release()
  acquireOwnership(directory).release()
})

test('a directory stays owned even if nothing refers to the ownership any more', async () => {
  const directory = temporaryDirectory()
  acquireOwnership(directory)
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await setImmediate()
  assert.throws(() => acquireOwnership(directory), /Another server is already using/)
})

test('an owner that cannot write its process id reports the directory and keeps no lock', () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'postgres.owner')
  // A directory in place of the file fails for root, too.
  mkdirSync(file)
  assert.throws(() => acquireOwnership(directory), /^Error: .* cannot be written: EISDIR/)
  rmdirSync(file)
  acquireOwnership(directory).release()
})

test('a full disk is reported as such', { skip: !existsSync('/dev/full') }, () => {
  const directory = temporaryDirectory()
  symlinkSync('/dev/full', join(directory, 'postgres.owner'))
  assert.throws(() => acquireOwnership(directory), /^Error: .* cannot be written: ENOSPC: no space left/)
})

test('the process id of an owner that has ended does not block a start', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'postgres.owner'), `${process.ppid}\n`)
  writeFileSync(join(directory, 'postgres.lock'), '')
  acquireOwnership(directory).release()
})
