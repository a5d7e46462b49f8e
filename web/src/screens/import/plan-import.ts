import { type BatchItem, limits } from '#tracker-client'
import { t } from '../../texts/text.ts'
import { parseDay, parseHours, parsePriority } from './cells.ts'
import type { IdsByName, Matching } from './matching.ts'
import { distinctNames, type ImportedComment, type ImportedItem, normalizeName } from './read-file.ts'

export interface ImportPlan {
  readonly rows: readonly PlannedRow[]
  /** The number of different labels in the file. */
  readonly labelCount: number
  /** The first batch has the labels, because rows refer to them. */
  readonly batches: readonly PlannedBatch[]
}

export interface PlannedBatch {
  readonly requests: readonly BatchItem[]
  /** The row of each request. Undefined for labels. */
  readonly rows: readonly (PlannedRow | undefined)[]
}

/** Batches of this size are small enough that the progress bar moves. */
const batchItemsMax = 500
const batchCharactersMax = 1_000_000
/** The limit of the server. */
const labelsOfProjectMax = 200
/** Stands for the row in the ids of labels. No file has so many rows. */
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
 * Plans the labels that the project lacks. Labels that an interrupted import has created are included, so
 * that the plan stays the same.
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

/** The project, the user and the defaults for which an import is planned. */
interface ImportContext {
  readonly projectId: string
  /** The ids of all new records begin with the first 24 characters of this UUID. */
  readonly runId: string
  /** Replaces a missing start or end. */
  readonly defaultDay: string
  readonly caller: { readonly id: string; readonly isAdministrator: boolean }
  /** The ids of the project's labels by normalized name. */
  readonly labels: ReadonlyMap<string, string>
  /** The keys from the file that assignments of the project already have. */
  readonly existingKeys: ReadonlySet<string>
}

export interface PlannedRow {
  readonly item: ImportedItem
  readonly values: RowValues
  /** The reasons why the row is not imported. */
  readonly problems: readonly string[]
  readonly requests: readonly BatchItem[]
  /** The positions of the recorded hours in `requests`. `idOf` has them as `child`. */
  readonly appointmentPositions: readonly number[]
}

interface RowValues {
  readonly name: string
  readonly workflowId: string
  readonly assignmentTypeId: string
  readonly userId: string
  readonly isUnassigned: boolean
  readonly startDate: string
  readonly endDate: string
  readonly isUnscheduled: boolean
  readonly amountHours: number
  readonly priority: number | undefined
}

/** The limits of the server. */
const labelsOfAssignmentMax = 20
const hoursMax = 1_000_000

/**
 * Returns the id of a new record. It consists of the first 24 characters of the run's UUID, the row and a
 * number within the row. So a run can be continued or undone without requesting the ids.
 */
export const idOf = (runId: string, row: number, child = 0): string =>
  `${runId.slice(0, 24)}${(row * 0x1000000 + child).toString(16).padStart(12, '0')}`

/** Plans the requests for one row. The functions that parse its values append errors to `problems`. */
function planRow(
  item: ImportedItem,
  position: number,
  matching: Matching,
  context: ImportContext,
): PlannedRow {
  const problems: string[] = []
  const values = valuesOf(item, matching, context, problems)
  const work = workOf(item, values, matching, context, problems)
  problems.push(...labelProblems(item, context))
  const reference = item.reference.trim().toUpperCase()
  if (context.existingKeys.has(reference))
    problems.push(
      t('{key} is in this project. To import it again, leave out the column with the keys.', {
        key: reference,
      }),
    )
  const [description, ...continuations] = splitText(item.description, limits.description)
  const comments = item.comments.flatMap((comment) => commentsOf(comment, matching))
  const workContinuations = item.work.flatMap(({ person: author, date, text }) => {
    const [, ...rest] = splitText(text, limits.description)
    return rest.length === 0 ? [] : commentsOf({ author, date, text: rest.join('\n') }, matching)
  })
  const children: readonly Pick<BatchItem, 'resource' | 'body'>[] = [
    ...peopleOf(item, matching)
      .slice(1)
      .map((userId) => ({ resource: 'userAssignment' as const, body: { userId } })),
    ...distinctNames(item.labels).map((label) => ({
      resource: 'assignmentLabel' as const,
      body: { labelId: context.labels.get(normalizeName(label)) },
    })),
    ...[...continuations, ...comments].map(commentWith),
    ...work.map((body) => ({ resource: 'appointment' as const, body })),
    ...workContinuations.map(commentWith),
  ]
  const assignmentId = idOf(context.runId, position)
  const requests = [
    { resource: 'assignment', body: { ...values, projectId: context.projectId, description } } as const,
    ...children.map(({ resource, body }) => ({ resource, body: { ...body, assignmentId } })),
  ].map(
    ({ resource, body }, child): BatchItem => ({
      operation: 'create',
      resource,
      body: { ...body, id: idOf(context.runId, position, child) },
    }),
  )
  const appointmentPositions = requests.flatMap(({ resource }, child) =>
    resource === 'appointment' ? [child] : [],
  )
  return { item, values, problems, requests, appointmentPositions }
}

const commentWith = (text: string) => ({ resource: 'comment', body: { text } }) as const

