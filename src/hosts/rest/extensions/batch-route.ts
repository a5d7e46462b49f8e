import { budgetLimits } from '../../../configuration/budgets.ts'
import { problemStatuses } from '../../../http/problem-statuses.ts'
import type { Caller } from '../../../model/caller.ts'
import type { Outcome, ReadyItem } from '../../../operations/batch/batch-item.ts'
import { readBatch } from '../../../operations/batch/read-batch.ts'
import { runBatch, type VersionsOf } from '../../../operations/batch/run-batch.ts'
import type { RequiredVersions } from '../../../operations/required-versions.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import type { Resource } from '../../../resources/define-resource.ts'
import { createFairQueue } from '../../../store/fair-queue.ts'
import { readNamedVersions, tagOf } from '../if-match.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

/** Others wait for this long before a batch whose body comes too slowly gives way. */
const patienceSeconds = 2

/** Up to a thousand writes of any resources in one request. */
export const batchRoute = ({ budgets }: Tracker): Route => ({
  id: 'RunBatch',
  tag: 'Batch',
  summary: 'Creates, changes, removes and restores rows of any resources, all or nothing or each for itself.',
  description:
    'Every rule and refusal is that of the single operation, under the same keys behind the index of the item: items[3].name. Two items may not do the same with one row. A batch is one transaction: what it answers is committed, and under an Idempotency-Key it may be sent again.',
  method: 'POST',
  path: '/ext/batch',
  changesAccounts: true,
  body: ref('Batch'),
  answer: ref('BatchResults'),
  refusals: [400, 403, 404, 409, 412],
  bodyBytesMax: budgetLimits.batchBodyBytes.max,
  turns: createFairQueue({
    atOnce: budgets.budget('batches'),
    atOncePerAccount: budgets.budget('batchesOfAccount'),
    waiting: budgets.budget('batchesWaiting'),
    waitingPerAccount: budgets.budget('batchesWaitingOfAccount'),
    patienceMilliseconds: patienceSeconds * 1000,
  }),
  async handle({ tracker, caller, request }) {
    const batch = readBatch(request.body)
    const outcomes = await runBatch(tracker, caller, batch, (items) => readVersions(tracker, caller, items))
    const resourceOf = (index: number) => batch.items[index]?.resource as Resource
    return { body: { results: outcomes.map((one) => showOutcome(one, resourceOf(one.index), caller)) } }
  },
})

function showOutcome({ refusal, row }: Outcome, resource: Resource, caller: Caller) {
  if (refusal) {
    const { kind, message, errors } = refusal
    return { statusCode: problemStatuses[kind], message, errors }
  }
  return { statusCode: 200, ...(row && { id: row.id, etag: tagOf(resource, caller, row) }) }
}

/** Of the items that came with tags. */
async function readVersions(
  tracker: Tracker,
  caller: Caller,
  items: readonly ReadyItem[],
): Promise<VersionsOf> {
  const withTags = items.filter(({ ifMatch }) => ifMatch !== undefined && ifMatch.trim() !== '*')
  const byResource = Map.groupBy(withTags, ({ resource }) => resource)
  const versions = await Promise.all(
    [...byResource].map(async ([resource, alike]): Promise<[Resource, RequiredVersions]> => {
      const wanted = new Map(alike.flatMap(({ ids, ifMatch = '' }) => ids.map((id) => [id, ifMatch])))
      return [resource, await readNamedVersions(tracker, resource, caller, wanted)]
    }),
  )
  return new Map(versions)
}
