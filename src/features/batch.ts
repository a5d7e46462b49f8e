import { budgetLimits } from '../config/budgets.ts'
import { createFairQueue } from '../db/fair-queue.ts'
import { problemStatuses } from '../http/errors.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import {
  batchItemsMax,
  batchModes,
  batchOperations,
  labelCharactersMax,
  parseBatch,
} from '../records/batch/parse-batch.ts'
import { type ReadyItem, runBatch, type VersionsByResource } from '../records/batch/run-batch.ts'
import type { Context } from '../records/context.ts'
import type { RequiredVersions } from '../records/write-conditions.ts'
import type { Outcome } from '../records/write-many.ts'
import { resources } from '../resources/all.ts'
import type { Resource } from '../resources/define-resource.ts'
import { etagOf, type Route, readExpectedVersions } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

/** A batch that has waited for this long ends the batch whose body is most overdue, if any is. */
const patienceSeconds = 2

/** Runs up to a thousand writes of any resources in one request. */
export const batchRoute = ({ budgets }: Context): Route => ({
  id: 'RunBatch',
  tag: 'Batch',
  summary:
    'Creates, changes, removes and restores rows of any resources, either all or none, or each item independently.',
  description:
    'Every rule and error is that of the single operation, under the same keys prefixed with the index of the item: items[3].name. Two items must not perform the same action on one row. A batch is one transaction: a successful response means it is committed, and with an Idempotency-Key it may be sent again.',
  method: 'POST',
  path: '/ext/batch',
  changesAccounts: true,
  body: ref('Batch'),
  response: ref('BatchResults'),
  errors: [400, 403, 404, 409, 412],
  bodyBytesMax: budgetLimits.batchBodyBytes.max,
  queue: createFairQueue({
    atOnce: budgets.budget('batches'),
    atOncePerAccount: budgets.budget('batchesOfAccount'),
    waiting: budgets.budget('batchesWaiting'),
    waitingPerAccount: budgets.budget('batchesWaitingOfAccount'),
    patienceMilliseconds: patienceSeconds * 1000,
  }),
  async handle({ context, caller, request }) {
    const batch = parseBatch(request.body)
    const outcomes = await runBatch(context, caller, batch, (items) => readVersions(context, caller, items))
    const resourceOf = (index: number) => batch.items[index]?.resource as Resource
    return {
      body: {
        results: outcomes.map((outcome) => serializeOutcome(outcome, resourceOf(outcome.index), caller)),
      },
    }
  },
})

function serializeOutcome({ problem, row }: Outcome, resource: Resource, caller: Caller) {
  if (problem) {
    const { kind, message, errors } = problem
    return { statusCode: problemStatuses[kind], message, errors }
  }
  return { statusCode: 200, ...(row && { id: row.id, etag: etagOf(resource, caller, row) }) }
}

/** Reads the versions that the items with `ifMatch` require. */
async function readVersions(
  context: Context,
  caller: Caller,
  items: readonly ReadyItem[],
): Promise<VersionsByResource> {
  const withTags = items.filter(({ ifMatch }) => ifMatch !== undefined && ifMatch.trim() !== '*')
  const byResource = Map.groupBy(withTags, ({ resource }) => resource)
  const versions = await Promise.all(
    [...byResource].map(async ([resource, items]): Promise<[Resource, RequiredVersions]> => {
      const tags = new Map(items.flatMap(({ ids, ifMatch = '' }) => ids.map((id) => [id, ifMatch])))
      return [resource, await readExpectedVersions(context, resource, caller, tags)]
    }),
  )
  return new Map(versions)
}

export const batchSchemas: Readonly<Record<string, Schema>> = {
  Batch: {
    type: 'object',
    required: ['items'],
    properties: {
      mode: {
        type: 'string',
        enum: batchModes,
        default: 'allOrNothing',
        description:
          'allOrNothing: one rejected item rejects all, and nothing is written. eachForItself: rejected items are skipped, and their results say why.',
      },
      items: {
        type: 'array',
        items: ref('BatchItem'),
        minItems: 1,
        maxItems: batchItemsMax,
        description:
          'In any order. Restores are done first, then creates, then updates, parents before children, then removals, children before parents.',
      },
    },
  },
  BatchItem: {
    type: 'object',
    required: ['operation', 'resource', 'body'],
    properties: {
      operation: { type: 'string', enum: batchOperations, description: 'The action.' },
      resource: {
        type: 'string',
        enum: resources.map(({ name }) => name),
        description: 'The resource of the rows.',
      },
      body: {
        type: 'object',
        additionalProperties: true,
        examples: [{ name: 'Space agency' }],
        description:
          'The body of the single operation. In place of any id, @ and the label of another item refer to the row that item creates.',
      },
      label: {
        type: 'string',
        minLength: 1,
        maxLength: labelCharactersMax,
        pattern: '^[A-Za-z0-9_.-]+$',
        description: 'Only for a create: the label by which other items refer to its row.',
      },
      ifMatch: {
        type: 'string',
        description: 'Only for an update or a removal: the equivalent of If-Match in the single operation.',
      },
    },
  },
  BatchResults: {
    type: 'object',
    required: ['results'],
    properties: {
      results: {
        type: 'array',
        items: ref('BatchResult'),
        description: 'One for each item, in the order of the items.',
      },
    },
  },
  BatchResult: {
    type: 'object',
    required: ['statusCode'],
    properties: {
      statusCode: { type: 'integer', description: 'The status of the single operation.' },
      id: { ...uuid.schema, description: 'The id of the row that was created or changed.' },
      etag: { type: 'string', description: 'The ETag of that row, as returned when reading it by its id.' },
      message: { type: 'string', description: 'The error of the item.' },
      errors: {
        type: 'object',
        description: 'The errors by property, as in the single operation.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
  },
}
