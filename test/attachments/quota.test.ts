import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { raw, sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { attachmentScene, openUpload } from '../support/attachment-scene.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { until } from '../support/until.ts'

const kibibyte = 1024
const full = 'The files of a project may have at most 1 MiB together, removed ones included.'

describe('The files of a project', () => {
  const scene = fixture(attachmentScene, { Attachments__ProjectMegabytes: '1' })
  let otherAddress: string
  before(async () => {
    otherAddress = (await scene.rest.startAnother()).address
  })
  const bytes = (length: number) => Buffer.alloc(length, 'x')
  const assertFull = (answer: Parameters<typeof assertEnvelope>[0]) => {
    assertEnvelope(answer, 400)
    assert.deepEqual(answer.body.errors, { generalErrors: [full] })
  }

  test('stay within the quota, however many are uploaded at the same time on two instances', async () => {
    const { assignmentId } = await scene.another()
    const people = await Promise.all(Array.from({ length: 4 }, () => scene.rest.signUp()))
    const [assignment] = await scene.rest.database.query<{ projectId: string }>(
      raw(`select project_id as "projectId" from assignments where id = '${assignmentId}'`),
    )
    for (const { id } of people) await scene.workspace.join(assignment?.projectId ?? '', id)
    // All uploads begin in an empty project, because none has a row yet.
    const uploads = people.flatMap((by) =>
      [scene.rest.address, otherAddress].map((address) => openUpload(scene, { by, assignmentId, address })),
    )
    for (const upload of uploads) await upload.write(bytes(300 * kibibyte))
    await until(async () => (await scene.storedFiles()).length === uploads.length, 'all to arrive')
    for (const upload of uploads) upload.end()
    const answers = await Promise.all(uploads.map(({ answer }) => answer))
    assert.equal(answers.filter(({ status }) => status === 200).length, 3)
    for (const answer of answers) if (answer.status !== 200) assertFull(answer)
    await until(async () => (await scene.storedFiles()).length === 3, 'the files without rows to be deleted')
  })

  test('are added one after another, by a lock on the project', async () => {
    const { projectId, assignmentId } = await scene.another()
    await using client = await connectDirectly(scene.rest.database)
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtextextended('attachments ${projectId}', 0))`)
    const answer = scene.upload('x', { assignmentId })
    await untilWaiting(client)
    await client.query('rollback')
    assert.equal((await answer).status, 200)
  })

  test('are rejected before their body is read if the announced length exceeds the quota', async () => {
    const { assignmentId } = await scene.another()
    assertFull(await openUpload(scene, { assignmentId, length: 1024 * kibibyte + 1 }).answer)
    await scene.attach(bytes(1000 * kibibyte), { assignmentId })
    assertFull(await openUpload(scene, { assignmentId, length: 25 * kibibyte }).answer)
    await scene.attach(bytes(24 * kibibyte), { assignmentId })
    assertFull(await scene.upload('x', { assignmentId }))
  })

  test('count as at least 4 KiB each', async () => {
    const { projectId, assignmentId } = await scene.another()
    await scene.rest.database.query(sql`
      insert into attachments (id, name, type, size, sha256, assignment_id, user_id)
      select gen_random_uuid(), 'small', 'text/plain', 1, '', ${assignmentId}, ${scene.member.id} from generate_series(1, 255)`)
    await scene.attach('x', { assignmentId })
    assertFull(
      await scene.upload('x', { assignmentId: await scene.workspace.assignment(projectId, scene.member.id) }),
    )
  })

  test('count while they are removed', async () => {
    const { assignmentId } = await scene.another()
    const { id } = await scene.attach(bytes(600 * kibibyte), { assignmentId })
    await scene.workspace.write('DELETE', '/ext/attachment', { ids: [id] })
    assertFull(await scene.upload(bytes(600 * kibibyte), { assignmentId }))
    await scene.workspace.write('POST', '/ext/attachment/restore', { ids: [id] })
    assert.equal((await scene.download(id)).bytes.length, 600 * kibibyte)
  })

  test('count in the project to which their assignment was moved', async () => {
    const [from, to] = await Promise.all([scene.another(), scene.another()])
    await scene.attach(bytes(600 * kibibyte), { assignmentId: from.assignmentId })
    const token = scene.member.token
    const { body } = await scene.rest.call('GET', `/api/assignment?id=${from.assignmentId}`, { token })
    const moved = { ...body.assignment, projectId: to.projectId }
    await scene.workspace.write('PATCH', '/api/assignment', moved, scene.member)
    assertFull(await scene.upload(bytes(600 * kibibyte), { assignmentId: to.assignmentId }))
    const stays = await scene.workspace.assignment(from.projectId, scene.member.id)
    await scene.attach(bytes(600 * kibibyte), { assignmentId: stays })
  })

  test('have a separate quota in each project', async () => {
    for (let project = 0; project < 2; project += 1) {
      const { assignmentId } = await scene.another()
      await scene.attach(bytes(1024 * kibibyte), { assignmentId })
    }
  })
})
