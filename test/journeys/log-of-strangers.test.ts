import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { goodList, listOrganizations } from '../commands/assert-serves.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

/** The lines that the hosts have written; the clock of the budget is stopped. */
function openLog() {
  const written: string[] = []
  return {
    destination: { write: (line: string) => void written.push(line) },
    budgets: openBudgets({ unauthenticatedLines: 3 }, () => 0),
    linesOf: (message: string) =>
      written.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message),
  }
}
const strangers = 10
const people = 8
const writtenMax = 3

test('A stranger writes only so many lines by requests, and a person with a token one for each', async (t) => {
  const { destination, budgets, linesOf } = openLog()
  const rest = await startRestUnderTest({ LOG_LEVEL: 'info' }, { destination, budgets })
  t.after(() => rest.stop())
  const { token } = await rest.signUp()
  const requests = (wanted: number) =>
    linesOf('A request has ended.').filter(
      ({ path, status }) => path === '/api/projects' && status === wanted,
    )
  for (let count = 0; count < strangers; count += 1) await rest.call('GET', '/api/projects')
  for (let count = 0; count < people; count += 1) await rest.call('GET', '/api/projects', { token })
  await until(() => requests(200).length === people, 'a line for each request with a token')
  assert.equal(requests(401).length, writtenMax)
  const [state] = budgets.states().filter(({ name }) => name === 'unauthenticatedLines')
  assert.equal(state?.refused, strangers - writtenMax)
})

test('A stranger writes only so many lines by calls, and a person with a token one for each', async (t) => {
  const { destination, budgets, linesOf } = openLog()
  const host = await startCommandsUnderTest({ LOG_LEVEL: 'info' }, { destination, budgets })
  t.after(() => host.stop())
  const raw = openRawCalls(host.target)
  t.after(raw.close)
  const call = (token?: string) => raw.send(grpcHeaders(listOrganizations, token), framed(goodList))
  for (let count = 0; count < strangers; count += 1) await call()
  for (let count = 0; count < people; count += 1) await call(host.administrator.token)
  const calls = (wanted: string) => linesOf('A call has ended.').filter(({ code }) => code === wanted)
  await until(() => calls('OK').length === people, 'a line for each call with a token')
  assert.equal(calls('UNAUTHENTICATED').length, writtenMax)
})
