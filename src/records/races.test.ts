import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshContext, outcomesOf, rejectedAs } from '../../test/support/fresh-context.ts'
import { sql } from '../db/sql.ts'
import { resourceNamed } from '../resources/all.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { remove, restore } from './remove.ts'
import { update } from './update.ts'

const { context, administrator, makeAny, asUser, drop } = await freshContext()
after(drop)
const rounds = 12
const organization = resourceNamed('organization')
const project = resourceNamed('project')
const countOf = async (condition: ReturnType<typeof sql>) =>
  (await context.database.query<{ count: number }>(sql`select count(*) as count from ${condition}`))[0]?.count

describe('with concurrent writes', () => {
  it('no project appears under an organization that is being removed', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await makeAny('organization')
      await Promise.allSettled([
        create(context, project, administrator, { name: 'P', organizationId: id }),
        remove(context, organization, administrator, { ids: [id] }),
        create(context, project, administrator, { name: 'P', organizationId: id }),
      ])
    }
    const orphans = sql`projects p join organizations o on o.id = p.organization_id where p.active and not o.active`
    assert.equal(await countOf(orphans), 0)
  })

  it('no project moves or returns under an organization that is being removed', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await makeAny('organization')
      const moved = await makeAny('project')
      const removed = await makeAny('project', { organizationId: id })
      await remove(context, project, administrator, { ids: [removed.id] })
      await Promise.allSettled([
        update(context, project, administrator, { id: moved.id, name: 'P', organizationId: id }),
        restore(context, project, administrator, { ids: [removed.id] }),
        remove(context, organization, administrator, { ids: [id] }),
      ])
    }
    const orphans = sql`projects p join organizations o on o.id = p.organization_id where p.active and not o.active`
    assert.equal(await countOf(orphans), 0)
  })

  it('one of ten updates with the same expected version succeeds', async () => {
    const row = await makeAny('project')
    const body = { id: row.id, name: 'Q', organizationId: row.organizationId, expectedVersion: row.createdAt }
    const settled = await Promise.allSettled(
      Array.from({ length: 10 }, () => update(context, project, administrator, body)),
    )
    assert.deepEqual(outcomesOf(settled).sort(), ['ok', ...Array(9).fill('stale')])
  })

  it('every version is at least a millisecond later than the previous one', async () => {
    const row = await makeAny('project')
    const body = { id: row.id, name: 'Q', organizationId: row.organizationId }
    const rows = await Promise.all(
      Array.from({ length: 60 }, () => update(context, project, administrator, body)),
    )
    const versions = [row.createdAt, ...rows.map(({ updatedAt }) => updatedAt)].map(String)
    for (const version of versions) assert.equal(new Date(version).toISOString(), version)
    assert.equal(new Set(versions).size, 61)
  })

  it('no client overwrites a change that it has not seen', async () => {
    const { id, organizationId } = await makeAny('project', { name: '0' })
    const increase = async (): Promise<void> => {
      const { row } = await get(context, project, administrator, { id })
      const name = String(Number(row.name) + 1)
      const expectedVersion = new Date(String(row.updatedAt ?? row.createdAt)).toISOString()
      try {
        await update(context, project, administrator, { id, organizationId, name, expectedVersion })
      } catch (error) {
        if (!rejectedAs('stale')(error)) throw error
        await increase()
      }
    }
    const worker = async () => {
      for (let times = 0; times < 10; times += 1) await increase()
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    assert.equal((await get(context, project, administrator, { id })).row.name, '80')
  })

  it('a version is later than the previous one even if the clock of the database was set back', async () => {
    const row = await makeAny('project')
    const body = { id: row.id, name: 'Q', organizationId: row.organizationId }
    const ahead = '2199-01-01T00:00:00.007Z'
    await context.database.transaction((transaction) =>
      transaction.query(sql`update projects set updated_at = ${ahead} where id = ${row.id}`),
    )
    const changed = await update(context, project, administrator, body)
    assert.equal(changed.updatedAt, '2199-01-01T00:00:00.008Z')
  })

  it('one of ten accounts with the same login is created', async () => {
    const body = (login: string) => ({ name: 'Eve', login, password: 'Secret-123' })
    const logins = Array.from({ length: 10 }, (_, index) =>
      index % 2 ? ' Eve@Example.com ' : 'eve@example.com',
    )
    const settled = await Promise.allSettled(
      logins.map((login) => create(context, resourceNamed('user'), administrator, body(login))),
    )
    assert.deepEqual(outcomesOf(settled).sort(), [...Array(9).fill('duplicate'), 'ok'])
  })

  it('one of ten records with the same id is created', async () => {
    const id = crypto.randomUUID()
    const settled = await Promise.allSettled(
      Array.from({ length: 10 }, () => create(context, organization, administrator, { id, name: 'O' })),
    )
    assert.deepEqual(outcomesOf(settled).sort(), [...Array(9).fill('duplicate'), 'ok'])
  })

  it('overlapping removals in opposite order never deadlock', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const ids = (await Promise.all(Array.from({ length: 6 }, () => makeAny('organization')))).map(
        ({ id }) => id,
      )
      const settled = await Promise.allSettled([
        remove(context, organization, administrator, { ids }),
        remove(context, organization, administrator, { ids: ids.toReversed() }),
      ])
      assert.deepEqual(outcomesOf(settled).sort(), ['missing', 'ok'])
    }
  })

  it('a link is removed only once when its project and its member are removed', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const member = await makeAny('user')
      const joined = await makeAny('project')
      const link = await create(context, resourceNamed('userProject'), administrator, {
        userId: member.id,
        projectId: joined.id,
      })
      const user = resourceNamed('user')
      const removed = await Promise.allSettled([
        remove(context, project, administrator, { ids: [joined.id] }),
        remove(context, user, administrator, { ids: [member.id] }),
      ])
      assert.deepEqual(outcomesOf(removed), ['ok', 'ok'])
      const restored = await Promise.allSettled([
        restore(context, project, administrator, { ids: [joined.id] }),
        restore(context, user, administrator, { ids: [member.id] }),
      ])
      assert.deepEqual(outcomesOf(restored), ['ok', 'ok'])
      assert.equal(await countOf(sql`user_projects where id = ${link.id} and active`), 1)
    }
  })

  it('time cannot be recorded for an assignment that has moved to another project', async () => {
    const member = await makeAny('user')
    const from = await makeAny('project')
    const assignment = await makeAny('assignment', { projectId: from.id })
    const to = await makeAny('project')
    const link = resourceNamed('userProject')
    await create(context, link, administrator, { userId: member.id, projectId: from.id })
    const moved = { ...assignment, projectId: to.id }
    const settled = await Promise.allSettled([
      update(context, resourceNamed('assignment'), administrator, moved),
      create(context, resourceNamed('appointment'), asUser(member), {
        keepDate: '2026-01-01',
        amountHours: 1,
        assignmentId: assignment.id,
        userId: member.id,
      }),
    ])
    assert.equal(outcomesOf(settled)[0], 'ok')
    const recorded = outcomesOf(settled)[1] ?? ''
    assert.ok(['ok', 'forbidden'].includes(recorded))
    // Either the time was recorded before the move, or not at all.
    const expected = recorded === 'ok' ? 1 : 0
    assert.equal(await countOf(sql`appointments where assignment_id = ${assignment.id}`), expected)
    assert.equal(await countOf(sql`assignments where id = ${assignment.id} and project_id = ${to.id}`), 1)
  })
})
