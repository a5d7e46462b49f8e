import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import { service as health } from 'grpc-health-check'
import { isListening } from '../../bench/child-process.ts'
import { sql } from '../../src/db/sql.ts'
import { serveByChildren } from '../support/child-commands.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { until } from '../support/until.ts'
import { listMessage, listOrganizations } from './assert-serves.ts'

describe('A command host that stops', () => {
  test('commits and answers the calls in flight', {
    skip: isDistributed,
  }, async () => {
    await using host = await startCommandsUnderTest()
    const calls = openCommandCalls(host.target)
    const { token } = host.administrator
    const made = await calls.call('CreateOrganization', { name: 'Before' }, { token })
    const id = made.result.organization.id
    const direct = await connectDirectly(host.database)
    await direct.query('begin')
    await direct.query('select 1 from organizations where id = $1 for update', [id])
    const updating = calls.call('UpdateOrganization', { id, name: 'After' }, { token })
    await untilWaiting(direct)
    await using raw = openRawCalls(host.target)
    await once(raw.session, 'remoteSettings')
    const goAway = once(raw.session, 'goaway')
    const stopped = host.stopHost()
    await goAway
    // The host stops listening as soon as no connection is about to be accepted.
    await until(
      async () => !(await isListening(Number(host.target.split(':')[1]))),
      'the host to stop listening',
    )
    const late = await calls.call('CreateOrganization', { name: 'Late' }, { token })
    await direct.query('commit')
    await direct.end()
    assert.equal((await updating).result.success, true)
    await stopped
    calls.close()
    assert.equal(status[late.code], 'UNAVAILABLE', late.details)
    const rows = await host.database.query<{ name: string }>(sql`select name from organizations`)
    assert.deepEqual(rows, [{ name: 'After' }])
  })

  test('notifies health watchers first', async () => {
    await using host = await startCommandsUnderTest()
    const client = new Client(host.target, credentials.createInsecure())
    const seen: unknown[] = []
    const watch = watchHealth(client)
    const ended = new Promise<ServiceError>((resolve) => watch.on('error', resolve))
    const first = new Promise((resolve) => watch.once('data', resolve))
    watch.on('data', ({ status: state }: { status: string }) => seen.push(state))
    await first
    const [name, port] = host.target.split(':')
    const idle = connect(Number(port), name)
    idle.on('error', () => undefined)
    const raw = openRawCalls(host.target)
    assert.equal(
      (await raw.send(grpcHeaders(listOrganizations, host.administrator.token), framed(listMessage))).status,
      0,
    )
    const milliseconds = measureRunningTime()
    await host.stopHost()
    const seconds = milliseconds() / 1000
    assert.deepEqual(seen, ['SERVING', 'NOT_SERVING'])
    assert.equal((await ended).code, status.UNAVAILABLE)
    assert.ok(seconds < 4, `It took ${seconds} s.`)
    client.close()
    raw.close()
    idle.destroy()
  })

  test('reports NOT_SERVING even to the first client that asks for its health', async () => {
    await using host = await startCommandsUnderTest()
    host.announceHostStop()
    const client = new Client(host.target, credentials.createInsecure())
    const watch = watchHealth(client)
    const first = await new Promise((resolve) => watch.once('data', resolve))
    assert.deepEqual(first, { status: 'NOT_SERVING' })
    client.close()
  })

  test('is no longer ready as soon as it drains', async () => {
    await using host = await startCommandsUnderTest()
    await using raw = openRawCalls(host.target)
    const ready = async () => (await fetch(`${host.diagnostics}/readyz`)).status
    assert.equal(await ready(), 200)
    host.announceHostStop()
    assert.equal(await ready(), 503)
    const headers = grpcHeaders(listOrganizations, host.administrator.token)
    assert.equal((await raw.send(headers, framed(listMessage))).status, status.OK)
  })

  test('sends GOAWAY while it drains, and executes calls that cross it', async (t) => {
    await using host = await startCommandsUnderTest()
    const network = await relayTo(host.target)
    t.after(network.close)
    await using raw = openRawCalls(network.target)
    const headers = grpcHeaders(listOrganizations, host.administrator.token)
    const list = async () => (await raw.send(headers, framed(listMessage))).status
    assert.equal(await list(), status.OK)
    const reported: unknown[] = []
    raw.session.on('goaway', (code: number, lastStream: number) => reported.push([code, lastStream]))
    host.announceHostStop()
    assert.equal(await list(), status.OK)
    network.holdAnswers()
    const stopped = host.stopHost()
    await network.untilHeld()
    const crossing = Promise.all([list(), list()])
    await network.untilRequested()
    network.passAnswers()
    assert.deepEqual(await crossing, [status.OK, status.OK])
    assert.deepEqual(reported[0], [0, 2 ** 31 - 1])
    await stopped
  })

  test('reports an unknown outcome for a call that takes too long', {
    skip: isDistributed,
  }, async () => {
    await using host = await startCommandsUnderTest({}, { stopMilliseconds: 300 })
    await using calls = openCommandCalls(host.target)
    const { token } = host.administrator
    const made = await calls.call('CreateOrganization', { name: 'Before' }, { token })
    const id = made.result.organization.id
    await using direct = await connectDirectly(host.database)
    await direct.query('begin')
    await direct.query('select 1 from organizations where id = $1 for update', [id])
    const updating = calls.call('UpdateOrganization', { id, name: 'After' }, { token })
    await untilWaiting(direct)
    await using raw = openRawCalls(host.target)
    const headers = grpcHeaders(listOrganizations, token)
    const arriving = raw.send(headers, framed(listMessage).subarray(0, 4), false)
    assert.equal((await raw.send(headers, framed(listMessage))).status, status.OK)
    const milliseconds = measureRunningTime()
    await host.stopHost()
    assert.ok(milliseconds() < 5000)
    const { code, details } = await updating
    assert.deepEqual([code, details], [status.UNKNOWN, 'The host stopped before the outcome was known.'])
    assert.equal((await arriving).status, status.UNAVAILABLE)
    await direct.query('rollback')
  })
})

