import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { openBudgets } from '../../src/config/budgets.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import {
  callHeaders,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
  resetCall,
} from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'
import { assertServes, goodList, listOrganizations } from './assert-serves.ts'
import { hostOnAClock, otherAddress } from './host-on-a-clock.ts'

const block = headerBlock(callHeaders(listOrganizations))
const resets = (count: number, from = 0) =>
  manyTimes(count, (index) => Buffer.concat([openCall(from + index, block), resetCall(from + index)]))

test('Streams that an address resets are counted over its connections, until they come back', async (t) => {
  const { open, openServed, pass, budgets } = await hostOnAClock(t, { newcomerResetsOfAddress: 20 })
  const used = () => budgets.budget('newcomerResetsOfAddress').used('127.0.0.1')
  const first = await openServed()
  first.send(resets(15))
  await until(() => used() === 15, 'resets to be counted')
  assert.equal(first.isClosed(), false)
  first.close()
  const second = open()
  second.send(resets(15))
  await until(second.isClosed, 'the connection to end')
  assert.equal(second.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)

  const elsewhere = await openServed(otherAddress)
  elsewhere.send(resets(15))
  await until(() => budgets.budget('newcomerResetsOfAddress').used(otherAddress) === 15, 'another address')
  assert.equal(elsewhere.isClosed(), false)

  pass(1.5)
  assert.equal(used(), 5)
  const third = await openServed()
  third.send(resets(15))
  await until(() => used() === 20, 'resets to be counted')
  assert.equal(third.isClosed(), false)
})

