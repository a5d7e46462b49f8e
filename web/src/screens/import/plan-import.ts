import { type BatchItem, limits } from '#tracker-client'
import { distinctNames, type ImportedItem, normalizeName } from './items.ts'
import type { Matching } from './matching.ts'
import { type ImportContext, idOf, type PlannedRow, planRow } from './plan-row.ts'

export interface ImportPlan {
  readonly rows: readonly PlannedRow[]
  /** The number of different labels in the file. */
  readonly labelCount: number
  /** The first batch has the labels, because rows refer to them. */
  readonly batches: readonly PlannedBatch[]
}

export interface PlannedBatch {
  readonly requests: readonly BatchItem[]
  /** The row of each request; undefined for labels. */
  readonly rows: readonly (PlannedRow | undefined)[]
}

/** Batches of this size are small enough that the progress bar moves. */
const batchItemsMax = 500
const batchCharactersMax = 1_000_000
/** The limit of the server. */
const labelsOfProjectMax = 200
/** The number of the row in the ids of labels. No file has as many rows. */
const labelRow = 0xffffff

/** Returns the id of a new label from its position among the labels of the file. */
export const labelIdOf = (runId: string, position: number): string => idOf(runId, labelRow, position)

/**
 * Plans the requests for each item. The same file, matching and context always lead to the same plan, so an
 * interrupted import can be continued.
 */
export function planImport(
  items: readonly ImportedItem[],
  matching: Matching,
  context: ImportContext,
): ImportPlan {
  const names = distinctNames(items.flatMap(({ labels }) => labels))
  const { labels, requests } = planLabels(names, context)
  const rows = items.map((item, position) => planRow(item, position, matching, { ...context, labels }))
  const accepted = rows.filter(({ problems }) => problems.length === 0)
  const labelBatch = { requests, rows: requests.map(() => undefined) }
  return { rows, labelCount: names.length, batches: [labelBatch, ...batchesOf(accepted)] }
}

/**
 * Plans the labels that the project lacks, and those that an interrupted import has created, so that the plan
 * stays the same.
 */
function planLabels(names: readonly string[], { labels: existing, runId, projectId }: ImportContext) {
  const labels = new Map(existing)
  const requests: BatchItem[] = []
  for (const [position, name] of names.entries()) {
    const id = labelIdOf(runId, position)
    const key = normalizeName(name)
    const isNew = !labels.has(key)
    if (isNew && ([...name].length > limits.labelName || labels.size >= labelsOfProjectMax)) continue
    if (isNew) labels.set(key, id)
    if (labels.get(key) === id)
      requests.push({ operation: 'create', resource: 'label', body: { id, name, color: 'gray', projectId } })
  }
  return { labels, requests }
}

/** Distributes the requests over batches. The requests of a row are in the same batch if they fit. */
function batchesOf(rows: readonly PlannedRow[]): readonly PlannedBatch[] {
  const batches: { requests: BatchItem[]; rows: PlannedRow[]; characters: number }[] = []
  const add = (requests: readonly BatchItem[], row: PlannedRow) => {
    const characters = JSON.stringify(requests).length
    const last = batches.at(-1)
    const fits =
      last !== undefined &&
      last.requests.length + requests.length <= batchItemsMax &&
      last.characters + characters <= batchCharactersMax
    const batch = fits ? last : { requests: [], rows: [], characters: 0 }
    if (!fits) batches.push(batch)
    batch.requests.push(...requests)
    batch.rows.push(...requests.map(() => row))
    batch.characters += characters
  }
  for (const row of rows)
    for (let from = 0; from < row.requests.length; from += batchItemsMax)
      add(row.requests.slice(from, from + batchItemsMax), row)
  return batches
}
