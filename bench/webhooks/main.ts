import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { newId } from '../../src/db/rows.ts'
import { createWebhook } from '../../src/features/webhooks/webhooks.ts'
import { createWebhookWorker } from '../../src/features/webhooks/worker.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { update } from '../../src/records/update.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { postmasterOf } from '../child-process.ts'
import { cpuSecondsOfServer } from '../process-usage.ts'
import { type OtherQueue, type QueuedMessage, queuesIn } from './other-queues.ts'

const rows = 50
const changesOfEach = 20
const webhooks = 4
const rounds = 3
const login = 'bench@example.com'

/**
 * Measures deliveries from one process to a receiver in another process. If a folder in which `pg-boss` and
 * `graphile-worker` are installed is passed, also measures these two, in turns, with as many messages.
 */
export async function runWebhookBench([folder]: readonly string[]): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-webhooks-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const receiver = await startReceiver()
  try {
    await migrate(store.url)
    const ownQueue = await openOwnQueue(store.url, receiver)
    const receivers = allowedReceivers([receiver.host])
    const otherQueues = folder === undefined ? [] : await queuesIn(folder, store.url, receivers)
    const costs = await measureInTurns([ownQueue, ...otherQueues], ownQueue.write, (work) =>
      measureWork(work, dataDirectory, receiver.count),
    )
    for (const [name, found] of costs)
      console.log(`${name.padEnd(30)} ${medianOf(found).toFixed(2)} ms of CPU a delivery, process and store`)
    for (const { stop } of [ownQueue, ...otherQueues]) await stop()
  } finally {
    await receiver.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Opens the delivery of webhooks by the tracker itself. `write` makes the changes that it delivers. */
async function openOwnQueue(url: string, receiver: { readonly url: string; readonly host: string }) {
  const database = openDatabase({ url, applicationName: 'bench' })
  const budgets = openBudgets()
  const context = { database, budgets } as Context
  const owner = { id: (await insertAccount(database, { login })).id, isAdministrator: true }
  for (let count = 0; count < webhooks; count += 1)
    await createWebhook(context, owner, { url: receiver.url }, () => undefined)
  const worker = createWebhookWorker({
    database,
    administrators: administratorsOf({ adminLogins: [login] }),
    receivers: allowedReceivers([receiver.host]),
    requests: budgets.budget('webhookRequests'),
    onFailure: (error) => console.error(error),
    onPaused: (details) => console.error(details),
  })
  return {
    name: 'the feed and its deliveries',
    deliverAll: () => worker.poll(),
    /** Makes changes for the webhooks, and returns them as messages for queues that do not read the feed. */
    async write(): Promise<readonly QueuedMessage[]> {
      const ids = Array.from({ length: rows }, () => newId())
      for (const id of ids) await create(context, impediment, owner, { id, name: 'Written 0' })
      for (let change = 1; change < changesOfEach; change += 1)
        await Promise.all(
          ids.map((id) => update(context, impediment, owner, { id, name: `Written ${change}` })),
        )
      return Array.from({ length: webhooks * rows * changesOfEach }, (_, index) => {
        const row = ids[index % rows] ?? ''
        const body = JSON.stringify({ type: 'impediment.update', row, before: {}, after: {} })
        return { id: newId(), row, url: receiver.url, body }
      })
    },
    async stop() {
      await worker.stop()
      await database.close()
    },
  }
}

/** Returns the cost of each queue in every round except the first, which warms up. */
async function measureInTurns(
  queues: readonly Pick<OtherQueue, 'name' | 'deliverAll'>[],
  write: () => Promise<readonly QueuedMessage[]>,
  measure: (work: () => Promise<void>) => Promise<number>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const costs = new Map<string, number[]>(queues.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    const messages = await write()
    for (const { name, deliverAll } of round % 2 ? queues.toReversed() : queues) {
      const cost = await measure(() => deliverAll(messages))
      if (round > 0) costs.get(name)?.push(cost)
    }
  }
  return costs
}

async function measureWork(
  work: () => Promise<unknown>,
  dataDirectory: string,
  count: () => Promise<number>,
): Promise<number> {
  const postmaster = postmasterOf(dataDirectory)
  const countBefore = await count()
  const [cpuBefore, storeBefore, startedAt] = [
    process.cpuUsage(),
    cpuSecondsOfServer(postmaster),
    performance.now(),
  ]
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const arrived = (await count()) - countBefore
  const storeMilliseconds = (cpuSecondsOfServer(postmaster) - storeBefore) * 1000
  const ownMilliseconds = (user + system) / 1000
  console.log(
    `${arrived} in ${seconds.toFixed(1)} s: ${(arrived / seconds).toFixed(0)} a second, process ${(ownMilliseconds / arrived).toFixed(2)}, store ${(storeMilliseconds / arrived).toFixed(2)} ms each`,
  )
  return (ownMilliseconds + storeMilliseconds) / arrived
}

/** Starts a server in a separate process, which responds to every request with 200 and counts it. */
async function startReceiver() {
  const child = fork(import.meta.filename)
  const [port] = await once(child, 'message')
  const host = `127.0.0.1:${port}`
  return {
    url: `http://${host}/hook`,
    host,
    async count(): Promise<number> {
      child.send('count')
      const [count] = await once(child, 'message')
      return Number(count)
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

if (process.send && import.meta.main) {
  let count = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      response.end()
    })
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(count))
}
