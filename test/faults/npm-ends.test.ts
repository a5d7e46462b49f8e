import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freePort, startChild } from '../support/child-host.ts'
import { isGone } from '../support/embedded-store.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '..', '..')

describe('a signal', () => {
  test('SIGTERM to npm leaves no program behind', async (t) => {
    const port = await freePort()
    const folder = mkdtempSync(join(tmpdir(), 'npm-ends-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    // The web client alone: it has no store to wait for.
    const npm = spawn('npm', ['start', '--silent', '--', 'web'], {
      cwd: root,
      env: { ...process.env, WEB_PORT: String(port), DATA_DIR: folder },
      stdio: 'ignore',
      detached: true,
    })
    t.after(() => endGroup(npm))
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(answers, 'the web client')
    npm.kill('SIGTERM')
    await until(async () => !(await answers()), 'the end of the program')
  })

  test('SIGHUP, as of a closed terminal, stops in order', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'hangup-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const host = await startChild({ DATA_DIR: folder })
    const { pid = 0 } = host.process
    assert.equal(await host.end('SIGHUP'), 0, host.output())
    assert.ok(await isGone(pid, 1))
  })
})

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL')
  } catch {
    // It has ended, as it should.
  }
}
