// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCommandCalls } from '../../support/command-calls.ts'

/**
 * Runs clients without retries on persistent connections through two proxies, until the last line of the file
 * of steps is "end". Readers of a live listing and of the feed reconnect when a host ends their stream, and
 * must have seen every created row.
 */
const [stepsFile = ''] = process.argv.slice(2)
const steps = () => (existsSync(stepsFile) ? readFileSync(stepsFile, 'utf8').trim().split('\n') : [''])
const isDone = () => steps().at(-1) === 'end'

interface Counted {
  requests: number
  readonly failures: string[]
  longest: number
}
const counts = new Map<string, Counted>()

async function count(kind: string, work: () => Promise<string | undefined>): Promise<void> {
  const counted = counts.get(kind) ?? { requests: 0, failures: [], longest: 0 }
  counts.set(kind, counted)
  const startedAt = performance.now()
  const failure = await work().catch((error: Error) => error.message)
  counted.requests += 1
  counted.longest = Math.max(counted.longest, performance.now() - startedAt)
  if (failure !== undefined) counted.failures.push(`${failure} (${steps().at(-1)})`)
}

// On a busy machine, a proxy and its hosts may pause for seconds. A slow response is no failure.
const requestMilliseconds = 60_000
const pauseMilliseconds = 25

function send(url: string, options: RequestOptions, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { timeout: requestMilliseconds, ...options }, resolve)
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('No answer.')))
    sent.end(body)
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer.setEncoding('utf8')) text += piece
  return text
}

async function exchange(url: string, options: RequestOptions, body?: string) {
  const answer = await send(url, options, body)
  const text = await textOf(answer)
  return {
    text,
    failure: answer.statusCode === 200 ? undefined : `${answer.statusCode} ${text.slice(0, 80)}`,
  }
}

const idIn = (text: string): string => JSON.parse(text).organization.id

const secret = process.env.Identity__ServiceClients__robot__Secret
const tokenRequest = {
  method: 'POST',
  headers: {
    authorization: `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
}
const tokenBody = 'grant_type=client_credentials'

/** A proxy has the ports of the hosts with another first digit. */
async function load(proxy: string, firstDigit: number, token: string): Promise<Seen> {
  const at = (port: number, path: string) => `http://127.0.0.1:${firstDigit * 1000 + port}${path}`
  const bearer = { authorization: `Bearer ${token}` }
  const json = { 'content-type': 'application/json' }
  const createdIds: string[] = []
  const clients: Promise<void>[] = []
  const client = (kind: string, work: (agent: Agent, turn: number) => Promise<string | undefined>) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    clients.push(
      (async () => {
        for (let turn = 0; !isDone(); turn += 1) {
          await count(`${proxy} ${kind}`, () => work(agent, turn))
          await sleep(pauseMilliseconds)
        }
        agent.destroy()
      })(),
    )
  }
  for (const _ of [1, 2]) {
    client('REST, reading', async (agent) => {
      return (await exchange(at(100, '/api/organizations?pageSize=5'), { agent, headers: bearer })).failure
    })
    client('REST, writing', async (agent) => {
      const name = randomUUID()
      const options = { agent, method: 'POST', headers: { ...bearer, ...json } }
      const { failure, text } = await exchange(
        at(100, '/api/organization'),
        options,
        JSON.stringify({ name }),
      )
      if (failure === undefined) createdIds.push(idIn(text))
      return failure
    })
    client('identity', async (agent, turn) => {
      if (turn % 4 > 0)
        return (await exchange(at(200, '/.well-known/openid-configuration'), { agent })).failure
      return (await exchange(at(200, '/connect/token'), { agent, ...tokenRequest }, tokenBody)).failure
    })
    client('web', async (agent) => (await exchange(at(400, '/'), { agent })).failure)
    client('bank', async (agent, turn) => {
      if (turn % 4 === 0) return (await exchange(at(999, '/clientes/2/extrato'), { agent })).failure
      const body = JSON.stringify({ valor: 1, tipo: 'c', descricao: 'rolling' })
      const options = { agent, method: 'POST', headers: json }
      return (await exchange(at(999, '/clientes/2/transacoes'), options, body)).failure
    })
    const calls = openCommandCalls(`127.0.0.1:${firstDigit * 1000 + 300}`, { 'grpc.enable_retries': 0 })
    client('commands', async (_agent, turn) => {
      const options = { token, deadline: new Date(Date.now() + requestMilliseconds) }
      const { code, details } =
        turn % 2 === 0
          ? await calls.call('ListOrganizations', { pagination: { pageSize: 5 } }, options)
          : await calls.call('CreateOrganization', { name: randomUUID() }, options)
      return code === 0 ? undefined : `${code} ${details}`
    })
  }
  const reader = { headers: { ...bearer, accept: 'text/event-stream' } }
  const listing = follow(`${proxy} live listing`, at(100, '/api/organizations?pageSize=1'), reader)
  const feed = follow(`${proxy} feed`, at(100, '/ext/changes?resource=organization'), reader)
  await Promise.all(clients)
  return { proxy, createdIds, listing, feed }
}

