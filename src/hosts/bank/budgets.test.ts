import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { openBudgets } from '../../config/budgets.ts'
import { get, startInProcessBank } from './testing/in-process.ts'
import { exchange, requestBytes } from './testing/raw-socket.ts'

const body = '{"valor":1,"tipo":"c","descricao":"x"}'
const transaction = requestBytes('POST', '/clientes/1/transacoes', body)

test('one address is limited to its share of the connections', async (t) => {
  const budgets = openBudgets({ bankConnectionsOfAddress: 5 })
  const { port, stop } = await startInProcessBank({ budgets })
  t.after(stop)
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const sockets: Socket[] = []
  for (let count = 0; count < 5; count++) sockets.push(await open())
  const sixth = await open()
  await once(sixth, 'close')
  const [state] = budgets.states().filter(({ name }) => name === 'bankConnectionsOfAddress')
  assert.deepEqual([state?.used, state?.rejected], [5, 1])
  for (const socket of sockets) socket.destroy()
  while (budgets.states().some(({ name, used }) => name === 'bankConnections' && used > 0))
    await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await get(port, '/healthz')).status, 200)
})

test('pipelined bytes are buffered within a budget, and the connection is closed beyond it', async (t) => {
  const budgets = openBudgets({ bankAheadBytesOfAll: 20 * transaction.length })
  const { port, stop } = await startInProcessBank({ budgets })
  t.after(stop)
  const pipelined = (count: number) => Buffer.concat(Array.from({ length: count }, () => transaction))
  assert.equal((await exchange(port, [pipelined(20)], { expected: 20 })).length, 20)
  assert.ok((await exchange(port, [pipelined(40)])).length < 40)
  const ahead = budgets.budget('bankAheadBytesOfAll')
  while (ahead.used() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await exchange(port, [pipelined(20)], { expected: 20 })).length, 20)
})
