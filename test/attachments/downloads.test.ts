import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { pathOfFile } from '../../src/features/attachments/file-store.ts'
import { makeToken } from '../support/api-tokens.ts'
import { attachmentScene, type Download, png, sha256 } from '../support/attachment-scene.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { until } from '../support/until.ts'

const digits = '0123456789'
const mebibyte = 1024 ** 2

const envelopeOf = ({ bytes }: Download) => JSON.parse(String(bytes))

/** Requested ranges, with the status, the part and the Content-Range of the response. */
const ranges: readonly (readonly [
  range: string,
  status: number,
  part: string,
  contentRange: string | null,
])[] = [
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
  ['bytes=7-', 206, '789', 'bytes 7-9/10'],
  ['bytes=-2', 206, '89', 'bytes 8-9/10'],
  ['bytes=9-9', 206, '9', 'bytes 9-9/10'],
  ['bytes=5-1000', 206, '56789', 'bytes 5-9/10'],
  ['bytes=-1000', 206, digits, 'bytes 0-9/10'],
  [`bytes=0-${'9'.repeat(400)}`, 206, digits, 'bytes 0-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  [`bytes=${'9'.repeat(400)}-`, 416, '', 'bytes */10'],
  // Several ranges could request the same bytes a thousand times.
  ['bytes=0-1,4-5', 200, digits, null],
  [`bytes=${Array(1000).fill('0-').join(',')}`, 200, digits, null],
  ['bytes=3-1', 200, digits, null],
  ['bytes=-', 200, digits, null],
  ['bytes=a-b', 200, digits, null],
  ['lines=0-1', 200, digits, null],
]

describe('A file', () => {
  const scene = fixture(attachmentScene, { LOG_LEVEL: 'fatal' })

  test('that is an image may be shown in a page', async () => {
    const { id } = await scene.attach(png, { name: 'sketch.png' })
    const { status, headers, bytes } = await scene.download(id)
    assert.deepEqual([status, bytes], [200, png])
    const expected = {
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': `inline; filename="sketch.png"; filename*=UTF-8''sketch.png`,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${sha256(png)}"`,
    }
    const found = Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))
    assert.deepEqual(found, expected)
    assert.match(headers.get('vary') ?? '', /Authorization/)
  })

  for (const [what, file] of [
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
  ] as const)
    test(`that is ${what} is downloaded as text`, async () => {
      const headers = { 'content-type': 'image/png' }
      const { id } = await scene.attach(file, { name: 'picture.png', headers })
      const answer = await scene.download(id)
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment;/)
    })

  test('is sent with its name in two forms', async () => {
    const names = [
      [`Grüße "50%" (1).txt`, `Gr__e _50__ (1).txt`, `Gr%C3%BC%C3%9Fe%20%2250%25%22%20%281%29.txt`],
      [`it's; filename=x 😀`, `it's; filename=x _`, `it%27s%3B%20filename%3Dx%20%F0%9F%98%80`],
    ] as const
    for (const [name, replacement, encoded] of names) {
      const { id } = await scene.attach('x', { name })
      const { headers } = await scene.download(id)
      const disposition = `attachment; filename="${replacement}"; filename*=UTF-8''${encoded}`
      assert.equal(headers.get('content-disposition'), disposition)
    }
  })

  test('has its new name after it was renamed', async () => {
    const { id, updatedAt: _, ...unchanged } = await scene.attach('x', { name: 'old.txt' })
    const change = { id, name: 'folder/new\u202e.txt', type: 'image/png', size: 5, userId: scene.stranger.id }
    const token = scene.member.token
    const { body } = await scene.rest.call('PATCH', '/ext/attachment', { token, body: change })
    const { updatedAt, ...renamed } = body.attachment
    assert.deepEqual(renamed, { ...unchanged, id, name: 'new.txt' })
    assert.ok(updatedAt)
    const { headers } = await scene.download(id)
    assert.match(headers.get('content-disposition') ?? '', /filename="new\.txt"/)
  })

  for (const [range, status, part, contentRange] of ranges)
    test(`is requested with the range ${range.slice(0, 40)}: ${status}`, async () => {
      const { id } = await scene.attach(digits)
      const answer = await scene.download(id, { headers: { range } })
      assert.deepEqual([answer.status, answer.headers.get('content-range')], [status, contentRange])
      if (status === 416) assert.equal(envelopeOf(answer).statusCode, 416)
      else assert.equal(String(answer.bytes), part)
    })

  test('is sent completely if the client has a part of another file', async () => {
    const { id } = await scene.attach(digits)
    const sent = async (ifRange: string) => {
      const { status, bytes } = await scene.download(id, {
        headers: { range: 'bytes=4-', 'if-range': ifRange },
      })
      return [status, String(bytes)]
    }
    assert.deepEqual(await sent(`"${sha256(digits)}"`), [206, '456789'])
    for (const other of [`"${sha256('x')}"`, `W/"${sha256(digits)}"`, new Date().toUTCString()])
      assert.deepEqual(await sent(other), [200, digits])
  })

  test('is not sent again to a client that already has it', async () => {
    const { id } = await scene.attach(digits)
    const tag = `"${sha256(digits)}"`
    for (const sentTag of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const { status, bytes, headers } = await scene.download(id, { headers: { 'if-none-match': sentTag } })
      assert.deepEqual([status, bytes.length, headers.get('etag')], [304, 0, tag])
    }
    assert.equal((await scene.download(id, { headers: { 'if-none-match': '"x"' } })).status, 200)
  })

  test('has the same headers for HEAD as for GET', async () => {
    const { id } = await scene.attach(digits)
    const headersOf = ({ headers }: Download) =>
      [...headers].filter(([name]) => !/^(date|x-request-id|connection|keep-alive)$/.test(name))
    const head = await scene.download(id, { method: 'HEAD' })
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    assert.deepEqual(headersOf(head), headersOf(await scene.download(id)))
    const part = await scene.download(id, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    assert.deepEqual([part.status, part.headers.get('content-length')], [206, '2'])
  })

  test('is sent only to users who may read the assignment now', async () => {
    const { projectId, assignmentId } = await scene.another()
    const colleague = await scene.rest.signUp()
    const membership = await scene.workspace.join(projectId, colleague.id)
    const { id } = await scene.attach('secret', { assignmentId })
    const statusFor = async (by = scene.member) => (await scene.download(id, { by })).status
    assert.equal(await statusFor(colleague), 200)
    assert.equal(await statusFor(scene.rest.administrator), 200)
    assert.equal(await statusFor(scene.stranger), 404)
    assert.equal(await statusFor({ ...scene.stranger, token: 'none' }), 401)
    await scene.workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.equal(await statusFor(colleague), 404)
    const write = (method: string, path: string, ids: string) =>
      scene.workspace.write(method, path, { ids: [ids] })
    await write('DELETE', '/ext/attachment', id)
    assert.equal(await statusFor(), 404)
    await write('POST', '/ext/attachment/restore', id)
    assert.equal(await statusFor(), 200)
    await write('DELETE', '/api/assignment', assignmentId)
    assert.equal(await statusFor(), 404)
    await write('POST', '/api/assignment/restore', assignmentId)
    assert.equal(String((await scene.download(id)).bytes), 'secret')
  })

  test('can be read with a token that has the scope for attachments', async () => {
    const { id } = await scene.attach('x')
    const tokenFor = async (scope: string) => {
      const { secret } = await makeToken(scene.rest, scene.member.token, { scopes: [scope] })
      return { ...scene.member, token: secret }
    }
    assert.equal((await scene.download(id, { by: await tokenFor('attachment:read') })).status, 200)
    assert.equal((await scene.download(id, { by: await tokenFor('comment:read') })).status, 403)
  })

  test('is found only by a valid and known id', async () => {
    assert.deepEqual(Object.keys(envelopeOf(await scene.download('none')).errors), ['id'])
    assert.equal((await scene.download('')).status, 400)
    assert.equal((await scene.download('0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58')).status, 404)
  })

  test('that is missing or incomplete in the folder causes a 503, instead of a wrong file', async () => {
    const pathOf = (id: string) => pathOfFile(join(scene.rest.dataDirectory, 'attachments'), id)
    const [lost, cut] = [await scene.attach(digits), await scene.attach(digits)]
    await rm(pathOf(lost.id))
    await truncate(pathOf(cut.id), 5)
    for (const { id } of [lost, cut]) {
      const answer = await scene.download(id)
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '10'])
      assert.equal(
        envelopeOf(answer).message,
        'Files are not available at the moment. Please try again later.',
      )
      assert.equal(answer.headers.get('content-disposition'), null)
    }
  })
})

