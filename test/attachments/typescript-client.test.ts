import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { openTracker, type Tracker, TrackerError } from '../../clients/typescript/src/tracker.ts'
import { attachmentScene, png } from '../support/attachment-scene.ts'
import { fixture } from '../support/fixture.ts'

describe('The TypeScript client', () => {
  const scene = fixture(attachmentScene)
  let tracker: Tracker
  const clientWith = (send = fetch) =>
    openTracker({
      address: scene.rest.address,
      token: scene.member.token,
      fetch: send,
      pause: async () => undefined,
    })
  before(() => {
    tracker = clientWith()
  })
  const target = (name: string) => ({ assignmentId: scene.assignmentId, name })
  const textOf = async (file: Promise<Blob>) => (await file).text()

  test('uploads a file and downloads it, whole and in parts, with its type', async () => {
    const attached = await tracker.upload(new Blob([png]), target('sketch.png'))
    assert.deepEqual([attached.name, attached.type, attached.size], ['sketch.png', 'image/png', png.length])
    const file = await tracker.download(attached.id)
    assert.equal(file.type, 'image/png')
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), png)
    const { id } = await tracker.upload(new Blob(['0123456789']), target('digits.txt'))
    assert.equal(await textOf(tracker.download(id, { range: { start: 2, end: 4 } })), '234')
    assert.equal(await textOf(tracker.download(id, { range: { start: 8 } })), '89')
    assert.deepEqual(
      await tracker.attachments.get(id),
      (await tracker.attachments.list({ search: 'digits' })).data[0],
    )
  })

  test('uploads a file from the disk, like any operation that is called by its path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    const path = join(folder, 'notes.txt')
    await writeFile(path, 'from the disk')
    const answer = await tracker.call('POST /ext/attachment', {
      query: target('notes.txt'),
      body: await openAsBlob(path),
    })
    await rm(folder, { recursive: true })
    assert.equal(await textOf(tracker.download(answer.attachment.id)), 'from the disk')
  })

  test('uploads once, even if a response is lost', async () => {
    let sent = 0
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      sent += 1
      if (sent > 1) return response
      throw new TypeError('The connection is lost.')
    }
    const name = 'once.txt'
    const { id } = await clientWith(losing).upload(new Blob(['once']), target(name))
    const { data } = await tracker.attachments.list({ search: name })
    assert.deepEqual([sent, data.map((row) => row.id)], [2, [id]])
  })

  test('throws an error if an upload or a download is rejected', async () => {
    const rejection = await tracker.upload(new Blob([]), target('empty.txt')).catch((error) => error)
    assert.ok(rejection instanceof TrackerError)
    assert.deepEqual([rejection.status, rejection.errors], [400, { generalErrors: ['The file is empty.'] }])
    const missing = tracker.download('0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58')
    assert.equal((await missing.catch((error) => error)).status, 404)
  })

  test('does not compile if an attachment is created without a file', () => {
    const unused = () => {
      // @ts-expect-error: an attachment is created by its file
      void tracker.attachments.create({ name: 'x', assignmentId: '' })
    }
    assert.equal(typeof unused, 'function')
  })
})
