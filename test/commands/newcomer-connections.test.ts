import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect as connectHttp2, constants } from 'node:http2'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { budgetLimits } from '../../src/config/budgets.ts'
import {
  callHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
} from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'
import { assertServes, goodList, listOrganizations } from './assert-serves.ts'
import { hostOnAClock, otherAddress } from './host-on-a-clock.ts'

/** The host's own, from now on: a connection that it closes before it makes a socket is not among them. */
function socketsOf(t: TestContext): readonly Socket[] {
  const sockets: Socket[] = []
  const add = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', add)
  t.after(() => unsubscribe('net.server.socket', add))
  return sockets
}

test('New connections of an address wait for their turn, unread, while others get in', async (t) => {
  const { open, openServed, isServed, pass, budgets } = await hostOnAClock(t, {
    newcomerConnectionsOfAddress: 2,
  })
  const sockets = socketsOf(t)
  const waiting = () => budgets.budget('newcomersWaitingOfAddress').used('127.0.0.1')
  await Promise.all([openServed(), openServed()])
  const [third, fourth] = [open(), open()]
  await until(() => waiting() === 2, 'two to wait')
  await openServed(otherAddress)
  await sleep(150)
  assert.deepEqual([isServed(third), isServed(fourth)], [false, false])
  assert.equal(sockets.filter(({ bytesRead }) => bytesRead === 0).length, 2)
  pass(0.1)
  await until(() => waiting() === 1, 'one to be let in')
  pass(0.1)
  await until(() => isServed(third) && isServed(fourth), 'both to be let in')
})

test('The connections of all addresses together have a rate, and the addresses take turns', async (t) => {
  const { open, openServed, isServed, pass, budgets } = await hostOnAClock(t, { newcomerConnections: 1 })
  const waiting = () => budgets.budget('newcomersWaiting').used()
  await openServed()
  const many = Array.from({ length: 10 }, () => open())
  await until(() => waiting() === 10, 'ten to wait')
  const one = open(otherAddress)
  await until(() => waiting() === 11, 'eleven to wait')
  pass(0.005)
  await until(() => waiting() === 10, 'one to be let in')
  pass(0.005)
  await until(() => isServed(one), 'the other address to be let in')
  assert.equal(many.filter(isServed).length, 1)
})

test('Those that wait have an end, for an address and for all', async (t) => {
  const { open, budgets } = await hostOnAClock(t, {
    newcomerConnections: 1,
    newcomersWaitingOfAddress: 2,
    newcomersWaiting: 3,
  })
  const waiting = (address?: string) =>
    address === undefined
      ? budgets.budget('newcomersWaiting').used()
      : budgets.budget('newcomersWaitingOfAddress').used(address)
  open()
  await until(() => budgets.budget('newcomerConnections').used() === 1, 'the first')
  const sockets = socketsOf(t)
  const [second, third] = [open(), open()]
  await until(() => waiting() === 2, 'two to wait')
  await until(open().isClosed, 'what comes after them to be closed')
  open('127.0.0.3')
  await until(() => waiting() === 3, 'three to wait')
  await until(open('127.0.0.3').isClosed, 'what its address has waiting already to be closed')
  assert.deepEqual([second.isClosed(), third.isClosed(), sockets.length], [false, false, 3])
  open('127.0.0.4')
  await until(() => waiting('127.0.0.4') === 1, 'a third address to wait')
  assert.deepEqual([waiting(), waiting('127.0.0.1'), waiting('127.0.0.3')], [3, 1, 1])
})

test('Of connections without a token, the address that has most loses its oldest', async (t) => {
  const { host, openServed } = await hostOnAClock(t, { newcomersOfAddress: 3, newcomers: 4 })
  const lone = await openServed(otherAddress)
  const [first, second, third] = [await openServed(), await openServed(), await openServed()]
  const fourth = await openServed()
  await until(first.isClosed, 'the connection to end')
  assert.equal(first.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  await openServed('127.0.0.3')
  await until(second.isClosed, 'the connection to end')
  assert.deepEqual([third.isClosed(), fourth.isClosed(), lone.isClosed()], [false, false, false])
  await assertServes(host)
})

test('A token releases what its connection and its calls acquired', async (t) => {
  const { host } = await hostOnAClock(t, {
    newcomerConnectionsOfAddress: 2,
    newcomerStreamsOfAddress: 2,
    newcomersOfAddress: 2,
    newcomersWaitingOfAddress: 1,
  })
  for (let count = 0; count < 5; count += 1) await assertServes(host)
  for (let kept = 0; kept < 5; kept += 1) {
    const raw = openRawCalls(host.target)
    t.after(raw.close)
    const answer = await raw.send(grpcHeaders(listOrganizations, host.administrator.token), framed(goodList))
    assert.equal(answer.status, status.OK)
  }
})

test('Every connection that an address opens at once has the time to show its token', async (t) => {
  const { host, openServed, budgets } = await hostOnAClock(t, {})
  const { newcomerConnectionsOfAddress, newcomerConnections, newcomers } = budgetLimits
  const connections = await Promise.all(
    Array.from({ length: newcomerConnectionsOfAddress.max }, () => openServed()),
  )
  const withToken = callHeaders(listOrganizations, { authorization: `Bearer ${host.administrator.token}` })
  const call = openCall(0, headerBlock(withToken))
  for (const { send } of connections) send(call, frame(frameTypes.data, endStream, 1, framed(goodList)))
  await until(() => budgets.budget('newcomers').used() === 0, 'the tokens to be accepted')
  assert.ok(connections.every((connection) => !connection.isClosed()))
  assert.equal(budgets.budget('newcomerConnectionsOfAddress').used('127.0.0.1'), 0)
  assert.ok(newcomerConnections.max < newcomers.max)
})

test('Headers without a token count as many bytes as they have once they are decompressed', async (t) => {
  const { host, budgets } = await hostOnAClock(t, { newcomerBytesOfAddress: 64 * 1024 })
  const session = connectHttp2(`http://${host.target}`)
  session.on('error', () => undefined)
  t.after(() => session.destroy())
  const headers = { ...grpcHeaders(listOrganizations), ':method': 'POST', 'x-large': 'x'.repeat(2000) }
  let calls = 0
  while (calls < 64 && !session.closed && !session.destroyed) {
    const stream = session.request(headers)
    stream.on('error', () => undefined)
    stream.end()
    await new Promise((resolve) => stream.once('close', resolve))
    calls += 1
  }
  assert.ok(calls < 64, `${calls} calls`)
  assert.ok(budgets.budget('newcomerBytesOfAddress').used('127.0.0.1') > 0)
})

const floods: Readonly<Record<string, Buffer>> = {
  'window updates': frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])),
  pings: frame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
  settings: frame(frameTypes.settings, 0, 0),
  priorities: frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 1])),
  'frames of no known type': frame(0x77, 0, 0),
}
for (const [name, each] of Object.entries(floods)) {
  test(`An address that floods with ${name} is cut, and let in again when half of its bytes are back`, async (t) => {
    const { open, openServed, isServed, pass, budgets } = await hostOnAClock(t, {
      newcomerBytesOfAddress: 32 * 1024,
    })
    const flood = await openServed()
    const piece = manyTimes(200, () => each)
    await until(() => {
      flood.send(piece)
      return flood.isClosed()
    }, 'the flood to end')
    const next = open()
    await until(() => budgets.budget('newcomersWaiting').used() === 1, 'the next connection to wait')
    await openServed(otherAddress)
    assert.equal(isServed(next), false)
    pass(0.13)
    await until(() => isServed(next), 'the next connection to be let in')
  })
}
