import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from './start-server.ts'
import { temporaryDirectory } from './testing/stores.ts'

/**
 * This program reports that PostgreSQL is ready, and exits at the first connection. Its child process keeps
 * the connection open for longer, so that `startServer` first notices that the server has exited.
 */
const endingServer = `#!${process.execPath}
const { spawn } = require('node:child_process')
const { writeFileSync } = require('node:fs')
const { createServer } = require('node:net')
const [, file, option, cluster] = process.argv
if (option === 'listen') {
  const server = createServer(() => {
    process.send('connected')
    setTimeout(() => process.exit(), 500)
  })
  server.listen(cluster + '/.s.PGSQL.5432', () => process.send('listening'))
} else {
  const child = spawn(process.execPath, [file, 'listen', cluster], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('message', (message) => {
    if (message === 'connected') process.exit(1)
    const lines = [process.pid, cluster, 1, 5432, cluster, '', '', 'ready']
    writeFileSync(cluster + '/postmaster.pid', lines.join('\\n') + '\\n')
  })
}
`

test('startServer rejects without calling onExit if the server exits before its password is set', {
  skip: process.platform === 'win32' && 'Windows has no Unix sockets',
}, async (t) => {
  const dataDirectory = temporaryDirectory()
  const cluster = join(dataDirectory, 'postgres')
  mkdirSync(cluster)
  const binaries = mkdtempSync(join(tmpdir(), 'ending-server-'))
  t.after(() => rmSync(binaries, { recursive: true }))
  writeFileSync(join(binaries, 'postgres'), endingServer, { mode: 0o755 })
  const reported: string[] = []
  const start = startServer(
    { binaries, major: 18, account: { prefix: [] }, cluster },
    { dataDirectory, settings: {}, onExit: (reason) => reported.push(reason) },
  )
  await assert.rejects(start, /Connection terminated/)
  assert.deepEqual(reported, [])
})
