import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { raw } from '../../src/db/sql.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { administrated } from '../contract/authorization-matrix.ts'
import type { Caller, Row } from '../contract/driver.ts'
import { onRest } from '../contract/every-host.ts'
import { newWord } from '../contract/make-rows.ts'
import { done, recordIn } from '../contract/outcomes.ts'
import {
  a,
  commonFields,
  type Entity,
  entities,
  extensionFieldsOf,
  pathOf,
  resources,
} from '../contract/resources.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { seed, type Workspace } from '../support/seed.ts'

type Query = Readonly<Record<string, string>>

onRest('The removed rows of GET /ext/removed', (tracker) => {
  const removedPathOf = (entity: Entity, query: Query = {}) =>
    `/ext/removed/${resources[entity].list}?${new URLSearchParams(query)}`
  const ask = (entity: Entity, as: Caller, query?: Query) =>
    tracker.call('GET', removedPathOf(entity, query), { token: as?.token })
  const rowsOf = async (entity: Entity, as: Caller, query?: Query): Promise<Row[]> => {
    const answer = await ask(entity, as, query)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.data
  }
  const idsOf = async (entity: Entity, as: Caller, query?: Query) =>
    (await rowsOf(entity, as, query)).map(({ id }) => id)
  const remove = (entity: Entity, ...rows: readonly Row[]) => done(tracker.removeRows(entity, ...rows))
  const withIds = (...rows: readonly Row[]) => ({ ids: rows.map(({ id }) => id).join(',') })

  for (const entity of entities) {
    test(`show a removed ${entity} with its values and the time of its removal`, async () => {
      const [row, active] = await Promise.all([tracker.make(entity), tracker.make(entity)])
      await remove(entity, row)
      const [found, ...others] = await rowsOf(entity, tracker.administrator, withIds(row, active))
      assert.deepEqual(others, [])
      const names = [...resources[entity].own, ...extensionFieldsOf(entity), ...commonFields]
      assert.deepEqual(Object.keys(found ?? {}).sort(), names.sort())
      // A create in v1 does not return the fields of extensions.
      const comparedValues = Object.keys(row).map((name) => [name, found?.[name]])
      assert.deepEqual(Object.fromEntries(comparedValues), {
        ...row,
        active: false,
        deletedAt: found?.deletedAt,
      })
      assert.match(String(found?.deletedAt), /Z$/)
    })

    test(`no longer include ${a(entity)} that was restored`, async () => {
      const row = await tracker.makeRemoved(entity)
      await done(tracker.restore(entity, [row.id], tracker.administrator))
      assert.deepEqual(await idsOf(entity, tracker.administrator, withIds(row)), [])
    })

    test(`of ${entity} start with the newest removal`, async () => {
      const rows = [await tracker.make(entity), await tracker.make(entity), await tracker.make(entity)]
      const [first, second, third] = rows as [Row, Row, Row]
      for (const row of [second, third, first]) await remove(entity, row)
      const listed = (query: Query) => idsOf(entity, tracker.administrator, { ...withIds(...rows), ...query })
      const newestFirst = [first.id, third.id, second.id]
      assert.deepEqual(await listed({}), newestFirst)
      assert.deepEqual(await listed({ sortColumn: 'DELETEDAT' }), newestFirst)
      assert.deepEqual(await listed({ sortOrder: 'ASC' }), newestFirst.toReversed())
      assert.deepEqual(await listed({ sortColumn: 'createdAt' }), [first.id, second.id, third.id])
      assert.deepEqual(await listed({ sortColumn: 'createdAt', sortOrder: 'desc' }), [
        third.id,
        second.id,
        first.id,
      ])
      // The rows are sorted by their ids if the column is unknown.
      const idsInOrder = rows.map(({ id }) => id).sort()
      assert.deepEqual(await listed({ sortColumn: 'password' }), idsInOrder)
      const pages = await Promise.all(
        ['1', '2', '3'].map((pageNumber) => listed({ pageNumber, pageSize: '1' })),
      )
      assert.deepEqual(pages.flat(), newestFirst)
    })

    for (const field of resources[entity].searched)
      test(`of ${entity} are searched by ${field}, without wildcards`, async () => {
        const word = newWord()
        const [row, other] = await Promise.all([
          tracker.makeRemoved(entity, { [field]: `x ${word}_% y` }),
          tracker.makeRemoved(entity, { [field]: `x ${word}__ y` }),
        ])
        const found = await idsOf(entity, tracker.administrator, { search: `${word}_%` })
        assert.deepEqual(found, [row.id])
        assert.deepEqual(
          (await idsOf(entity, tracker.administrator, { search: word })).sort(),
          [row.id, other.id].sort(),
        )
      })

    for (const filter of ['organizationId', 'projectId', 'assignmentId', 'userId', 'workflowId'] as const) {
      // Rows without this reference are filtered by the project of their assignment.
      const isOwnReference = filter in resources[entity].references
      const parent = resources[entity].references[filter] ?? 'project'
      if (resources[entity].filters.includes(filter))
        test(`of ${entity} are filtered by ${filter}`, async () => {
          const [first, second] = await Promise.all([tracker.make(parent), tracker.make(parent)])
          const valuesUnder = async ({ id }: Row) =>
            isOwnReference
              ? { [filter]: id }
              : { assignmentId: (await tracker.make('assignment', { [filter]: id })).id }
          const [row] = await Promise.all([
            tracker.makeRemoved(entity, await valuesUnder(first)),
            tracker.makeRemoved(entity, await valuesUnder(second)),
          ])
          assert.deepEqual(await idsOf(entity, tracker.administrator, { [filter]: first.id }), [row?.id])
        })
      else
        test(`of ${entity} cannot be filtered by ${filter}`, async () => {
          const list = resources[entity].list
          const answer = await ask(entity, tracker.administrator, { [filter]: 'x' })
          assertEnvelope(answer, 400)
          assert.ok(
            answer.body.errors[filter].includes(
              `${list.charAt(0).toUpperCase()}${list.slice(1)} cannot be filtered by ${filter}.`,
            ),
          )
        })
    }
  }

  test('are filtered by dates like the lists of active rows', async () => {
    const appointment = await tracker.makeRemoved('appointment', { keepDate: '2026-03-02T09:00:00Z' })
    const within = { ...withIds(appointment), dateFrom: '2026-03-02', dateTo: '2026-03-03' }
    assert.deepEqual(await idsOf('appointment', tracker.administrator, within), [appointment.id])
    const before = { ...withIds(appointment), dateTo: '2026-03-02' }
    assert.deepEqual(await idsOf('appointment', tracker.administrator, before), [])
    const answer = await ask('assignment', tracker.administrator, {
      dateFrom: '2026-03-02',
      dateTo: '2026-03-01',
    })
    assertEnvelope(answer, 400)
    assert.deepEqual(answer.body.errors, { dateTo: ['DateTo must be on or after DateFrom.'] })
  })

  for (const entity of administrated)
    test(`of ${entity} are visible to administrators only`, async () => {
      const row = await tracker.makeRemoved(entity)
      const person = await tracker.signUp()
      const { message } = await tracker.restore(entity, [row.id], person)
      for (const query of [{}, { pageSize: '0' }]) {
        const answer = await ask(entity, person, query)
        assertEnvelope(answer, 403)
        assert.equal(answer.body.message, message)
      }
    })

  test('of appointments are only their own for members', async () => {
    const project = await tracker.make('project')
    const [ann, bob] = await Promise.all([tracker.memberOf(project), tracker.memberOf(project)])
    const { id: assignmentId } = await tracker.make('assignment', { projectId: project.id })
    const [mine, theirs] = await Promise.all(
      [ann, bob].map(({ id: userId }) => tracker.makeRemoved('appointment', { assignmentId, userId })),
    )
    assert.deepEqual(await idsOf('appointment', ann), [mine?.id])
    assert.deepEqual(await idsOf('appointment', bob, { userId: ann.id }), [])
    const all = await idsOf('appointment', tracker.administrator, { assignmentId })
    assert.deepEqual(all.sort(), [mine?.id, theirs?.id].sort())
  })

  test('of a project are visible to its members, until they leave it', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project)
    const outsider = await tracker.signUp()
    const task = await tracker.makeRemoved('assignment', { projectId: project.id })
    assert.deepEqual(await idsOf('assignment', ann), [task.id])
    assert.deepEqual(await idsOf('assignment', outsider, withIds(task)), [])
    const [membership] = (await tracker.list('userProject', { userId: ann.id }, ann)).page?.data ?? []
    await remove('userProject', membership as Row)
    assert.deepEqual(await idsOf('assignment', ann, withIds(task)), [])
    assert.deepEqual(await idsOf('userProject', ann), [], 'Former members cannot restore their membership.')
  })

  test('include a project and its rows for users whose membership was removed with it', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project)
    const task = await tracker.makeRemoved('assignment', { projectId: project.id })
    await remove('project', project)
    assert.deepEqual(await idsOf('project', ann), [project.id])
    assert.deepEqual(await idsOf('assignment', ann), [task.id], 'It can be restored after the project.')
    await done(tracker.restore('project', [project.id], ann))
    await done(tracker.restore('assignment', [task.id], ann))
  })

  test('include a link that was removed by itself, not one that is restored with its parent', async () => {
    const project = await tracker.make('project')
    const [ann, bob] = await Promise.all([tracker.memberOf(project), tracker.memberOf(project)])
    const links = await tracker.list('userProject', { projectId: project.id }, ann)
    const linkOf = ({ id }: { id: string }) => links.page?.data.find((row) => row.userId === id) as Row
    await remove('userProject', linkOf(bob))
    assert.deepEqual(await idsOf('userProject', ann), [linkOf(bob).id])
    await remove('project', project)
    const filter = { projectId: project.id }
    assert.deepEqual(await idsOf('userProject', tracker.administrator, filter), [linkOf(bob).id])
    await done(tracker.restore('project', [project.id], tracker.administrator))
    await recordIn(tracker.get('userProject', linkOf(ann).id, ann))
  })

  test('have a live listing, which follows removals, restored rows and lost memberships', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project)
    const task = await tracker.make('assignment', { projectId: project.id })
    await using live = await openEventStream(tracker.address, removedPathOf('assignment'), {
      token: ann.token,
    })
    const next = async () => (await live.next()).data.result.data.map(({ id }: Row) => id)
    assert.deepEqual(await next(), [])
    await remove('assignment', task)
    assert.deepEqual(await next(), [task.id])
    const [membership] = (await tracker.list('userProject', { userId: ann.id }, ann)).page?.data ?? []
    await remove('userProject', membership as Row)
    assert.deepEqual(await next(), [])
    await done(tracker.restore('userProject', [membership?.id], tracker.administrator))
    assert.deepEqual(await next(), [task.id])
    await done(tracker.restore('assignment', [task.id], ann))
    assert.deepEqual(await next(), [])
  })
})

