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
import { sweepFiles, sweepUploads } from './files.ts'
import { createAttachment } from './receive-upload.ts'

const projectBytesMax = 1024 ** 2

describe('The storage of attachments', () => {
  const fresh = fixture(freshContext)
  let directory: string
  let assignment: { readonly id: string; readonly projectId: unknown; readonly userId: unknown }
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sweep-'))
    assignment = (await fresh.makeAny('assignment')) as never
  })
  after(() => rm(directory, { recursive: true, force: true }))

  /** Stores a file whose upload began this number of hours ago, and returns its id. */
  async function store(hoursAgo: number): Promise<string> {
    const id = newId()
    const { path } = await writeUpload(id)
    await openDiskStore(directory).put(id, { path, size: 1, sha256: '' })
    await fresh.context.database.singleWrites.query(sql`
      insert into attachment_files (id, begun_at) values (${id}, now() - make_interval(hours => ${hoursAgo}::int))
      returning 1`)
    return id
  }
  async function writeUpload(id: string) {
    const path = join(directory, `${id}.part`)
    await writeFile(path, 'x')
    return { path }
  }
  const addRow = (id: string) => {
    const values = { name: 'a', type: 'text/plain', size: 1, sha256: '', assignmentId: assignment.id }
    return createAttachment(
      fresh.context,
      fresh.administrator,
      {
        id,
        projectId: String(assignment.projectId),
        values: { ...values, userId: fresh.administrator.id },
      },
      projectBytesMax,
    )
  }
  const sweep = () => sweepFiles(fresh.context.database, openDiskStore(directory))
  const files = async (...ids: string[]) => {
    const all = await readdir(directory, { recursive: true })
    return ids.map((id) => all.includes(join(id.slice(-2), id)))
  }
  const records = async (...ids: string[]) => {
    const rows = await fresh.context.database.query<{ id: string }>(
      sql`select id from attachment_files where id = any(${ids}::uuid[])`,
    )
    return ids.map((id) => rows.some((row) => row.id === id))
  }

  test('deletes only old files that have no row', async () => {
    const [rowless, recent, kept] = [await store(25), await store(23), await store(25)]
    await addRow(kept)
    await sweep()
    assert.deepEqual(await files(rowless, recent, kept), [false, true, true])
    assert.deepEqual(await records(rowless, recent, kept), [false, true, true])
  })

  test('deletes the files of purged rows', async () => {
    const [removed, purged] = [await store(25), await store(25)]
    for (const id of [removed, purged]) await addRow(id)
    await remove(fresh.context, resourceNamed('attachment'), fresh.administrator, {
      ids: [removed, purged],
    })
    await fresh.context.database.query(
      sql`update attachments set deleted_at = now() - interval '100 days' where id = ${purged}`,
    )
    await sweep()
    assert.deepEqual(await files(removed, purged), [true, true])
    await purgeRemoved(fresh.context.database, resources, 90)
    await sweep()
    assert.deepEqual(await files(removed, purged), [true, false])
    assert.deepEqual(await records(removed, purged), [true, false])
  })

  test('does not touch files of another database', async () => {
    const id = newId()
    await mkdir(join(directory, id.slice(-2)), { recursive: true })
    await writeFile(pathOfFile(directory, id), 'x')
    await sweep()
    assert.deepEqual(await files(id), [true])
  })

  test('does not delete a file whose row is being added', async () => {
    const id = await store(25)
    const client = await connectDirectly(fresh.context.database)
    await client.query('begin')
    await client.query(`select from attachment_files where id = '${id}' for share`)
    await sweep()
    assert.deepEqual(await files(id), [true])
    await client.query('rollback')
    await client.end()
    await sweep()
    assert.deepEqual(await files(id), [false])
  })

  test('adds no row for a file that is being deleted', async () => {
    const id = await store(25)
    const client = await connectDirectly(fresh.context.database)
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

  test('deletes no file that has a row when sweeps and uploads run concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => store(25)))
    const adding = ids.map((id, index) => (index % 2 ? sweep() : addRow(id)).catch(() => undefined))
    await Promise.all([...adding, ...ids.map((id) => addRow(id).catch(() => undefined))])
    const rows = await fresh.context.database.query<{ id: string }>(
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

  test('retries a deletion after a failure of the file store', async () => {
    const id = await store(25)
    const failing = {
      ...openDiskStore(directory),
      delete: () => Promise.reject(new Error('The disk fails.')),
    }
    await assert.rejects(sweepFiles(fresh.context.database, failing), /The disk fails/)
    assert.deepEqual([await files(id), await records(id)], [[true], [true]])
    await sweep()
    assert.deepEqual([await files(id), await records(id)], [[false], [false]])
  })

  test('deletes uploads that a crash has interrupted', async () => {
    const uploads = join(directory, 'uploads')
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

  test('adds no row if the assignment has moved to another project', async () => {
    const id = await store(1)
    const other = await fresh.makeAny('project')
    await fresh.context.database.query(
      sql`update assignments set project_id = ${other.id} where id = ${assignment.id}`,
    )
    await assert.rejects(addRow(id), rejectedAs('contended'))
    await fresh.context.database.query(
      raw(`update assignments set project_id = '${assignment.projectId}' where id = '${assignment.id}'`),
    )
    await addRow(id)
  })
})
