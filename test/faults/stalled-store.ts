import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { furnish } from '../support/furnish.ts'
import { connectOutside } from '../support/outside-connection.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

export function testStalledStore() {
  test('Readers who ask while the store hangs for two seconds get their answers late, and no 500', async (context) => {
    const rest = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    await furnish(rest)
    const { token } = rest.administrator
    const outside = await connectOutside(rest.database)
    const { rows } = await outside.query(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of rows) process.kill(pid, name)
    }
    try {
      signal('SIGSTOP')
    } catch {
      context.skip('The store belongs to somebody else.')
      return
    }
    const answers: Promise<number>[] = []
    const read = async (path: string) => (await rest.call('GET', path, { token })).status
    try {
      for (let count = 0; count < 40; count += 1) {
        answers.push(read('/api/organizations'), read('/api/me'))
        await sleep(55)
      }
    } finally {
      signal('SIGCONT')
    }
    const statuses = new Set(await Promise.all(answers))
    assert.deepEqual([...statuses], [200])
    await outside.end()
    await rest.stop()
  })
}
