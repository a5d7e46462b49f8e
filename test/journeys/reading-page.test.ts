import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { seedDemoWorkspace } from '../../src/cli/demo-workspace.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { cheapPasswords } from '../support/cheap-passwords.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reading.md'), 'utf8')
const examples = [...page.matchAll(/^GET (\/ext\/\S+?)\?(.*)$/gm)].map(([, path = '', keys = '']) => ({
  path,
  query: new URLSearchParams(keys.replaceAll('+', '%2B')),
}))

describe('On the demo workspace, the example of docs/reading.md', () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest()
    const { database, administrator } = rest
    await seedDemoWorkspace(
      { database, passwords: cheapPasswords(), budgets: openBudgets() },
      administrator.id,
    )
  })
  after(() => rest.stop())

  assert.ok(examples.length >= 5)
  for (const { path, query } of examples)
    test(`${path}?${decodeURIComponent(String(query))} shows something`, async () => {
      const { status, body } = await rest.call('GET', `${path}?${query}`, { token: rest.administrator.token })
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok((body.result.data ?? body.result.groups).length > 0)
    })
})
