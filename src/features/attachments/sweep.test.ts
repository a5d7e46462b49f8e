import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connectDirectly, untilWaiting } from '../../../test/support/direct-connection.ts'
import { fixture } from '../../../test/support/fixture.ts'
import { freshContext, rejectedAs } from '../../../test/support/fresh-context.ts'
import { purgeRemoved } from '../../db/purge.ts'
import { newId } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import { remove } from '../../records/remove.ts'
import { resourceNamed, resources } from '../../resources/all.ts'
import { openDiskStore, pathOfFile } from './file-store.ts'
import { createAttachment } from './receive-upload.ts'
import { sweepFiles, sweepUploads } from './sweep.ts'

const projectBytesMax = 1024 ** 2

describe('The sweep', () => {
  const setting = fixture(freshContext)
  let folder: string
  let assignment: { readonly id: string; readonly projectId: unknown; readonly userId: unknown }
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sweep-'))
    assignment = (await setting.makeAny('assignment')) as never
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** A stored file whose upload began so many hours ago. */
  async function store(hoursAgo: number): Promise<string> {
    const id = newId()
    const { path } = await received(id)
    await openDiskStore(folder).put(id, { path, size: 1, sha256: '' })
    await setting.context.database.singleWrites.query(sql`
      insert into attachment_files (id, begun_at) values (${id}, now() - make_interval(hours => ${hoursAgo}::int))
      returning 1`)
    return id
  }
  async function received(id: string) {
    const path = join(folder, `${id}.part`)
    await writeFile(path, 'x')
    return { path }
  }
  const addRow = (id: string) => {
    const values = { name: 'a', type: 'text/plain', size: 1, sha256: '', assignmentId: assignment.id }
    return createAttachment(
      setting.context,
      setting.administrator,
      {
        id,
        projectId: String(assignment.projectId),
        values: { ...values, userId: setting.administrator.id },
      },
      projectBytesMax,
    )
  }
  const sweep = () => sweepFiles(setting.context.database, openDiskStore(folder))
  const files = async (...ids: string[]) => {
    const all = await readdir(folder, { recursive: true })
    return ids.map((id) => all.includes(join(id.slice(-2), id)))
  }
  const lines = async (...ids: string[]) => {
    const rows = await setting.context.database.query<{ id: string }>(
      sql`select id from attachment_files where id = any(${ids}::uuid[])`,
    )
    return ids.map((id) => rows.some((row) => row.id === id))
  }

  test('deletes old files without a row, and none with a row or of an upload that may be in progress', async () => {
    const [rowless, young, kept] = [await store(25), await store(23), await store(25)]
    await addRow(kept)
    await sweep()
    assert.deepEqual(await files(rowless, young, kept), [false, true, true])
    assert.deepEqual(await lines(rowless, young, kept), [false, true, true])
  })

  test('deletes the files of purged rows, and keeps those of removed ones', async () => {
    const [removed, purged] = [await store(25), await store(25)]
    for (const id of [removed, purged]) await addRow(id)
    await remove(setting.context, resourceNamed('attachment'), setting.administrator, {
      ids: [removed, purged],
    })
    await setting.context.database.query(
      sql`update attachments set deleted_at = now() - interval '100 days' where id = ${purged}`,
    )
    await sweep()
    assert.deepEqual(await files(removed, purged), [true, true])
    await purgeRemoved(setting.context.database, resources, 90)
    await sweep()
    assert.deepEqual(await files(removed, purged), [true, false])
    assert.deepEqual(await lines(removed, purged), [true, false])
  })

  test('touches no file that the database does not know, such as that of another database', async () => {
    const id = newId()
    await mkdir(join(folder, id.slice(-2)), { recursive: true })
    await writeFile(pathOfFile(folder, id), 'x')
    await sweep()
    assert.deepEqual(await files(id), [true])
  })

  test('skips a file whose row is being added', async () => {
    const id = await store(25)
    const client = await connectDirectly(setting.context.database)
    await client.query('begin')
    await client.query(`select from attachment_files where id = '${id}' for share`)
    await sweep()
    assert.deepEqual(await files(id), [true])
    await client.query('rollback')
    await client.end()
    await sweep()
    assert.deepEqual(await files(id), [false])
  })

  test('lets no row be added to a file that it has begun to delete', async () => {
    const id = await store(25)
    const client = await connectDirectly(setting.context.database)
    await client.query('begin')
    await client.query(`select from attachment_files where id = '${id}' for update`)
    const adding = addRow(id)
    adding.catch(() => undefined)
    await untilWaiting(client)
    await client.query(`update attachment_files set is_deleting = true where id = '${id}'`)
    await client.query('commit')
    await client.end()
    await assert.rejects(adding, rejectedAs('contended'))
  })

  test('in a race with uploads leaves every row its file', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => store(25)))
    const adding = ids.map((id, index) => (index % 2 ? sweep() : addRow(id)).catch(() => undefined))
    await Promise.all([...adding, ...ids.map((id) => addRow(id).catch(() => undefined))])
    const rows = await setting.context.database.query<{ id: string }>(
      sql`select id from attachments where id = any(${ids}::uuid[])`,
    )
    const withRow = rows.map(({ id }) => id)
    assert.deepEqual(
      await files(...withRow),
      withRow.map(() => true),
    )
    await sweep()
    assert.deepEqual(
      await files(...ids),
      ids.map((id) => withRow.includes(id)),
    )
  })

  test('continues after a failure of the file store', async () => {
    const id = await store(25)
    const failing = { ...openDiskStore(folder), delete: () => Promise.reject(new Error('The disk fails.')) }
    await assert.rejects(sweepFiles(setting.context.database, failing), /The disk fails/)
    assert.deepEqual([await files(id), await lines(id)], [[true], [true]])
    await sweep()
    assert.deepEqual([await files(id), await lines(id)], [[false], [false]])
  })

  test('removes uploads that a crash has interrupted, and none in progress', async () => {
    const uploads = join(folder, 'uploads')
    await mkdir(uploads)
    for (const [name, minutesAgo] of [
      ['old.part', 61],
      ['new.part', 1],
    ] as const) {
      await writeFile(join(uploads, name), 'x')
      const at = new Date(Date.now() - minutesAgo * 60_000)
      await utimes(join(uploads, name), at, at)
    }
    await sweepUploads(uploads)
    assert.deepEqual(await readdir(uploads), ['new.part'])
  })

  test('adds no row under the lock of a project that the assignment has left meanwhile', async () => {
    const id = await store(1)
    const other = await setting.makeAny('project')
    await setting.context.database.query(
      sql`update assignments set project_id = ${other.id} where id = ${assignment.id}`,
    )
    await assert.rejects(addRow(id), rejectedAs('contended'))
    await setting.context.database.query(
      raw(`update assignments set project_id = '${assignment.projectId}' where id = '${assignment.id}'`),
    )
    await addRow(id)
  })
})
