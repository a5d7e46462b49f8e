import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { type RunningBank, startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { startHammer } from '../../src/hosts/bank/testing/hammer.ts'
import { get, post, transact } from '../../src/hosts/bank/testing/in-process.ts'
import { exchange, requestBytes } from '../../src/hosts/bank/testing/raw-socket.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { requireKept, until } from '../faults/bank-checks.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path))
const skip = nginx === undefined && 'nginx is not installed: its configuration stays untested'

describe('behind nginx', { skip }, () => {
  let store: FreshDatabase
  let instances: readonly RunningBank[]
  let port: number
  let folder: string
  let stopNginx: () => Promise<void>
  before(async () => {
    store = await freshDatabase()
    const settings = { ...testSettings, instances: 1 }
    const log = pino({ level: 'silent' })
    instances = await Promise.all([1, 2].map(() => startBank(store.url, settings, log)))
    port = await freePort()
    folder = mkdtempSync(join(tmpdir(), 'bank-nginx-'))
    stopNginx = await startNginx(folder, port, instances)
  })
  after(async () => {
    await stopNginx()
    await Promise.all(instances.map(({ stop }) => stop()))
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('the configuration of compose.yaml is valid', () => {
    assert.ok(nginx)
    execFileSync(nginx, ['-t', '-q', '-c', join(folder, 'nginx.conf'), '-p', folder])
  })

  test('every answer of the instances comes through as it is', async () => {
    assert.equal((await get(port, '/healthz')).text, 'Healthy')
    assert.equal((await transact(port, 1, 10, 'c')).text, '{"id":1,"limite":100000,"saldo":10}')
    assert.equal((await get(port, '/clientes/1/extrato')).status, 200)
    const refused = await post(port, '/clientes/1/transacoes', { valor: 1.2 })
    assert.deepEqual([refused.status, Object.keys(JSON.parse(refused.text))], [422, ['erro']])
    const missing = await post(port, '/clientes/6/transacoes', 'x'.repeat(50_000))
    assert.deepEqual([missing.status, missing.text], [404, ''])
    assert.equal((await post(port, '/clientes/1/transacoes', 'x'.repeat(50_000))).status, 422)
    assert.equal((await post(port, '/clientes/1/transacoes', 'x'.repeat(100_000))).status, 413)
    const many = Array.from({ length: 20 }, () => requestBytes('GET', '/clientes/1/extrato'))
    const answers = await exchange(port, [Buffer.concat(many)], { expected: 20 })
    assert.ok(answers.every(({ status }) => status === 200))
  })

  test('kill -9 of an instance under load costs at most what it was working on, and nothing is applied twice', async () => {
    const writers = 32
    const hammer = startHammer(port, writers, 'n.')
    await until(() => hammer.applied.length >= 200, 'answers')
    const [victim = assert.fail()] = instances[0]?.pids() ?? []
    process.kill(victim, 'SIGKILL')
    const appliedBefore = hammer.applied.length
    await until(() => instances[0]?.pids().some((pid) => pid !== victim) ?? false, 'the new instance')
    await until(() => hammer.applied.length >= appliedBefore + 200, 'more answers')
    await hammer.stop()
    assert.ok(hammer.failed.length <= writers, `${hammer.failed.length} failed`)
    requireKept(hammer, await auditLedger(store.url))
  })
})

/** The configuration as it is, with the names of compose.yaml's services and its port replaced by those of this test. */
async function startNginx(folder: string, port: number, instances: readonly RunningBank[]) {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/nginx-bank.conf'), 'utf8')
    .replace('bank-1:9999', `127.0.0.1:${instances[0]?.port}`)
    .replace('bank-2:9999', `127.0.0.1:${instances[1]?.port}`)
    .replace('listen 9999', `listen 127.0.0.1:${port}`)
    .replace('/tmp/nginx-bank.pid', join(folder, 'nginx.pid'))
    .replace('error_log stderr', `error_log ${folder}/error.log`)
    // Its own folders for temporary files: the packaged ones belong to the system's nginx.
    .replace(
      'http {',
      `http {\n${temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}`,
    )
  writeFileSync(join(folder, 'nginx.conf'), text)
  const server = spawn(nginx ?? '', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-g', 'daemon off;'], {
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  await until(
    () =>
      get(port, '/healthz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    'nginx',
  )
  return async () => {
    server.kill('SIGQUIT')
    await ended
  }
}

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