test('Streams that are reset have an end over all addresses, too', async (t) => {
  const { open, host } = await hostOnAClock(t, { newcomerResets: 20 })
  open().send(resets(15))
  const second = open(otherAddress)
  second.send(resets(15))
  await until(second.isClosed, 'the connection to end')
  assert.equal(second.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  await assertServes(host)
})

test('A client whose token was accepted may reset more calls than a stranger', async (t) => {
  const { host, open } = await hostOnAClock(t, { newcomerResetsOfAddress: 5, newcomerResets: 5 })
  const known = open()
  const withToken = callHeaders(listOrganizations, { authorization: `Bearer ${host.administrator.token}` })
  known.send(openCall(0, headerBlock(withToken)), frame(frameTypes.data, endStream, 1, framed(goodList)))
  await until(() => known.received().some(({ type }) => type === frameTypes.data), 'an answer')
  known.send(resets(50, 1))
  const answers = () => known.received().filter(({ type }) => type === frameTypes.data).length
  known.send(openCall(60, headerBlock(withToken)), frame(frameTypes.data, endStream, 121, framed(goodList)))
  await until(() => answers() === 2, 'another answer')
  assert.equal(known.isClosed(), false)
})

test('Nothing is built for a call whose reset arrives with it', async (t) => {
  const { host, open } = await hostOnAClock(t, {}, { METRICS: 'true' })
  const counted = async () => {
    const text = await (await fetch(`${host.diagnostics}/metrics`)).text()
    return [...text.matchAll(/^command_duration_seconds_count\{.*\} (\d+)/gm)].map(([, count]) => count)
  }
  const connection = open()
  connection.send(resets(50), openCall(50, block, endHeaders + endStream))
  await until(() => connection.received().some(({ type }) => type === frameTypes.headers), 'the last answer')
  assert.deepEqual(await counted(), ['1'])
})

test('Calls without a token are counted by address; beyond that they are rejected, and then the connection', async (t) => {
  const { host, open, pass } = await hostOnAClock(t, {
    newcomerStreamsOfAddress: 10,
    newcomerResetsOfAddress: 5,
  })
  const codes = async (count: number, localAddress?: string) => {
    const raw = openRawCalls(host.target, { ...(localAddress && { localAddress }) })
    t.after(raw.close)
    const answers = await Promise.all(
      Array.from({ length: count }, () => raw.send(grpcHeaders(listOrganizations), framed(goodList))),
    )
    return answers.map(({ status: code, headers }) => [code, headers['retry-after']])
  }
  const unauthenticated = [status.UNAUTHENTICATED, undefined]
  const exhausted = [status.RESOURCE_EXHAUSTED, '1']
  assert.deepEqual(await codes(8), new Array(8).fill(unauthenticated))
  assert.deepEqual(await codes(4), [unauthenticated, unauthenticated, exhausted, exhausted])
  assert.deepEqual(await codes(1, otherAddress), [unauthenticated])
  const flood = open()
  flood.send(manyTimes(50, (index) => openCall(index, block, endHeaders + endStream)))
  await until(flood.isClosed, 'the connection to end')
  assert.equal(flood.goAwayCode(), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  pass(1)
  assert.deepEqual(await codes(1), [unauthenticated])
})

test('Calls without a token have an end over all addresses, too', async (t) => {
  const { host } = await hostOnAClock(t, { newcomerStreams: 3 })
  for (const [localAddress, code] of [
    ['127.0.0.3', status.UNAUTHENTICATED],
    ['127.0.0.4', status.UNAUTHENTICATED],
    ['127.0.0.5', status.UNAUTHENTICATED],
    ['127.0.0.6', status.RESOURCE_EXHAUSTED],
  ] as const) {
    const raw = openRawCalls(host.target, { localAddress })
    t.after(raw.close)
    assert.equal((await raw.send(grpcHeaders(listOrganizations), framed(goodList))).status, code)
  }
})

test('Behind a proxy, calls count for the addresses that it saw, and never for its own', async (t) => {
  const { host, budgets } = await hostOnAClock(
    t,
    { newcomerResetsOfAddress: 3, newcomerConnectionsOfAddress: 1, newcomersOfAddress: 1 },
    { ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' },
  )
  const [proxy, another] = [openRawCalls(host.target), openRawCalls(host.target)]
  t.after(proxy.close)
  t.after(another.close)
  await once(another.session, 'remoteSettings')
  const call = async (address: string, token?: string) => {
    const headers = { ...grpcHeaders(listOrganizations, token), 'x-forwarded-for': `10.0.0.1, ${address}` }
    return (await proxy.send(headers, framed(goodList))).status
  }
  const { token } = host.administrator
  assert.equal(await call('10.9.9.9', token), status.OK)
  for (let count = 0; count < 3; count += 1) {
    const stream = proxy.session.request({
      ...grpcHeaders(listOrganizations),
      ':method': 'POST',
      'x-forwarded-for': '10.9.9.9',
    })
    stream.on('error', () => undefined)
    stream.close(constants.NGHTTP2_CANCEL)
  }
  await until(() => budgets.budget('newcomerResetsOfAddress').used('10.9.9.9') === 3, 'three resets')
  assert.equal(await call('10.9.9.9'), status.RESOURCE_EXHAUSTED)
  assert.equal(await call('10.9.9.9', token), status.OK)
  assert.equal(await call('10.9.9.8'), status.UNAUTHENTICATED)
  assert.equal(budgets.budget('newcomerResetsOfAddress').used('127.0.0.1'), 0)
})

test('Watches of health count for the addresses that a proxy saw', async (t) => {
  const budgets = openBudgets({ unauthenticatedStreamsPerAddress: 1 })
  const host = await startCommandsUnderTest({ ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true' }, { budgets })
  t.after(host.stop)
  const proxy = openRawCalls(host.target)
  t.after(proxy.close)
  const watch = (address: string) => {
    const headers = { ...grpcHeaders('/grpc.health.v1.Health/Watch'), 'x-forwarded-for': address }
    const stream = proxy.session.request({ ':method': 'POST', ...headers })
    stream.on('error', () => undefined)
    stream.end(framed(Buffer.alloc(0)))
    return once(stream, 'response').then(([answer]) => answer['grpc-status'])
  }
  assert.equal(await watch('10.0.0.1'), undefined)
  assert.equal(await watch('10.0.0.1'), String(status.RESOURCE_EXHAUSTED))
  assert.equal(await watch('10.0.0.2'), undefined)
})
