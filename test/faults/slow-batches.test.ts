import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { budgetLimits, openBudgets } from '../../src/config/budgets.ts'
import { create } from '../support/batches.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

let rest: RestUnderTest
const budgets = openBudgets()
before(async () => {
  rest = await startRestUnderTest({}, { budgets })
})
after(() => rest.stop())

/** A batch whose body never comes; returns what is answered. */
function beginBatch({ token }: Person): { readonly socket: Socket; answer: string } {
  const { hostname, port } = new URL(rest.address)
  const socket = connect(Number(port), hostname)
  const batch = { socket, answer: '' }
  socket.setEncoding('latin1').on('data', (text: string) => {
    batch.answer += text
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /ext/batch HTTP/1.1\r\nhost: t\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  )
  return batch
}

test('Batches whose bodies do not come give way to those that wait, and are answered with 503', async () => {
  const people = await Promise.all([rest.signUp(), rest.signUp()])
  const slow = people.flatMap((person) => [beginBatch(person), beginBatch(person)])
  const { batches } = budgetLimits
  await until(() => budgets.budget('batches').used() === batches.max, 'all places to be taken')
  const items = [create('impediment', { name: 'Weather' })]
  const answer = await rest.call('POST', '/ext/batch', { token: rest.administrator.token, body: { items } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const late = slow.filter(({ answer }) => answer !== '')
  await until(() => late.every(({ socket }) => socket.closed), 'the connection to be closed')
  assert.ok(late.length > 0)
  for (const { answer } of late) {
    assert.match(answer, /^HTTP\/1\.1 503 /)
    assert.match(answer, /The body came too slowly while others waited\./)
  }
  for (const { socket } of slow) socket.destroy()
  await until(() => budgets.budget('batches').used() === 0, 'all places to be left')
})
