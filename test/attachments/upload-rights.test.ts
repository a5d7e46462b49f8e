import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { openBudgets } from '../../src/config/budgets.ts'
import { readAttachmentSettings } from '../../src/config/host-settings.ts'
import { readSettings } from '../../src/config/settings.ts'
import { raw, sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { type AttachmentScene, attachmentScene, openUpload, sha256 } from '../support/attachment-scene.ts'
import { fixture } from '../support/fixture.ts'
import type { Person } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

const notMine = ['AssignmentId must refer to an active assignment.']

async function countStored({ rest, storedFiles }: AttachmentScene) {
  const [counts] = await rest.database.query(
    raw(`
    select (select count(*)::int from attachment_files) as records, (select count(*)::int from attachments) as rows`),
  )
  return { files: (await storedFiles()).length, ...(counts as object) }
}

/** The file of a rejected upload is deleted after the response, so this waits until nothing remains. */
const assertNothingRemains = async (scene: AttachmentScene, work: () => Promise<void>) => {
  const before = await countStored(scene)
  await work()
  await until(async () => isDeepStrictEqual(await countStored(scene), before), 'the files to be deleted')
}

// Sessions end while bodies arrive, so they are not cached.
describe('The right to upload', () => {
  const scene = fixture(attachmentScene, { Auth__SessionValidationCacheSeconds: '0' })

  /** Returns the response to an upload whose body is never sent, so that nothing can have been stored. */
  const answeredBeforeBody = (by: Person, assignmentId = scene.assignmentId) =>
    openUpload(scene, { by, assignmentId, length: 1000 }).answer

  test('is checked before a byte of the body is read', () =>
    assertNothingRemains(scene, async () => {
      assertEnvelope(await answeredBeforeBody({ ...scene.stranger, token: 'none' }), 401)
      const hidden = await answeredBeforeBody(scene.stranger)
      assertEnvelope(hidden, 400)
      assert.deepEqual(hidden.body.errors, { assignmentId: notMine })
      // An assignment that does not exist causes the same error.
      const nowhere = await answeredBeforeBody(scene.stranger, '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58')
      assert.deepEqual(nowhere.body, hidden.body)
    }))

  test('of a token is limited by its scopes and its projects', async () => {
    const other = await scene.another()
    const tokenWith = async (scopes: readonly string[], projectIds?: readonly string[]) => {
      const requested = { scopes, ...(projectIds && { projectIds }) }
      return { ...scene.member, token: (await makeToken(scene.rest, scene.member.token, requested)).secret }
    }
    assertEnvelope(await answeredBeforeBody(await tokenWith(['attachment:read', 'comment:write'])), 403)
    const limited = await tokenWith(['attachment:write'], [other.projectId])
    assertEnvelope(await answeredBeforeBody(limited), 400, ['assignmentId'])
    await scene.attach('x', { by: limited, assignmentId: other.assignmentId })
  })

  /** Runs `during` while the body of an upload arrives, and returns the response to the upload. */
  async function uploadDuring(by: Person, assignmentId: string, during: () => Promise<unknown>) {
    const before = await scene.storedFiles()
    const upload = openUpload(scene, { by, assignmentId })
    await upload.write('one')
    await until(async () => (await scene.storedFiles()).length > before.length, 'the body to arrive')
    await during()
    await upload.write('two')
    upload.end()
    return upload.answer
  }

  test('ends with the membership', () =>
    assertNothingRemains(scene, async () => {
      const { projectId, assignmentId } = await scene.another()
      const leaver = await scene.rest.signUp()
      const membership = await scene.workspace.join(projectId, leaver.id)
      const leave = () => scene.workspace.write('DELETE', '/api/userProject', { ids: [membership] })
      const answer = await uploadDuring(leaver, assignmentId, leave)
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, { assignmentId: notMine })
    }))

  test('ends with the assignment', () =>
    assertNothingRemains(scene, async () => {
      const { assignmentId } = await scene.another()
      const remove = () => scene.workspace.write('DELETE', '/api/assignment', { ids: [assignmentId] })
      assertEnvelope(await uploadDuring(scene.member, assignmentId, remove), 400, ['assignmentId'])
    }))

  test('ends with the session, even while the body arrives', () =>
    assertNothingRemains(scene, async () => {
      const guest = await scene.rest.signUp()
      const { projectId, assignmentId } = await scene.another()
      await scene.workspace.join(projectId, guest.id)
      const signOut = () =>
        scene.rest.database.transaction(({ query }) =>
          query(sql`update signin_sessions set ended_at = now() where user_id = ${guest.id} returning 1`),
        )
      assertEnvelope(await uploadDuring(guest, assignmentId, signOut), 401)
    }))
})