interface Seen {
  readonly proxy: string
  readonly createdIds: readonly string[]
  readonly listing: Followed
  readonly feed: Followed
}

interface Followed {
  text: string
  reconnections: number
}

/** Reads until the host ends the stream, then reconnects after the given time. Any other end is a failure. */
function follow(kind: string, url: string, { headers }: RequestOptions): Followed {
  const followed: Followed = { text: '', reconnections: 0 }
  let lastId = ''
  const read = async () => {
    const agent = new Agent({ keepAlive: false })
    const id = lastId === '' ? {} : { 'last-event-id': lastId }
    const answer = await send(url, { agent, timeout: 0, headers: { ...(headers as object), ...id } })
    if (answer.statusCode !== 200) return `${answer.statusCode} ${await textOf(answer)}`
    let rest = ''
    let last = ''
    const take = (block: string) => {
      last = block
      lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId
      if (/^data: /m.test(block)) followed.text += `${block}\n`
    }
    for await (const piece of answer.setEncoding('utf8')) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      blocks.forEach(take)
    }
    const retry = /^retry: (\d+)$/m.exec(last)?.[1]
    if (retry === undefined) return 'The stream ended without a retry time.'
    followed.reconnections += 1
    await sleep(Number(retry))
    return undefined
  }
  void (async () => {
    while (!isDone()) await count(kind, read)
  })()
  return followed
}

const { text } = await exchange('http://127.0.0.1:6200/connect/token', tokenRequest, tokenBody)
const token = JSON.parse(text).access_token as string
const results = await Promise.all([load('HAProxy,', 6, token), load('nginx,', 7, token)])
// Wait for the last events.
await sleep(3000)

let failures = 0
for (const [kind, { requests, failures: failed, longest }] of counts) {
  failures += failed.length
  console.log(`${kind}: ${requests} requests, ${failed.length} failed, the longest ${Math.round(longest)} ms`)
  for (const failure of failed.slice(0, 5)) console.log(`  ${failure}`)
}
const createdIds = results.flatMap((each) => each.createdIds)
for (const { proxy, listing, feed } of results) {
  const missed = createdIds.filter((id) => !feed.text.includes(id)).length
  const total = Number(/.*"totalCount":(\d+)/.exec(listing.text.trim().split('\n').at(-1) ?? '')?.[1])
  failures += missed
  if (!(total >= createdIds.length)) failures += 1
  console.log(
    `${proxy} feed: ${createdIds.length - missed} of ${createdIds.length} rows seen, ${missed} missed, reconnected ${feed.reconnections} times;` +
      ` live listing: ${total} rows at the end, reconnected ${listing.reconnections} times`,
  )
}
process.exit(failures === 0 ? 0 : 1)
