import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { completeBinaries, copyBinaries } from './choose-setup.ts'
import { temporaryDirectory } from './testing/stores.ts'

const programs = ['postgres', 'initdb', 'pg_ctl']

/** Writes a package in the state in which npm leaves it when install scripts are disabled. */
function writeIncompletePackage(directory: string): string {
  const native = join(directory, 'native')
  for (const name of ['bin', 'lib', 'share']) mkdirSync(join(native, name), { recursive: true })
  for (const name of programs) writeFileSync(join(native, 'bin', name), 'echo it runs', { mode: 0o644 })
  writeFileSync(join(native, 'lib', 'libpq.so.5.18'), 'code')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  return native
}

function assertComplete(native: string): void {
  assert.equal(readFileSync(join(native, 'lib', 'libpq.so.5'), 'utf8'), 'code')
  for (const name of programs) {
    assert.equal(statSync(join(native, 'bin', name)).mode & 0o555, 0o555)
    assert.equal(execFileSync('/bin/sh', [join(native, 'bin', name)], { encoding: 'utf8' }), 'it runs\n')
  }
}

test('links and exec bits that the installation left out are added in place', () => {
  const directory = temporaryDirectory()
  const native = writeIncompletePackage(directory)
  assert.equal(completeBinaries(native, directory), native)
  assertComplete(native)
  assert.equal(readlinkSync(join(native, 'lib', 'libpq.so.5')), 'libpq.so.5.18')
  assert.equal(completeBinaries(native, directory), native)
})

test('a read-only installation is copied once per version', (t) => {
  const directory = temporaryDirectory()
  const native = writeIncompletePackage(directory)
  chmodDirectories(native, 0o555)
  t.after(() => chmodDirectories(native, 0o755))
  const parent = join(directory, '.data')
  mkdirSync(parent)
  // Root can write to any installation.
  const complete = process.getuid?.() === 0 ? copyBinaries : completeBinaries
  const copy = complete(native, parent)
  assert.equal(copy, join(parent, 'postgres-binaries', 'native'))
  assertComplete(copy)
  writeFileSync(join(copy, 'lib', 'mark'), '')
  assert.equal(complete(native, parent), copy)
  assert.ok(existsSync(join(copy, 'lib', 'mark')))
  utimesSync(join(native, 'bin', 'postgres'), 1, 1)
  assert.equal(complete(native, parent), copy)
  assert.equal(existsSync(join(copy, 'lib', 'mark')), false)
})

function chmodDirectories(native: string, mode: number): void {
  for (const name of ['.', 'bin', 'lib', 'share']) chmodSync(join(native, name), mode)
}