describe('Uploads at the same time', () => {
  const budgets = openBudgets({ uploads: 2, uploadsOfAccount: 1 })
  const scene = fixture(attachmentScene, {}, { budgets })

  test('are limited for each account and each process, before their bodies are read', async () => {
    const [bob, carl] = await Promise.all([scene.rest.signUp(), scene.rest.signUp()])
    for (const { id } of [bob, carl]) await scene.workspace.join(scene.projectId, id)
    const [first, second] = [scene.member, bob].map((by) => openUpload(scene, { by })) as [
      ReturnType<typeof openUpload>,
      ReturnType<typeof openUpload>,
    ]
    await Promise.all([first.write('x'), second.write('x')])
    await until(async () => (await scene.storedFiles()).length === 2, 'both to arrive')
    for (const by of [scene.member, carl]) {
      const answer = await openUpload(scene, { by, length: 1000 }).answer
      assertEnvelope(answer, 429)
      assert.equal(answer.headers.get('retry-after'), '5')
    }
    second.cut()
    await until(() => budgets.budget('uploads').used() === 1, 'the cut upload to release its share')
    await scene.attach('x', { by: carl })
    first.end()
    assert.equal((await first.answer).status, 200)
    await scene.attach('x')
  })
})

describe('A slow upload', () => {
  const scene = fixture(attachmentScene)

  test('is answered with 408 after its time limit', () =>
    assertNothingRemains(scene, async () => {
      const attachments = {
        ...readSettings({ DATA_DIR: scene.rest.dataDirectory }, readAttachmentSettings),
        uploadMilliseconds: 200,
      }
      const { address } = await scene.rest.startAnother({ attachments })
      const upload = openUpload(scene, { address, length: 1000 })
      await upload.write('one')
      assertEnvelope(await upload.answer, 408)
    }))
})

describe('An upload with an Idempotency-Key', () => {
  const scene = fixture(attachmentScene)
  const withKey = (key: string) => ({ 'idempotency-key': key })

  test('is done once, however often it is sent, and stores one file', async () => {
    const before = await countStored(scene)
    const headers = withKey('once')
    const answers = await Promise.all([1, 2, 3].map(() => scene.upload('the same', { headers })))
    const again = await scene.upload('the same', { headers })
    const ids = [...answers, again].map(({ status, body }) => [status, body.attachment.id])
    assert.deepEqual(ids, Array(4).fill([200, again.body.attachment.id]))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const after = { files: before.files + 1, records: 1, rows: 1 }
    await until(
      async () => isDeepStrictEqual(await countStored(scene), after),
      'the other files to be deleted',
    )
    assert.equal(sha256((await scene.download(again.body.attachment.id)).bytes), sha256('the same'))
  })

  test('is rejected with 422 if the key was used with another request', async () => {
    const headers = withKey('other')
    await scene.attach('one', { headers })
    const { assignmentId } = await scene.another()
    await assertNothingRemains(scene, async () => {
      assertEnvelope(await scene.upload('two', { headers }), 422)
      assertEnvelope(await scene.upload('one', { headers, name: 'other.txt' }), 422)
      assertEnvelope(await scene.upload('one', { headers, assignmentId }), 422)
    })
  })
})
