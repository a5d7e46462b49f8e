// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs writers, readers of lists and rows, and a reader of the feed, until the last line of the file of
 * phases is "end". No request may fail. Every change must be delivered once, and its row must be readable by
 * then.
 */
const [phasesFile = ''] = process.argv.slice(2)
const phase = () => readFileSync(phasesFile, 'utf8').trim().split('\n').at(-1) ?? ''
const isDone = () => phase() === 'end'
const rest = `http://127.0.0.1:${process.env.REST_PORT}`
const identity = `http://127.0.0.1:${process.env.IDENTITY_PORT}`

const basic = Buffer.from(`robot:${process.env.Identity__ServiceClients__robot__Secret}`).toString('base64')
const answer = await fetch(`${identity}/connect/token`, {
  method: 'POST',
  headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials',
})
const { access_token: token } = (await answer.json()) as { access_token: string }

interface Row {
  readonly id: string
}
const failures = new Map<string, number>()
const milliseconds = new Map<string, number[]>()

async function ask<Result>(method: string, path: string, body?: object): Promise<Result | undefined> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(`${rest}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  }).catch((error: Error) => error)
  const key = `${phase()}: ${method} ${path.split('?')[0]}`
  milliseconds.set(key, [...(milliseconds.get(key) ?? []), performance.now() - startedAt])
  if (response instanceof Response && response.ok) {
    const found = (await response.json()) as Record<string, unknown>
    // A row is below its own name, a list below `result`, and an account at the top level.
    return (found.id ? found : Object.values(found)[0]) as Result
  }
  const why = response instanceof Response ? `${response.status} ${await response.text()}` : response.message
  failures.set(`${key} ${why}`, (failures.get(`${key} ${why}`) ?? 0) + 1)
  return undefined
}

const make = async (resource: string, body: object): Promise<string> => {
  const row = await ask<Row>('POST', `/api/${resource}`, body)
  if (!row) throw new Error(`There is no ${resource}: ${[...failures.keys()].join('\n')}`)
  return row.id
}

const { cursor: start } = (await ask<{ cursor: string }>('GET', '/ext/changes?after=now')) ?? { cursor: '' }
const person = await ask<Row>('GET', '/api/me')
const organizationId = await make('organization', { name: 'Organization' })
const projectId = await make('project', { name: 'Project', organizationId })
const workflowId = await make('workflow', { name: 'Stage', order: 1 })
const assignmentTypeId = await make('assignmentType', { name: 'Type' })
const userId = person?.id ?? ''

const acknowledged = new Set<string>()
const assignments: string[] = []
const record = (row: Row | undefined, resource: string, action: string) => {
  if (row) acknowledged.add(`${resource} ${row.id} ${action}`)
  return row
}
const timestamp = () => new Date(Date.UTC(2026, randomInt(12), 1 + randomInt(28))).toISOString()

async function write(): Promise<void> {
  while (!isDone()) {
    const startDate = timestamp()
    const assignment = record(
      await ask<Row>('POST', '/api/assignment', {
        name: randomUUID(),
        startDate,
        endDate: startDate,
        amountHours: 1,
        projectId,
        workflowId,
        userId,
        assignmentTypeId,
      }),
      'assignment',
      'create',
    )
    if (!assignment) continue
    const old = assignments[randomInt(Math.max(assignments.length, 1))] ?? assignment.id
    assignments.push(assignment.id)
    const hours = { keepDate: startDate, amountHours: 1, assignmentId: assignment.id, userId }
    const appointment = record(await ask<Row>('POST', '/api/appointment', hours), 'appointment', 'create')
    record(
      await ask<Row>('POST', '/ext/comment', { text: 'Done.', assignmentId: assignment.id, userId }),
      'comment',
      'create',
    )
    if (!appointment) continue
    const moved = { ...hours, id: appointment.id, assignmentId: old, amountHours: 2 }
    const isMoved = await ask('PATCH', '/api/appointment', moved)
    if (isMoved) record(appointment, 'appointment', 'update')
  }
}

async function read(): Promise<void> {
  while (!isDone()) {
    await ask('GET', `/api/assignments?pageSize=20&projectId=${projectId}`)
    const id = assignments[randomInt(Math.max(assignments.length, 1))]
    if (id) await ask('GET', `/api/assignment?id=${id}`)
    await sleep(20)
  }
}

interface Change {
  readonly id: string
  readonly resource: string
  readonly rowId: string
  readonly action: string
}
const reported = new Map<string, number>()
const seen = new Set<string>()
let notThere = 0

async function follow(): Promise<void> {
  let after = start
  for (let isLast = false; ; ) {
    const page = await ask<{ data: Change[]; cursor: string; hasMore: boolean }>(
      'GET',
      `/ext/changes?pageSize=100&after=${after}`,
    )
    if (!page) continue
    after = page.cursor
    for (const change of page.data) recordReported(change)
    for (const resource of ['assignment', 'comment']) await requireThere(resource, page.data)
    if (isLast && !page.hasMore) return
    isLast = areWritersDone
    if (page.data.length === 0) await sleep(20)
  }
}

function recordReported({ id, resource, rowId, action }: Change): void {
  reported.set(id, (reported.get(id) ?? 0) + 1)
  seen.add(`${resource} ${rowId} ${action}`)
}

/** Reads immediately, as clients do. A client that is notified too early reads once and misses the row. */
async function requireThere(resource: string, changes: readonly Change[]): Promise<void> {
  const made = changes.filter((change) => change.action === 'create' && change.resource === resource)
  if (made.length === 0) return
  const ids = made.map(({ rowId }) => rowId).join()
  const list = await ask<{ totalCount: number }>(
    'GET',
    `/${resource === 'comment' ? 'ext' : 'api'}/${resource}s?pageSize=1&ids=${ids}`,
  )
  if (list) notThere += made.length - list.totalCount
}

let areWritersDone = false
const writers = Promise.all([1, 2, 3, 4].map(write)).then(() => {
  areWritersDone = true
})
await Promise.all([writers, read(), read(), follow()])

const missed = [...acknowledged].filter((change) => !seen.has(change))
const twice = [...reported.values()].filter((count) => count > 1).length
const requests = [...milliseconds.values()].reduce((sum, values) => sum + values.length, 0)
console.log(`${requests} requests, ${[...failures.values()].reduce((sum, count) => sum + count, 0)} failed.`)
for (const [what, count] of failures) console.log(`  ${count} times ${what}`)
console.log(
  `${acknowledged.size} acknowledged changes: ${missed.length} not reported, ${twice} reported twice, ${notThere} reported before they could be read.`,
)
for (const change of missed.slice(0, 3)) console.log(`  not reported: ${change}`)
for (const [what, all] of [...milliseconds].sort()) {
  const sorted = all.sort((first, second) => first - second)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
  console.log(
    `${what}: ${sorted.length}, half in ${at(0.5)} ms, 99 of 100 in ${at(0.99)} ms, the longest ${(sorted.at(-1) ?? 0).toFixed(0)} ms`,
  )
}
if (failures.size + missed.length + twice + notThere > 0) process.exitCode = 1
