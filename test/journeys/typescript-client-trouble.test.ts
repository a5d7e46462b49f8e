import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { openTracker, TrackerError, type TrackerOptions } from '../../clients/typescript/src/tracker.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

type Fetch = typeof fetch

describe('The TypeScript client on a bad connection', () => {
  const budgets = openBudgets()
  let pauses: number[]
  const open = (send: Fetch, options: Partial<TrackerOptions> = {}) => {
    pauses = []
    return openTracker({
      address: rest.address,
      token: rest.administrator.token,
      fetch: send,
      pause: async (milliseconds) => void pauses.push(milliseconds),
      ...options,
    })
  }
  /** Executes the first `count` requests but loses their responses. Passes on all later ones. */
  const losing = (count: number, lose: (response: Response) => Response | Promise<Response>): Fetch => {
    let lost = 0
    return async (url, init) => {
      const response = await fetch(url, init)
      if (lost >= count) return response
      lost += 1
      return lose(response)
    }
  }
  const vanish = async (response: Response): Promise<Response> => {
    await response.body?.cancel()
    throw new TypeError('fetch failed')
  }
  const statusOf = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: unknown) => (error instanceof TrackerError ? error.status : error),
    )
  const countOf = async (name: string) =>
    (await open(fetch).organizations.query({ filter: `name eq '${name}'`, count: true })).totalCount

  const untilAllListingsAreClosed = () => {
    const held = () => budgets.states().find(({ name }) => name === 'liveListings')?.used
    return until(() => held() === 0, 'the listings to be closed')
  }

  const rest = fixture(startRestUnderTest, {}, { budgets })

  test('creates a row once, although the first two responses are lost', async () => {
    const tracker = open(losing(2, vanish))
    const { id } = await tracker.organizations.create({ name: 'Once' })
    assert.equal(await countOf('Once'), 1)
    assert.equal((await tracker.organizations.get(id)).name, 'Once')
  })

  test('waits longer before each further attempt', async () => {
    const tracker = open(losing(3, vanish))
    await tracker.impediments.list()
    assert.equal(pauses.length, 3)
    for (const [index, pause] of pauses.entries())
      assert.ok(pause >= 100 * 2 ** index && pause <= 200 * 2 ** index, `${pause} ms`)
  })

  test('gives up after its retries', async () => {
    const tracker = open(losing(4, vanish))
    assert.equal(await statusOf(tracker.impediments.list()), 0)
    assert.equal(await statusOf(open(losing(1, vanish), { retries: 0 }).impediments.list()), 0)
  })

  test('does not retry requests that could be executed twice', async () => {
    const { id } = await open(fetch).organizations.create({ name: 'Kept' })
    assert.equal(await statusOf(open(losing(1, vanish)).organizations.update({ id, name: 'Kept' })), 0)
    assert.equal(await statusOf(open(losing(1, vanish)).organizations.remove([id])), 0)
    const keyless = open(losing(1, vanish), { idempotencyKeys: false })
    assert.equal(await statusOf(keyless.organizations.create({ name: 'Perhaps' })), 0)
    assert.equal(await countOf('Perhaps'), 1)
    assert.deepEqual(pauses, [])
  })

  /** A response that is cut off after this text. */
  const cutAfter = (text: string) => (response: Response) =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        pull: (controller) => controller.error(new TypeError('terminated')),
      }),
      { status: response.status, headers: { 'content-type': 'application/json' } },
    )

  test('retries a request whose response was cut off', async () => {
    const tracker = open(losing(1, cutAfter('{"result":')))
    assert.equal((await tracker.organizations.list()).pageNumber, 1)
  })

  test('does not retry a request whose complete response is not JSON', async () => {
    const broken = () => new Response('{"result":', { headers: { 'content-type': 'application/json' } })
    assert.equal(await statusOf(open(losing(1, broken)).organizations.list()), 200)
    assert.deepEqual(pauses, [])
  })

  test('throws an error for an export that was cut off', async () => {
    const rows = open(losing(1, cutAfter('{"name":"Whole"}\n{"na'))).impediments.export()
    assert.equal((await rows.next()).value?.name, 'Whole')
    assert.equal(await statusOf(rows.next()), 0)
  })

  test('retries any request after the requested time', async () => {
    const busy = (seconds: string) => () =>
      new Response('{"statusCode":429,"message":"Busy."}', {
        status: 429,
        headers: { 'retry-after': seconds },
      })
    const rejecting = (seconds: string): Fetch => {
      let isFirst = true
      return async (url, init) => {
        if (!isFirst) return fetch(url, init)
        isFirst = false
        return busy(seconds)()
      }
    }
    const { id } = await open(fetch).organizations.create({ name: 'Late' })
    await open(rejecting('7')).organizations.update({ id, name: 'Later' })
    assert.deepEqual(pauses, [7000])
    assert.equal(await statusOf(open(rejecting('31')).organizations.list()), 429)
  })

  test("follows the program's own rule for retries", async () => {
    const calls: unknown[] = []
    const retryAfter: TrackerOptions['retryAfter'] = ({ status }, { method, path }, tries) => {
      calls.push([status, method, path, tries])
      return tries === 0 ? 1234 : undefined
    }
    const path = '/api/organizations'
    assert.equal(await statusOf(open(losing(9, vanish), { retryAfter }).organizations.list()), 0)
    assert.deepEqual(calls, [
      [0, 'GET', path, 0],
      [0, 'GET', path, 1],
    ])
    assert.deepEqual(pauses, [1234])
    const once = open(losing(1, vanish), { retryAfter })
    assert.equal(await statusOf(once.organizations.list({}, { retries: 0 })), 0)
    assert.deepEqual([calls.length, pauses.length], [2, 0])
  })

  test('throws the errors that the program maps them to, once it gives up', async () => {
    const mapError = ({ status, message, errors }: TrackerError) =>
      new TrackerError(status, `Oh: ${message}`, { errors })
    const lost = open(losing(4, vanish), { mapError }).impediments.list()
    await assert.rejects(lost, { status: 0, message: 'Oh: The server did not answer.' })
    const wrong = open(fetch, { mapError }).organizations.create({ name: ' ' })
    await assert.rejects(wrong, { status: 400, errors: { name: ['Name is required.'] }, message: /^Oh: / })
    const watch = open(fetch, { mapError, token: 'wrong' }).connect('GET /api/workflows')
    await assert.rejects(watch.next(), { status: 401, message: /^Oh: / })
  })

  test('calls operations that need no token without one', async () => {
    const { address } = rest
    const stranger = openTracker({ address })
    const call = stranger.call('POST /ext/invitations/read', { body: { secret: 'none' } })
    assert.equal(await statusOf(call), 410)
    assert.equal(await statusOf(stranger.organizations.list()), 401)
  })

  test('does not retry rejected requests', async () => {
    const tracker = open(fetch)
    assert.equal(await statusOf(tracker.organizations.get('no')), 400)
    assert.deepEqual(pauses, [])
  })

  test('stops at once when its caller does', async () => {
    const caller = new AbortController()
    const never: Fetch = (_, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const call = open(never).organizations.list({}, { signal: caller.signal })
    caller.abort(new Error('Enough.'))
    await assert.rejects(call, { message: 'Enough.' })
  })

  test('aborts an attempt that takes too long', async () => {
    let tries = 0
    const slowFirst: Fetch = (url, init) => {
      tries += 1
      // The time limit of the second attempt would be too short for a busy machine.
      if (tries > 1) return fetch(url, { ...init, signal: null })
      return new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      )
    }
    // The timer of the client does not keep the process running while the test waits.
    const keepAlive = setInterval(() => undefined, 1000)
    await open(slowFirst).organizations.list({}, { withinMilliseconds: 1500 })
    assert.equal(tries, 2)
    tries = 0
    await open(slowFirst, { withinMilliseconds: 1500 }).organizations.list()
    clearInterval(keepAlive)
    assert.equal(tries, 2)
  })

  test('keeps a live listing open over lost connections', async () => {
    const connections: AbortController[] = []
    const breakable: Fetch = (url, init) => {
      const connection = new AbortController()
      connections.push(connection)
      return fetch(url, {
        ...init,
        signal: AbortSignal.any([connection.signal, init?.signal as AbortSignal]),
      })
    }
    const tracker = open(breakable)
    const writer = open(fetch)
    const pages: (string | undefined)[] = []
    const lost: unknown[] = []
    const options = { onReconnect: (reason: unknown) => lost.push(reason) }
    for await (const page of tracker.workflows.live({ sortColumn: 'name' }, options)) {
      pages.push(page.data.map(({ name }) => name).join())
      if (pages.length === 1) await writer.workflows.create({ name: 'A', order: 1 })
      if (pages.length === 2) {
        connections[0]?.abort()
        await writer.workflows.create({ name: 'B', order: 2 })
      }
      if (page.totalCount === 2) break
    }
    assert.deepEqual([pages[0], pages[1], pages.at(-1)], ['', 'A', 'A,B'])
    assert.deepEqual([connections.length, lost.length], [2, 1])
    await untilAllListingsAreClosed()
  })

  test('continues a listing after the id of an earlier event', async () => {
    const resumed: unknown[] = []
    const recordingFetch: Fetch = (url, init) => {
      resumed.push(new Headers(init?.headers).get('last-event-id'))
      return fetch(url, init)
    }
    const [tracker, writer] = [open(recordingFetch), open(fetch)]
    await writer.savedViews.create({ name: 'Mine', list: 'projects' })
    const known = tracker.savedViews.connect()
    const { value: first } = await known.next()
    await known.return()
    assert.equal(first?.answer.totalCount, 1)
    const end = new AbortController()
    const options = { lastEventId: first?.id ?? '', signal: end.signal }
    const next = tracker.connect('GET /ext/savedViews', { query: {} }, options)
    const nextPage = next.next()
    await writer.savedViews.create({ name: 'Mine too', list: 'projects' })
    const { value: changed } = await nextPage
    assert.equal(changed?.answer.result.totalCount, 2)
    assert.deepEqual(resumed, [null, first?.id])
    assert.notEqual(changed?.id, first?.id)
    end.abort()
    await assert.rejects(next.next(), { name: 'AbortError' })
    await untilAllListingsAreClosed()
  })

  test('ends a feed whose signal is aborted before the first response', async () => {
    const end = new AbortController()
    const never: typeof fetch = (_, init) => {
      queueMicrotask(() => end.abort())
      return new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      )
    }
    const feed = open(never).changes({ after: 'now' }, { signal: end.signal })
    assert.deepEqual(await feed.next(), { done: true, value: undefined })
  })

  test('follows a query and a report like a list', async () => {
    const tracker = open(fetch)
    const end = new AbortController()
    const totals: number[] = []
    const report = tracker.follow(
      'GET /ext/reports/assignments',
      { query: { groupBy: 'project' } },
      { signal: end.signal },
    )
    for await (const { result } of report) {
      totals.push(result.total.assignments)
      end.abort()
    }
    assert.deepEqual(totals, [0])
    for await (const { data } of tracker.organizations.liveQuery({
      filter: "name eq 'Once'",
      fields: ['name'],
    })) {
      assert.deepEqual(
        data.map(({ name }) => name),
        ['Once'],
      )
      break
    }
  })

  test('throws the error that rejects a live listing', async () => {
    const { token } = await rest.signUp()
    const watch = async (options: Partial<TrackerOptions>) => {
      for await (const _ of open(fetch, options).users.live()) assert.fail('Nothing can be seen.')
    }
    assert.equal(await statusOf(watch({ token })), 403)
    assert.equal(await statusOf(watch({ token: 'wrong' })), 401)
  })

  test('replaces a connection that has become silent', async () => {
    let opened = 0
    const silent = createServer((_, response) => {
      opened += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (opened === 1) response.write(': here\n\n')
      else response.write('id: 1\nevent: listing\ndata: {"result":{"data":[],"totalCount":0}}\n\n')
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    try {
      for await (const page of open(fetch, { address }).workflows.live({}, { silenceMilliseconds: 200 })) {
        assert.equal(page.totalCount, 0)
        break
      }
      // On a busy machine, the second connection may be silent for too long as well.
      assert.ok(opened >= 2)
    } finally {
      silent.closeAllConnections()
      await new Promise((resolve) => silent.close(resolve))
    }
  })
})