function valuesOf(
  item: ImportedItem,
  matching: Matching,
  context: ImportContext,
  problems: string[],
): RowValues {
  const name = item.name.trim()
  if (name === '') problems.push(t('The name is missing.'))
  if ([...name].length > limits.name)
    problems.push(t('The name is longer than {max} characters.', { max: limits.name }))
  // Empty if no one is responsible.
  const personId = peopleOf(item, matching)[0] ?? matching.defaultPerson
  return {
    name,
    workflowId: findMatch(matching.stages, item.stage) ?? matching.defaultStage,
    assignmentTypeId: findMatch(matching.types, item.type) ?? matching.defaultType,
    // The server requires a person and dates. The flags `isUnassigned` and `isUnscheduled` mark placeholders.
    userId: personId === '' ? context.caller.id : personId,
    isUnassigned: personId === '',
    ...datesOf(item, matching, context, problems),
    amountHours: item.estimate === '' ? 0 : (hoursOf(item.estimate, problems) ?? 0),
    priority: parsePriority(item.priority),
  }
}

function datesOf(item: ImportedItem, matching: Matching, { defaultDay }: ImportContext, problems: string[]) {
  const start = dayOf(item.start, matching, problems)
  const end = dayOf(item.end, matching, problems)
  // A missing day is the day of the import, unless the period would then end before it starts.
  const startDate = start ?? (end !== undefined && isAfter(defaultDay, end) ? end : defaultDay)
  const endDate = end ?? (isAfter(startDate, defaultDay) ? startDate : defaultDay)
  if (isAfter(startDate, endDate)) problems.push(t('The end is before the start.'))
  return { startDate, endDate, isUnscheduled: start === undefined && end === undefined }
}

const isAfter = (day: string, reference: string): boolean => day > reference

/** Returns the ids of the people that are matched, each once. */
const peopleOf = ({ people }: ImportedItem, matching: Matching): readonly string[] => [
  ...new Set(people.flatMap((person) => findMatch(matching.people, person) ?? [])),
]

/** The id of a name is empty if the user left it unmatched, and missing if the user was not asked. */
const findMatch = (ids: IdsByName, name: string): string | undefined => ids[normalizeName(name)] || undefined

function workOf(
  item: ImportedItem,
  values: RowValues,
  matching: Matching,
  { caller }: ImportContext,
  problems: string[],
) {
  const defaultUserId = matching.defaultPerson === '' ? caller.id : matching.defaultPerson
  const work = item.work.map(({ person, date, hours, text }) => ({
    userId: person === '' ? values.userId : (findMatch(matching.people, person) ?? defaultUserId),
    keepDate: dayOf(date, matching, problems) ?? values.endDate,
    amountHours: hoursOf(hours, problems),
    description: splitText(text, limits.description)[0] ?? '',
  }))
  if (!caller.isAdministrator && work.some(({ userId }) => userId !== caller.id))
    problems.push(t('Only administrators can record hours for others.'))
  if (work.some(({ amountHours }) => amountHours === 0))
    problems.push(t('Recorded hours must be more than 0.'))
  return work
}

function labelProblems({ labels }: ImportedItem, context: ImportContext): readonly string[] {
  const names = distinctNames(labels)
  return [
    ...(names.length > labelsOfAssignmentMax
      ? [t('The row has more than {max} labels.', { max: labelsOfAssignmentMax })]
      : []),
    // Missing labels are planned before the rows. One that still has no id could not be planned.
    ...names
      .filter((name) => !context.labels.has(normalizeName(name)))
      .map((label) => t('The label “{label}” is too long, or the project has too many labels.', { label })),
  ]
}

function dayOf(text: string, { dateOrder }: Matching, problems: string[]): string | undefined {
  const day = text === '' ? undefined : parseDay(text, dateOrder)
  if (text !== '' && day === undefined) problems.push(t('“{text}” is not a date.', { text }))
  return day
}

function hoursOf(text: string, problems: string[]): number | undefined {
  const hours = parseHours(text)
  if (hours === undefined) problems.push(t('“{text}” is not a number of hours.', { text }))
  else if (hours > hoursMax) problems.push(t('“{text}” is more than {max} hours.', { text, max: hoursMax }))
  return hours
}

const commentsOf = (comment: ImportedComment, matching: Matching): readonly string[] =>
  splitText(commentText(comment, matching), limits.text)

/** Adds a first line with author and date, because the server records the author and date of the import. */
function commentText({ author, date, text }: ImportedComment, { dateOrder }: Matching): string {
  const head = [author, parseDay(date, dateOrder) ?? date].filter((part) => part !== '').join(', ')
  return head === '' ? text : `**${head}:**\n\n${text}`
}

/** Splits a text that is longer than the limit, if possible at the end of a line. */
function splitText(text: string, charactersMax: number): readonly string[] {
  const characters = [...text.trim()]
  if (characters.length <= charactersMax) return characters.length === 0 ? [] : [characters.join('')]
  const lineEnd = characters.slice(0, charactersMax).lastIndexOf('\n')
  const end = lineEnd > charactersMax / 2 ? lineEnd : charactersMax
  return [characters.slice(0, end).join(''), ...splitText(characters.slice(end).join(''), charactersMax)]
}
