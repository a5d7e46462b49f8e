import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { raw } from '../../src/db/sql.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { type Entity, entities, pathOf, resources } from '../contract/resources.ts'
import { furnish } from '../support/furnish.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

interface Gone {
  readonly entity: Entity
  readonly id: string
  /** The parents that are removed too. */
  readonly parentsGone: readonly string[]
  /** A link that its parent took along. */
  readonly wentAlong: boolean
}

const who = ['administrator', 'owner', 'member', 'leftBefore', 'outsider'] as const
const takenLogin = 'taken@example.com'

/** The resources that are declared beyond the contract. */
const entitiesBeyond = entities.filter((entity) => resources[entity].root === '/ext')

const bodyUnder = (entity: Entity, parents: Readonly<Partial<Record<Entity, string>>>) => {
  const { sample, references } = resources[entity]
  const ids = Object.entries(references).map(([column, parent]) => [column, parents[parent]])
  return { ...sample, ...Object.fromEntries(ids) }
}

describe('Anyone who asks for removed rows', () => {
  let rest: RestUnderTest
  let people: Record<(typeof who)[number], Person>
  let gone: readonly Gone[]

  /** Three projects, one of them removed and one foreign, with rows removed in every way there is. */
  before(async () => {
    rest = await startRestUnderTest()
    const workspace = await furnish(rest)
    const [owner, member, leftBefore, outsider, leaver, clashing] = (await Promise.all([
      ...['Ann', 'Bob', 'Carl', 'Dora', 'Erik'].map((name) => rest.signUp({ name })),
      rest.signUp({ login: takenLogin }),
    ])) as [Person, Person, Person, Person, Person, Person]
    people = { administrator: rest.administrator, owner, member, leftBefore, outsider }
    const remove = (entity: Entity, ...ids: string[]) => workspace.write('DELETE', pathOf(entity), { ids })
    const make = async (entity: Entity, body: Readonly<Record<string, unknown>>): Promise<string> =>
      (await workspace.make(entity, body)).id
    for (const [creator, isRemoved] of [
      [owner, true],
      [owner, false],
      [rest.administrator, false],
    ] as const) {
      const project = await workspace.project('Project', creator)
      const [task, goneTask] = await Promise.all([
        workspace.assignment(project, owner.id),
        workspace.assignment(project, member.id),
      ])
      if (creator === owner) {
        await workspace.join(project, member.id)
        await remove('userProject', await workspace.join(project, leftBefore.id))
        await workspace.join(project, leaver.id)
      }
      for (const assignmentId of [task, goneTask]) {
        const { impedimentId } = workspace
        const [first, second] = await Promise.all(
          [owner, member].map(({ id }) => workspace.appointment(assignmentId, id)),
        )
        await remove('appointment', first as string, second as string)
        await remove(
          'assignmentImpediment',
          await make('assignmentImpediment', { assignmentId, impedimentId }),
        )
        await remove('userAssignment', await make('userAssignment', { assignmentId, userId: owner.id }))
        await make('userAssignment', { assignmentId, userId: member.id })
        const { organizationId, workflowId: workflow, assignmentTypeId: assignmentType } = workspace
        const catalogs = { organization: organizationId, workflow, assignmentType, impediment: impedimentId }
        const parents = { ...catalogs, project, assignment: assignmentId, user: owner.id }
        await Promise.all(
          entitiesBeyond.map(async (entity) => {
            const body = bodyUnder(entity, parents)
            await remove(entity, await make(entity, body))
            await make(entity, body)
          }),
        )
      }
      await remove('assignment', goneTask)
      if (isRemoved) {
        await remove('assignment', task)
        await remove('project', project)
      }
    }
    const goneOrganization = await make('organization', { name: 'Gone' })
    const inIt = await make('project', { name: 'In it', organizationId: goneOrganization })
    await workspace.join(inIt, owner.id)
    await remove('project', inIt)
    await remove('organization', goneOrganization)
    await remove('workflow', await make('workflow', { name: 'Gone', order: 9 }))
    await remove('assignmentType', await make('assignmentType', { name: 'Gone' }))
    await remove('impediment', await make('impediment', { name: 'Gone' }))
    await remove('user', leaver.id, clashing.id)
    await rest.signUp({ login: takenLogin })
    gone = await findGone(rest)
    assert.deepEqual([...new Set(gone.map(({ entity }) => entity))].sort(), [...entities].sort())
  })
  after(() => rest.stop())

  const listOf = async (entity: Entity, { token }: Person) => {
    const { status, body } = await rest.call('GET', `/ext/removed/${resources[entity].list}?pageSize=100`, {
      token,
    })
    return { status, ids: (body.result?.data ?? []).map(({ id }: Gone) => id) as string[] }
  }

  /** Restored rows are removed again, so that all callers see the same rows. */
  const tryToRestore = async ({ entity, id }: Gone, { token }: Person) => {
    const body = { ids: [id] }
    const answer = await rest.call('POST', `${pathOf(entity)}/restore`, { token, body })
    if (answer.status === 200)
      await rest.call('DELETE', pathOf(entity), { token: rest.administrator.token, body })
    return answer
  }

  for (const name of who)
    for (const entity of entities)
      test(`the ${name} can restore what is listed of ${entity} if its parents are there, and nothing else`, async () => {
        const rows = gone.filter((one) => one.entity === entity)
        const { status: listStatus, ids } = await listOf(entity, people[name])
        const known = rows.map(({ id }) => id)
        assert.deepEqual(
          ids.filter((id) => !known.includes(id)),
          [],
        )
        for (const row of rows) {
          const isListed = ids.includes(row.id)
          const { status, body } = await tryToRestore(row, people[name])
          const statuses = listStatus === 200 ? expected(row, isListed) : [listStatus]
          assert.ok(statuses.includes(status), JSON.stringify({ row, isListed, status, body }))
        }
      })

  test('each is shown the appointments of their own in projects they are or were in to the end', async () => {
    const counts = await Promise.all(
      who.map(async (name) => {
        const path = '/ext/removed/appointments?pageSize=100'
        return (await rest.call('GET', path, { token: people[name].token })).body.result.totalCount
      }),
    )
    // Three projects with two assignments, each with one of the owner's and one of the member's.
    assert.deepEqual(counts, [12, 4, 4, 0, 0])
  })
})

function expected({ entity, parentsGone, wentAlong }: Gone, isListed: boolean): number[] {
  if (!isListed) return wentAlong ? [400, 403, 404] : [403, 404]
  if (parentsGone.length > 0) return [400]
  return entity === 'user' ? [200, 409] : [200]
}

async function findGone({ database }: RestUnderTest): Promise<Gone[]> {
  const found = await Promise.all(
    entities.map(async (entity) => {
      const rows = await database.query<Record<string, string>>(
        raw(`select * from ${resourceNamed(entity).table} where not active`),
      )
      return rows.map((row) => ({ entity, row }))
    }),
  )
  const ids = new Set(found.flat().map(({ row }) => row.id))
  return found.flat().map(({ entity, row }) => ({
    entity,
    id: String(row.id),
    parentsGone: Object.keys(resources[entity].references).filter(
      (column) =>
        !resources[entity].staying.includes(column) &&
        ids.has(row[column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
    ),
    wentAlong: (row.removed_with ?? null) !== null,
  }))
}
