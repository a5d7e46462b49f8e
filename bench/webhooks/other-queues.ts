import { createRequire } from 'node:module'
import { join } from 'node:path'
import { secretPrefix, sendMessage, signedHeaders } from '../../src/features/webhooks/worker.ts'
import type { AllowedReceivers } from '../../src/http/addresses.ts'

export interface QueuedMessage {
  readonly id: string
  readonly row: string
  readonly url: string
  readonly body: string
}

export interface OtherQueue {
  readonly name: string
  deliverAll(messages: readonly QueuedMessage[]): Promise<void>
  stop(): Promise<void>
}

const concurrency = 32
/** The number of messages that are added to a queue, or taken from it, at once. */
const pageSize = 100
const secret = `${secretPrefix}${Buffer.alloc(32, 1).toString('base64')}`

/** Starts the PostgreSQL queue libraries that are installed in the folder. The caller passes the messages. */
export async function queuesIn(
  folder: string,
  url: string,
  receivers: AllowedReceivers,
): Promise<readonly OtherQueue[]> {
  const load = createRequire(join(folder, 'package.json'))
  const signal = new AbortController().signal
  let remaining = 0
  let onEmpty = () => {}
  const deliver = async ({ id, url, body }: QueuedMessage) => {
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders({ id, timestampSeconds, body }, [secret]),
    }
    const { status } = await sendMessage({ url, headers, body }, receivers, { signal, milliseconds: 10_000 })
    if (status !== 200) throw new Error(`The receiver answered ${status}.`)
    remaining -= 1
    if (remaining === 0) onEmpty()
  }
  const untilEmpty = (messages: readonly QueuedMessage[]) => {
    remaining = messages.length
    return new Promise<void>((resolve) => {
      onEmpty = resolve
    })
  }
  const pagesOf = (messages: readonly QueuedMessage[]) =>
    Array.from({ length: Math.ceil(messages.length / pageSize) }, (_, page) =>
      messages.slice(page * pageSize, (page + 1) * pageSize),
    )

  const PgBoss = load('pg-boss')
  const boss = new PgBoss({ connectionString: url })
  await boss.start()
  await boss.createQueue('deliver')
  for (let worker = 0; worker < 4; worker += 1)
    await boss.work(
      'deliver',
      { batchSize: pageSize, pollingIntervalSeconds: 0.5 },
      (jobs: readonly { readonly data: QueuedMessage }[]) =>
        Promise.all(jobs.map(({ data }) => deliver(data))).then(() => undefined),
    )

  const graphile = load('graphile-worker')
  const utils = await graphile.makeWorkerUtils({ connectionString: url })
  await utils.migrate()
  const runner = (isOrdered: boolean) => async (messages: readonly QueuedMessage[]) => {
    const running = await graphile.run({
      connectionString: url,
      concurrency,
      pollInterval: 500,
      noHandleSignals: true,
      logger: new graphile.Logger(() => () => undefined),
      taskList: { deliver },
    })
    const done = untilEmpty(messages)
    for (const page of pagesOf(messages))
      await utils.addJobs(
        page.map((payload) => ({
          identifier: 'deliver',
          payload,
          ...(isOrdered && { queueName: payload.row }),
        })),
      )
    await done
    await running.stop()
  }
  return [
    {
      name: 'pg-boss, no order',
      async deliverAll(messages) {
        const done = untilEmpty(messages)
        for (const page of pagesOf(messages))
          await boss.insert(page.map((data) => ({ name: 'deliver', data })))
        await done
      },
      stop: () => boss.stop({ graceful: false }),
    },
    // The next queue uses the same `utils`, and releases them.
    { name: 'graphile-worker, no order', deliverAll: runner(false), stop: async () => {} },
    {
      name: 'graphile-worker, a queue a row',
      deliverAll: runner(true),
      stop: () => utils.release(),
    },
  ]
}
