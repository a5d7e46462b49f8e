import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { socketDirectoryFor } from './start-server.ts'

const plain = { prefix: [] }
const longCluster = `/${process.pid}/${'long'.repeat(30)}`

test('a cluster with a short path keeps its socket inside', () => {
  assert.equal(socketDirectoryFor('/srv/.data/postgres', plain), '/srv/.data/postgres')
})

test('a cluster with a long path has its socket in a private directory', (t) => {
  const directory = socketDirectoryFor(longCluster, plain)
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  assert.equal(socketDirectoryFor(longCluster, plain), directory)
  assert.ok(directory.startsWith(tmpdir()))
  assert.equal(statSync(directory).mode & 0o777, 0o700)
})

test('an existing socket directory is not used if others can open it or created it', (t) => {
  const directory = socketDirectoryFor(longCluster, plain)
  const clear = () => rmSync(directory, { recursive: true, force: true })
  t.after(clear)
  const assertRejected = () =>
    assert.throws(() => socketDirectoryFor(longCluster, plain), /belongs to another user or is open/)
  chmodSync(directory, 0o755)
  assertRejected()
  clear()
  symlinkSync('/', directory)
  assertRejected()
  clear()
  mkdirSync(directory, { mode: 0o700 })
  if (process.getuid?.() !== 0) return
  chownSync(directory, 54321, 54321)
  assertRejected()
})