interface RemovedRow {
  readonly entity: Entity
  readonly id: string
  /** The references to parents that are removed, too. */
  readonly removedParents: readonly string[]
  /** Whether it is a link that was removed together with its parent. */
  readonly wasRemovedWithParent: boolean
}

const roles = ['administrator', 'owner', 'member', 'formerMember', 'outsider'] as const
type People = Readonly<Record<(typeof roles)[number], Person>>

/** The login of a removed user. An active user has taken it since. */
const takenLogin = 'taken@example.com'

describe('A user who lists removed rows', () => {
  let people: People
  let removedRows: readonly RemovedRow[]

  const rest = fixture(startRestUnderTest)
  /**
   * Creates three projects with rows that were removed in each possible way. One project is removed itself,
   * and one has no members except the administrator.
   */
  before(async () => {
    const workspace = await seed(rest)
    const [owner, member, formerMember, outsider, removedUser] = (await Promise.all(
      ['Ann', 'Bob', 'Carl', 'Dora', 'Erik'].map((name) => rest.signUp({ name })),
    )) as [Person, Person, Person, Person, Person]
    people = { administrator: rest.administrator, owner, member, formerMember, outsider }
    const ownProjects = [
      await createProject(workspace, people, owner),
      await createProject(workspace, people, owner),
    ]
    await createProject(workspace, people, rest.administrator)
    for (const project of ownProjects) {
      await workspace.join(project, member.id)
      await remove(workspace, 'userProject', await workspace.join(project, formerMember.id))
      await workspace.join(project, removedUser.id)
    }
    await removeProject(rest, workspace, ownProjects[0] ?? '')
    await createRemovedCatalogs(workspace, owner)
    await remove(workspace, 'user', removedUser.id, (await rest.signUp({ login: takenLogin })).id)
    await rest.signUp({ login: takenLogin })
    removedRows = await findRemovedRows(rest)
    assert.deepEqual([...new Set(valuesOf(removedRows, 'entity'))].sort(), [...entities].sort())
  })

  const listOf = async (entity: Entity, { token }: Person) => {
    const { status, body } = await rest.call('GET', `/ext/removed/${resources[entity].list}?pageSize=100`, {
      token,
    })
    return { status, ids: (body.result?.data ?? []).map(({ id }: RemovedRow) => id) as string[] }
  }

  /** Restored rows are removed again, so that all callers see the same rows. */
  const tryToRestore = async ({ entity, id }: RemovedRow, { token }: Person) => {
    const body = { ids: [id] }
    const answer = await rest.call('POST', `${pathOf(entity)}/restore`, { token, body })
    if (answer.status === 200) await rest.administrator.call('DELETE', pathOf(entity), body)
    return answer
  }

  for (const name of roles)
    for (const entity of entities)
      test(`as ${name} can restore exactly the listed rows of ${entity} whose parents are active`, async () => {
        const rows = removedRows.filter((row) => row.entity === entity)
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

  test('sees only their own appointments', async () => {
    const counts = await Promise.all(
      roles.map(async (name) => {
        const path = '/ext/removed/appointments?pageSize=100'
        return (await rest.call('GET', path, { token: people[name].token })).body.result.totalCount
      }),
    )
    // Three projects with two assignments each, all of which have one appointment of the owner and one of the
    // member.
    assert.deepEqual(counts, [12, 4, 4, 0, 0])
  })
})

type Values = Readonly<Record<string, unknown>>

const create = async (workspace: Workspace, entity: Entity, values: Values): Promise<string> =>
  (await workspace.make(entity, values)).id

const remove = (workspace: Workspace, entity: Entity, ...ids: readonly string[]) =>
  workspace.write('DELETE', pathOf(entity), { ids })

const createRemoved = async (workspace: Workspace, entity: Entity, values: Values) =>
  remove(workspace, entity, await create(workspace, entity, values))

/** Creates a project with an active and a removed assignment, both of which have removed and active rows. */
async function createProject(workspace: Workspace, people: People, creator: Person): Promise<string> {
  const project = await workspace.project('Project', creator)
  const [assignment, removedAssignment] = await Promise.all([
    workspace.assignment(project, people.owner.id),
    workspace.assignment(project, people.member.id),
  ])
  for (const id of [assignment, removedAssignment]) await createRowsOf(workspace, people, project, id)
  await remove(workspace, 'assignment', removedAssignment)
  return project
}

/** Creates rows of every resource that refers to an assignment or its project, and removes some of them. */
async function createRowsOf(
  workspace: Workspace,
  { owner, member }: People,
  project: string,
  assignmentId: string,
): Promise<void> {
  const { organizationId, workflowId, assignmentTypeId, impedimentId } = workspace
  for (const { id } of [owner, member])
    await remove(workspace, 'appointment', await workspace.appointment(assignmentId, id))
  await createRemoved(workspace, 'assignmentImpediment', { assignmentId, impedimentId })
  await createRemoved(workspace, 'userAssignment', { assignmentId, userId: owner.id })
  await create(workspace, 'userAssignment', { assignmentId, userId: member.id })
  const parents: Parents = {
    organization: organizationId,
    workflow: workflowId,
    assignmentType: assignmentTypeId,
    impediment: impedimentId,
    project,
    assignment: assignmentId,
    user: owner.id,
  }
  await Promise.all(
    extensionEntities.map(async (entity) => {
      const body = bodyOf(entity, parents)
      const uniqueValues = uniqueValuesIn(workspace, project, owner)[entity] ?? (async () => ({}))
      await createRemoved(workspace, entity, { ...body, ...(await uniqueValues()) })
      await create(workspace, entity, { ...body, ...(await uniqueValues()) })
    }),
  )
}

const extensionEntities = entities.filter((entity) => resources[entity].root === '/ext')

/** The ids that new rows refer to, by resource. */
type Parents = Readonly<Partial<Record<Entity, string>>>

function bodyOf(entity: Entity, parents: Parents): Values {
  const { sample, references } = resources[entity]
  const ids = Object.entries(references).map(([column, parent]) => [column, parents[parent]])
  return { ...sample, ...Object.fromEntries(ids) }
}

/** Returns functions that create the values in which two rows of a resource must differ. */
const uniqueValuesIn = (
  workspace: Workspace,
  project: string,
  { id: userId }: Person,
): Readonly<Partial<Record<Entity, () => Promise<Values>>>> => ({
  label: async () => ({ name: newWord() }),
  assignmentLabel: async () => ({
    labelId: await create(workspace, 'label', { name: newWord(), color: 'red', projectId: project }),
  }),
  projectStage: async () => ({
    workflowId: await create(workspace, 'workflow', { name: newWord(), order: 1 }),
  }),
  assignmentDependency: async () => ({ blockedById: await workspace.assignment(project, userId) }),
})

/** Removes the assignments of a project, because they prevent its removal, and then the project. */
async function removeProject(rest: RestUnderTest, workspace: Workspace, project: string): Promise<void> {
  const { body } = await rest.administrator.call('GET', `/api/assignments?pageSize=100&projectId=${project}`)
  await remove(workspace, 'assignment', ...valuesOf<'id', string>(body.result.data, 'id'))
  await remove(workspace, 'project', project)
}

/** Creates a removed row of each catalog, and a removed project of the removed organization. */
async function createRemovedCatalogs(workspace: Workspace, owner: Person): Promise<void> {
  const organizationId = await create(workspace, 'organization', { name: 'Removed' })
  const project = await create(workspace, 'project', { name: 'Of a removed organization', organizationId })
  await workspace.join(project, owner.id)
  await remove(workspace, 'project', project)
  await remove(workspace, 'organization', organizationId)
  await createRemoved(workspace, 'workflow', { name: 'Removed', order: 9 })
  await createRemoved(workspace, 'assignmentType', { name: 'Removed' })
  await createRemoved(workspace, 'impediment', { name: 'Removed' })
}

/** Returns the possible statuses of an attempt to restore the row. */
function expected({ entity, removedParents, wasRemovedWithParent }: RemovedRow, isListed: boolean): number[] {
  if (!isListed) return wasRemovedWithParent ? [400, 403, 404] : [403, 404]
  if (removedParents.length > 0) return [400]
  return entity === 'user' ? [200, 409] : [200]
}

async function findRemovedRows({ database }: RestUnderTest): Promise<RemovedRow[]> {
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
    removedParents: Object.keys(resources[entity].references).filter(
      (column) =>
        !resources[entity].staying.includes(column) &&
        ids.has(row[column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
    ),
    wasRemovedWithParent: (row.removed_with ?? null) !== null,
  }))
}
