// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { execSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const plain = 'http://127.0.0.1:5100'
const first = 'http://127.0.0.1:5110'
const second = 'http://127.0.0.1:5120'
const env = (name: string) => process.env[name] ?? ''
const problems: string[] = []
const require = (claim: string, isTrue: boolean) => {
  console.log(`${isTrue ? 'fine ' : 'WRONG'} ${claim}`)
  if (!isTrue) problems.push(claim)
}

const basic = Buffer.from(`robot:${env('Identity__ServiceClients__robot__Secret')}`).toString('base64')
const answer = await fetch('http://127.0.0.1:5200/connect/token', {
  method: 'POST',
  headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials',
})
const { access_token: token } = (await answer.json()) as { access_token: string }
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function send(url: string, body?: object) {
  const response = await fetch(url, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}
const write = (host: string, name: string) => send(`${host}/api/organization`, { name })
const find = async (host: string, name: string) => {
  const page = (await send(`${host}/api/organizations?search=${name}`)) as { result: { totalCount: number } }
  return page.result.totalCount
}
async function outcomes(host: string) {
  const text = await (await fetch(`${host}/metrics`)).text()
  const of = (name: string) =>
    Number(new RegExp(`store_standby_reads_total\\{outcome="${name}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  return {
    standby: of('standby'),
    behind: of('behind'),
    failed: of('failed'),
    unavailable: of('unavailable'),
  }
}
async function atStandby(statement: string) {
  const client = new pg.Client({ connectionString: 'postgresql://postgres@127.0.0.1:5433/postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}
async function untilStandbyIsUsed() {
  for (let tries = 0; tries < 100; tries += 1) {
    const before = (await outcomes(second)).standby
    await find(second, 'nothing')
    if ((await outcomes(second)).standby > before) return
    await sleep(200)
  }
  require('the standby is used', false)
}

async function countStaleReads(rounds: number) {
  let stale = 0
  for (let round = 0; round < rounds; round += 1) {
    const name = randomUUID()
    await write(first, name)
    if ((await find(second, name)) !== 1) stale += 1
  }
  return stale
}

await untilStandbyIsUsed()
require('200 writes through one host are seen at once through the other', (await countStaleReads(200)) === 0)
const outcomesOfReads = await outcomes(second)
console.log(`      of these reads: ${JSON.stringify(outcomesOfReads)}`)
await atStandby('select pg_wal_replay_pause()')
require('and also while the standby replays no WAL', (await countStaleReads(100)) === 0)

const live = await fetch(`${second}/api/organizations?pageSize=1`, {
  headers: { ...headers, accept: 'text/event-stream' },
})
const name = randomUUID()
await write(first, name)
let seen = ''
const deadline = Date.now() + 10_000
for await (const piece of live.body as unknown as AsyncIterable<Uint8Array>) {
  seen += Buffer.from(piece).toString()
  const events = seen.match(/"totalCount":(\d+)/g) ?? []
  if (events.length >= 2 || Date.now() > deadline) break
}
require('a live listing reports a change that the standby does not have yet', /totalCount.*totalCount/s.test(
  seen,
))
await atStandby('select pg_wal_replay_resume()')
await untilStandbyIsUsed()

let failed = 0
let sent = 0
let longest = 0
let isDone = false
const load = Array.from({ length: 8 }, async () => {
  while (!isDone) {
    const startedAt = performance.now()
    await find(second, 'agency').catch((error) => {
      failed += 1
      console.log(`      ${(error as Error).message}`)
    })
    sent += 1
    longest = Math.max(longest, performance.now() - startedAt)
  }
})
await sleep(2000)
execSync(env('STANDBY_STOP'))
await sleep(3000)
execSync(env('STANDBY_START'))
await sleep(3000)
const frozen = readFileSync(`${env('STANDBY_FOLDER')}/postmaster.pid`, 'utf8').split('\n')[0] ?? ''
const standbyProcesses = () => [Number(frozen), ...childrenOf(frozen)]
for (const pid of standbyProcesses()) process.kill(pid, 'SIGSTOP')
await sleep(4000)
for (const pid of standbyProcesses()) process.kill(pid, 'SIGCONT')
await sleep(2000)
isDone = true
await Promise.all(load)
require(`${sent} lists while the standby was killed, started and frozen: ${failed} failed`, failed === 0)
console.log(`      the longest took ${Math.round(longest)} ms; ${JSON.stringify(await outcomes(second))}`)
await untilStandbyIsUsed()

// Add so many rows that counting them costs time.
const primary = new pg.Client({ connectionString: env('DATABASE_URL') })
await primary.connect()
await primary.query(
  "insert into organizations (id, name) select gen_random_uuid(), 'Agency ' || number from generate_series(1, 5000) as number",
)
await primary.query('vacuum analyze organizations')
await primary.end()
await untilStandbyIsUsed()

/** Returns the CPU time of the primary in clock ticks of 10 ms, including ended processes. */
function primaryTicks(): number {
  const ticks = (pid: number | string, fields: readonly number[]) => {
    const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return fields.reduce((sum, field) => sum + Number(words[field - 3]), 0)
  }
  const own = ticks(env('PRIMARY'), [14, 15, 16, 17])
  return childrenOf(env('PRIMARY')).reduce((sum, pid) => sum + ticks(pid, [14, 15]), own)
}

function childrenOf(parent: string): number[] {
  return readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each))
    .filter((each) => {
      try {
        return readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === parent
      } catch {
        return false
      }
    })
    .map(Number)
}

async function readLists(host: string, count: number) {
  let left = count
  const readers = Array.from({ length: 3 }, async () => {
    while (left-- > 0) await send(`${host}/api/organizations?pageSize=30`)
  })
  await Promise.all(readers)
}

const rounds = 5
const listsPerRound = 200
const used = { plain: [] as number[], second: [] as number[] }
for (let round = 0; round < rounds; round += 1) {
  for (const { name, host } of [
    { name: 'plain', host: plain },
    { name: 'second', host: second },
  ] as const) {
    const before = primaryTicks()
    await readLists(host, listsPerRound)
    used[name].push((primaryTicks() - before) * 10)
  }
}
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
const costOf = (name: keyof typeof used) => (median(used[name]) * 1000) / listsPerRound
console.log(
  `CPU of the primary for 1,000 lists of 30 of 5,000 organizations: ${costOf('plain')} ms alone, ${costOf('second')} ms with a standby` +
    ` (${(costOf('plain') / costOf('second')).toFixed(1)} times less); ${JSON.stringify(await outcomes(second))}`,
)
process.exit(problems.length === 0 ? 0 : 1)