describe('A large file', () => {
  const budgets = openBudgets({ downloads: 2, downloadsOfAccount: 1 })
  const scene = fixture(attachmentScene, { Auth__SessionValidationCacheSeconds: '0' }, { budgets })
  // The file is larger than the socket buffers at both ends.
  const bytes = Buffer.alloc(24 * mebibyte, 'x')

  /** Begins to read the file and then waits. */
  async function slowDownload(id: string, { token } = scene.member) {
    const sent = request(`${scene.rest.address}/ext/attachment/content?id=${id}`, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    })
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject).end()
    })
    response.on('error', () => undefined)
    return {
      cut: () => void sent.destroy(),
      /** Reads the rest, and returns the length of everything. */
      async rest(): Promise<number> {
        let length = 0
        response.on('data', (piece: Buffer) => {
          length += piece.length
        })
        await new Promise((resolve) => response.once('close', resolve))
        return length
      },
    }
  }

  test('is read by a limited number of readers at once', async () => {
    const { id } = await scene.attach(bytes)
    const reader = await slowDownload(id)
    const rejected = await scene.download(id)
    assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [429, '5'])
    const [bob, carl] = await Promise.all([scene.rest.signUp(), scene.rest.signUp()])
    for (const member of [bob, carl]) await scene.workspace.join(scene.projectId, member.id)
    const second = await slowDownload(id, bob)
    assert.equal((await scene.download(id, { by: carl })).status, 429)
    reader.cut()
    await until(() => budgets.budget('downloads').used() === 1, 'the reader to be noticed')
    assert.equal((await scene.download(id)).bytes.length, bytes.length)
    assert.equal(await second.rest(), bytes.length)
    await until(() => budgets.budget('downloads').used() === 0, 'all shares to be released')
  })

  test('is not opened, or is closed at once, if its reader has disconnected', async () => {
    const { id } = await scene.attach('x')
    const connections = () => budgets.states().find(({ name }) => name === 'httpConnections')?.used ?? 0
    const before = connections()
    const client = await connectDirectly(scene.rest.database)
    await client.query('begin; lock attachments in access exclusive mode')
    const sent = request(`${scene.rest.address}/ext/attachment/content?id=${id}`, {
      agent: false,
      headers: { authorization: `Bearer ${scene.member.token}` },
    })
    sent.on('error', () => undefined).end()
    await untilWaiting(client)
    sent.destroy()
    await until(() => connections() <= before, 'the host to notice that the client has left')
    await client.query('rollback')
    await client.end()
    assert.equal(String((await scene.download(id)).bytes), 'x')
    await until(() => budgets.budget('downloads').used() === 0, 'all shares to be released')
  })

  test('is cut off when the session of its reader ends', async () => {
    const guest = await scene.rest.signUp()
    await scene.workspace.join(scene.projectId, guest.id)
    const { id } = await scene.attach(bytes)
    const reader = await slowDownload(id, guest)
    await scene.rest.database.transaction(({ query }) =>
      query(sql`update signin_sessions set ended_at = now() where user_id = ${guest.id} returning 1`),
    )
    assert.ok((await reader.rest()) < bytes.length)
  })
})
