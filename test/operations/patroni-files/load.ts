// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { followFeed } from './follow-feed.ts'

/**
 * Runs writers of the tracker and the bank until the last line of the file of faults is "end". Then every
 * acknowledged write must be stored exactly once, and the feed must have reported each change once. Requests
 * for organizations have an Idempotency-Key and are retried. Transactions of the bank are sent once.
 */
const [faultsFile = ''] = process.argv.slice(2)
const faults = () =>
  existsSync(faultsFile) ? readFileSync(faultsFile, 'utf8').trim().split('\n') : ['before the first fault']
const isDone = () => faults().at(-1) === 'end'

const requestMilliseconds = 5000

async function send(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(requestMilliseconds)
  return fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined)
}

/**
 * Matches a closed connection, the errors of a tracker without a store, and the 422 that the bank's contract
 * prescribes for errors of the database. A few requests that were being committed when the store ended may
 * also get a 500, because their outcome is unknown.
 */
const expectedErrors = /: no answer|^tracker, [^:]*: (409|429|503) |^bank, [^:]*: 422 \{"erro"/
/** The number of other responses, by the fault during which they came. They must not be client errors. */
const rejections = new Map<string, number>()
async function recordRejection(host: string, answer: Response | undefined) {
  const response = answer
    ? `${answer.status} ${(await answer.text().catch(() => '')).slice(0, 160)}`
    : 'no answer'
  const key = `${host}, ${faults().at(-1)}: ${response}`
  rejections.set(key, (rejections.get(key) ?? 0) + 1)
}

const gaps = new Map<string, number>()
const writer = (name: string) => {
  let acknowledgedAt = performance.now()
  return () => {
    const gap = (performance.now() - acknowledgedAt) / 1000
    acknowledgedAt = performance.now()
    const key = `${name}, ${faults().at(-1)}`
    gaps.set(key, Math.max(gap, gaps.get(key) ?? 0))
  }
}
const recordTracker = writer('tracker')
const recordBank = writer('bank')

async function readToken(): Promise<string> {
  const basic = Buffer.from(`robot:${process.env.Identity__ServiceClients__robot__Secret}`).toString('base64')
  const answer = await fetch('http://127.0.0.1:5200/connect/token', {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

const organizations: string[] = []
const unanswered = { tracker: 0, bank: 0 }

async function writeOrganizations(token: string) {
  while (!isDone()) {
    const name = randomUUID()
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    for (;;) {
      const answer = await send('http://127.0.0.1:5100/api/organization', headers, JSON.stringify({ name }))
      if (answer?.status === 200) break
      unanswered.tracker += 1
      await recordRejection('tracker', answer)
      await sleep(50)
      if (isDone()) return
    }
    recordTracker()
    organizations.push(name)
  }
}

const transactions: string[] = []

async function writeTransactions() {
  const headers = { 'content-type': 'application/json' }
  while (!isDone()) {
    const descricao = randomUUID().replaceAll('-', '').slice(0, 10)
    const body = JSON.stringify({ valor: 1, tipo: 'c', descricao })
    const answer = await send('http://127.0.0.1:9999/clientes/3/transacoes', headers, body)
    if (answer?.status === 200) {
      transactions.push(descricao)
      recordBank()
    } else {
      unanswered.bank += 1
      await recordRejection('bank', answer)
      await sleep(50)
    }
  }
}

const token = await readToken()
const writers = [1, 2, 3, 4]
const [reported] = await Promise.all([
  followFeed(token, isDone),
  ...writers.map(() => writeOrganizations(token)),
  ...writers.map(() => writeTransactions()),
])

const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
await client.connect()
const namesOf = async (statement: string) =>
  (await client.query<{ name: string }>(statement)).rows.map(({ name }) => name)
const stored = {
  organizations: await namesOf('select name from organizations'),
  transactions: await namesOf('select description as name from bank.ledger'),
  changes: await namesOf(
    "select sequence::text as name from history where resource = 'organization' and action = 'create'",
  ),
}
const [account] = (
  await client.query(
    'select balance = (select sum(amount) from bank.ledger where account_id = 3) as fits from bank.account where id = 3',
  )
).rows
await client.end()

const problems: string[] = []
const check = (what: string, acknowledged: readonly string[], found: readonly string[]) => {
  const there = new Set(found)
  const lost = acknowledged.filter((name) => !there.has(name)).length
  console.log(
    `${what}: ${acknowledged.length} acknowledged, ${lost} lost, ${found.length - there.size} twice.`,
  )
  if (lost > 0 || there.size < found.length || acknowledged.length === 0) problems.push(what)
}
check(
  'Organizations',
  organizations,
  stored.organizations.filter((name) => /^[0-9a-f-]{36}$/.test(name)),
)
check('Transactions', transactions, stored.transactions)
const reportedOnce = new Set(reported)
const missed = stored.changes.filter((id) => !reportedOnce.has(id)).length
console.log(
  `Changes: ${stored.changes.length} stored, ${missed} of them missed by the feed, ${reported.length - reportedOnce.size} reported twice.`,
)
if (missed > 0 || reportedOnce.size < reported.length)
  problems.push('The feed missed a change or reported one twice.')
if (account?.fits !== true) problems.push('The balance is not the sum of the ledger.')
console.log(
  `Requests that failed meanwhile: ${unanswered.tracker} of the tracker, ${unanswered.bank} of the bank.`,
)
for (const [rejection, count] of rejections) {
  console.log(`${count} times ${rejection}`)
  const isUnknownCommit = / 500 /.test(rejection) && count <= 2 * writers.length
  if (!isUnknownCommit && !expectedErrors.test(rejection)) problems.push(`Unexpected response: ${rejection}`)
}
for (const [when, seconds] of gaps)
  console.log(`Longest wait for an acknowledgement (${when}): ${seconds.toFixed(1)} s`)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
