import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { raw } from '../../src/db/sql.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { attachmentScene, type FileBytes, openUpload, png, sha256 } from '../support/attachment-scene.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { until } from '../support/until.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const mebibyte = 1024 ** 2

/** Files, with the types that the host detects. */
const typed: readonly (readonly [what: string, file: FileBytes, type: string])[] = [
  ['a PNG', png, 'image/png'],
  ['a JPEG', latin1('\xff\xd8\xff\xe0'), 'image/jpeg'],
  ['a GIF', 'GIF89a…', 'image/gif'],
  ['a WebP', latin1('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['an AVIF', latin1('\0\0\0\x20ftypavif\0'), 'image/avif'],
  ['a WAV, which begins like a WebP', latin1('RIFF\x10\0\0\0WAVEfmt '), 'audio/wav'],
  ['a PDF', '%PDF-1.7\n', 'application/pdf'],
  ['a ZIP, such as an office document', latin1('PK\x03\x04\x14'), 'application/zip'],
  ['text', 'Grüße\n', 'text/plain'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'text/plain'],
  ['HTML', '<!doctype html><script>alert(1)</script>', 'text/plain'],
  ['text with NUL', 'one\0two', 'application/octet-stream'],
  ['text in Latin-1', latin1('Gr\xfc\xdfe'), 'application/octet-stream'],
  ['text that ends within a character', Buffer.from('Grü').subarray(0, 3), 'application/octet-stream'],
  ['the beginning of a PNG', png.subarray(0, 7), 'application/octet-stream'],
]

/** Names, as they are sent and as they are stored. */
const named: readonly (readonly [what: string, sent: string, stored: string])[] = [
  ['with a path', '../../etc/passwd', 'passwd'],
  ['with a path of Windows', 'C:\\fakepath\\sketch.png', 'sketch.png'],
  ['with a line break, which could begin a header', 'a\r\nSet-Cookie: b=c.txt', 'aSet-Cookie: b=c.txt'],
  ['with a mark that reverses the text, and shows exe as txt', 'invoice\u202etxt.exe', 'invoicetxt.exe'],
  ['with marks of zero width', 'a\u200b\u2066b\ufeff.txt', 'ab.txt'],
  ['with quotes', 'a "b" \\c".txt', 'c".txt'],
  ['in any script', 'Überblick 概要 😀.png', 'Überblick 概要 😀.png'],
  ['that begins with a dot', '.env', '.env'],
  ['with blanks around it', '  notes.txt ', 'notes.txt'],
  ['that is longer than names may be', `${'x'.repeat(251)}.png`, `${'x'.repeat(196)}.png`],
  ['that is long and has two endings', `${'é'.repeat(250)}.tar.gz`, `${'é'.repeat(193)}.tar.gz`],
]

describe('An upload', () => {
  const scene = fixture(attachmentScene)
  const fileRecords = async () => scene.rest.database.query(raw('select id from attachment_files'))

  test('stores the file with its size, its hash, its type and its sender', async () => {
    const { id, createdAt, ...rest } = await scene.attach(png, { name: 'sketch.png' })
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
    assert.deepEqual(rest, {
      name: 'sketch.png',
      type: 'image/png',
      size: png.length,
      sha256: sha256(png),
      assignmentId: scene.assignmentId,
      userId: scene.member.id,
      updatedAt: null,
      deletedAt: null,
      active: true,
    })
    assert.deepEqual((await scene.download(id)).bytes, png)
  })

  for (const [what, file, type] of typed)
    test(`detects the type of ${what} from its bytes`, async () => {
      const headers = { 'content-type': 'image/svg+xml' }
      const attached = await scene.attach(file, { name: 'page.html', headers })
      assert.equal(attached.type, type)
    })

  test('detects text even if its pieces end within a character', async () => {
    const upload = openUpload(scene)
    const bytes = Buffer.from('Grüße, 概要')
    for (const byte of bytes) await upload.write(Buffer.from([byte]))
    upload.end()
    const { body } = await upload.answer
    assert.deepEqual([body.attachment.type, body.attachment.sha256], ['text/plain', sha256(bytes)])
  })

  for (const [what, sent, stored] of named)
    test(`accepts a name ${what}`, async () => {
      assert.equal((await scene.attach('x', { name: sent })).name, stored)
    })

  for (const name of ['', '  ', '..', '/', 'folder/', '\u202e'])
    test(`rejects the name ${JSON.stringify(name)}`, async () => {
      assertEnvelope(await scene.upload('x', { name }), 400, ['name'])
    })

  test('stores bytes of any content type unchanged', async () => {
    const json = '{ "name": "not a body of ours" '
    for (const type of [
      'application/json',
      'application/x-www-form-urlencoded',
      'text/html; charset=x',
      'a/b',
    ]) {
      const headers = { 'content-type': type }
      assert.equal((await scene.attach(json, { headers })).sha256, sha256(json))
    }
  })

  test('may come from the web client, and from no other page', async () => {
    const allowedFor = async (origin: string) => {
      const { headers } = await scene.upload('x', { headers: { origin } })
      return headers.get('access-control-allow-origin')
    }
    assert.equal(await allowedFor('http://localhost:5400'), 'http://localhost:5400')
    assert.equal(await allowedFor('https://evil.example'), null)
  })

  test('needs an assignment and a name, each once', async () => {
    const token = scene.member.token
    assertEnvelope(await scene.rest.call('POST', '/ext/attachment', { token, body: {} }), 400, [
      'assignmentId',
      'name',
    ])
    const path = `/ext/attachment?assignmentId=none&name=a&name=b`
    assertEnvelope(await scene.rest.call('POST', path, { token, body: {} }), 400, ['assignmentId', 'name'])
  })

  test('of an empty file is rejected', async () => {
    assertEnvelope(await scene.upload(''), 400, ['generalErrors'])
    const upload = openUpload(scene)
    upload.end()
    assertEnvelope(await upload.answer, 400, ['generalErrors'])
  })

  test('that is compressed is rejected', async () => {
    assertEnvelope(await scene.upload('x', { headers: { 'content-encoding': 'gzip' } }), 415)
  })

  test('appears in live listings, in the history and in the feed, like any new row', async () => {
    const { token, id: caller } = scene.member
    const path = `/ext/attachments?assignmentId=${scene.assignmentId}&search=live.txt`
    const live = await openEventStream(scene.rest.address, path, { token })
    assert.equal((await live.next()).data.result.totalCount, 0)
    const { id } = await scene.attach('x', { name: 'live.txt' })
    assert.deepEqual(valuesOf((await live.next()).data.result.data, 'id'), [id])
    live.close()
    const read = async (address: string) =>
      (await scene.rest.call('GET', address, { token })).body.result.data
    const [entry] = await read(`/ext/history?resource=attachment&id=${id}`)
    assert.deepEqual([entry.action, entry.callerId, entry.after.name], ['create', caller, 'live.txt'])
    const changes = await read(`/ext/changes?resource=attachment&projectId=${scene.projectId}&pageSize=100`)
    assert.ok(valuesOf(changes, 'rowId').includes(id))
  })

  test('that is interrupted leaves nothing behind', async () => {
    const [files, records] = [await scene.storedFiles(), await fileRecords()]
    for (const length of [undefined, 3 * mebibyte]) {
      const upload = openUpload(scene, { ...(length !== undefined && { length }) })
      await upload.write(Buffer.alloc(mebibyte, 'x'))
      await until(
        async () => (await scene.storedFiles()).length === files.length + 1,
        'the file that arrives',
      )
      upload.cut()
      await until(async () => (await scene.storedFiles()).length === files.length, 'the file to be deleted')
    }
    await until(async () => (await fileRecords()).length === records.length, 'the record to be deleted')
    assert.deepEqual(await fileRecords(), records)
  })
})

describe('A file that is too large', () => {
  const scene = fixture(attachmentScene, { Attachments__FileMegabytes: '1' })
  const assertTooLarge = (answer: Parameters<typeof assertEnvelope>[0]) => {
    assertEnvelope(answer, 413)
    assert.equal(answer.body.message, 'The body must not be larger than 1 MiB.')
  }

  test('is rejected before its first byte if its length is announced', async () => {
    assertTooLarge(await openUpload(scene, { length: mebibyte + 1 }).answer)
    assert.deepEqual(await scene.storedFiles(), [])
  })

  test('is rejected when it exceeds the limit', async () => {
    const upload = openUpload(scene)
    await upload.write(Buffer.alloc(mebibyte))
    await upload.write('x')
    assertTooLarge(await upload.answer)
    upload.cut()
    // The file is deleted after the response.
    await until(async () => (await scene.storedFiles()).length === 0, 'the file to be deleted')
  })

  test('is larger than the limit: a file of exactly 1 MiB is accepted', async () => {
    const bytes = Buffer.alloc(mebibyte, 'x')
    assert.equal((await scene.attach(bytes)).sha256, sha256(bytes))
  })
})