/** Opens a relay to the host that can hold back its responses, as a slow network does. */
async function relayTo(target: string) {
  let isHeld = false
  let sent = 0
  const held: (() => void)[] = []
  const server = createServer((client) => {
    const [name, port] = target.split(':')
    const host = connect(Number(port), name)
    client.on('data', (bytes) => {
      sent += 1
      host.write(bytes)
    })
    host.on('data', (bytes) => {
      if (isHeld) held.push(() => client.write(bytes))
      else client.write(bytes)
    })
    for (const socket of [client, host]) socket.on('error', () => undefined)
    client.on('close', () => host.destroy())
    host.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let sentBefore = 0
  return {
    target: `127.0.0.1:${port}`,
    holdAnswers() {
      isHeld = true
      sentBefore = sent
    },
    untilHeld: () => until(() => held.length > 0, 'a response to hold'),
    /** Waits for a request after `holdAnswers`. */
    untilRequested: () => until(() => sent > sentBefore, 'a request'),
    passAnswers() {
      isHeld = false
      for (const pass of held.splice(0)) pass()
    },
    close: () => void server.close(),
  }
}

function watchHealth(client: Client) {
  const { path, requestSerialize, responseDeserialize } = health.Watch as MethodDefinition<
    object,
    { status: string }
  >
  const request = { service: '' }
  const watch = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    new Metadata(),
  )
  watch.on('error', () => undefined)
  return watch
}

describe('Of two command hosts on one store,', () => {
  const served = fixture(() => serveByChildren(2))

  test('one that gets SIGTERM under load loses no call and executes none twice', async () => {
    const { children, database, token } = served
    const targets = children.map(({ target }) => target).join()
    const calls = openCommandCalls(`ipv4:${targets}`, severalInstances)
    const acknowledged: string[] = []
    const failures = new Map<string, number>()
    let isDone = false
    const waitForCalls = async (count: number) => {
      while (acknowledged.length < count && failures.size === 0) await sleep(10)
    }
    async function createRepeatedly() {
      while (!isDone) {
        const id = randomUUID()
        const { code, details } = await calls.call('CreateOrganization', { id, name: 'Load' }, { token })
        const failure = `${status[code]}: ${details}`
        if (code === status.OK) acknowledged.push(id)
        else failures.set(failure, (failures.get(failure) ?? 0) + 1)
      }
    }
    const load = Array.from({ length: 24 }, createRepeatedly)
    await waitForCalls(50)
    const [leaving, staying] = children
    assert.ok(leaving && staying)
    const milliseconds = measureRunningTime()
    const exitCode = await leaving.end('SIGTERM')
    const seconds = milliseconds() / 1000
    await waitForCalls(acknowledged.length + 50)
    isDone = true
    await Promise.all(load)
    calls.close()
    assert.equal(exitCode, 0, leaving.output())
    assert.ok(seconds < 10, `It took ${seconds} s.`)
    // ALREADY_EXISTS would mean that an instance reported UNAVAILABLE for a call that it had executed.
    assert.deepEqual([...failures], [])
    const rows = await database.query<{ id: string }>(sql`select id from organizations`)
    assert.deepEqual(rows.map(({ id }) => id).sort(), acknowledged.sort())
    assert.equal(staying.output().includes('error'), false, staying.output())
  })
})

/**
 * The options of a client for several instances: round robin, and retries of calls that were not executed.
 */
const severalInstances = {
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      {
        name: [{}],
        retryPolicy: {
          maxAttempts: 5,
          initialBackoff: '0.02s',
          maxBackoff: '0.2s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  }),
}
