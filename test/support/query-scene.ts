import assert from 'node:assert/strict'
import { type Entity, entities, resources } from '../contract/resources.ts'
import { type Person, startRestUnderTest } from './rest-host.ts'
import { seed, type Workspace } from './seed.ts'

export type Query = Readonly<Record<string, string>>

/** Ann and Bob share a project with four assignments, and Carl has another project. */
export async function queryScene() {
  const rest = await startRestUnderTest()
  const workspace = await seed(rest)
  const [ann, bob, carl] = await Promise.all([
    rest.signUp({ name: 'Ann' }),
    rest.signUp({ name: 'Bob' }),
    rest.signUp({ name: 'Carl' }),
  ])
  const project = await workspace.project('Relaunch', ann)
  await workspace.join(project, bob.id)
  const other = await workspace.project('Elsewhere', carl)
  const make = (name: string, by: Person, values = {}) =>
    workspace.assignment(by === carl ? other : project, by.id, { name, ...values })
  const writeId = await make('Write', ann, { amountHours: 4, description: 'the plan, 100%' })
  const drawId = await make('Draw', bob, { amountHours: 2.5, startDate: '2026-01-06' })
  // A write without changes sets `updatedAt`, so Draw is the only assignment that has this value.
  const { body } = await rest.call('GET', `/api/assignment?id=${drawId}`, { token: bob.token })
  await workspace.write('PATCH', '/api/assignment', body.assignment, bob)
  await make('Print', bob, { amountHours: 4, startDate: '2026-02-02', endDate: '2026-02-03' })
  await make("Pack 'em", ann, { amountHours: 12, endDate: '2026-03-01' })
  await make('Hidden', carl, {})
  await workspace.appointment(writeId, ann.id, { amountHours: 1.25 })
  await workspace.appointment(drawId, bob.id)
  await workspace.make('comment', { text: 'Yes', assignmentId: writeId, userId: bob.id }, bob)
  await workspace.make('userAssignment', { userId: bob.id, assignmentId: drawId })
  const { impedimentId } = workspace
  await workspace.make('assignmentImpediment', { assignmentId: drawId, impedimentId })
  await workspace.make('assignmentDependency', { assignmentId: writeId, blockedById: drawId })
  await makeOthers(workspace, { project, assignment: writeId, user: ann.id })

  const view = { name: 'Mine', list: 'assignments', userId: ann.id }
  await workspace.make('savedView', view, ann)
  await workspace.make('projectView', { ...view, projectId: project }, ann)

  const ask = (list: string, query: Query, person: Person = ann) =>
    rest.call('GET', `/ext/query/${list}?${new URLSearchParams(query)}`, { token: person.token })
  const pageOf = async (list: string, query: Query, person?: Person) => {
    const answer = await ask(list, query, person)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  return {
    rest,
    workspace,
    ann,
    bob,
    carl,
    project,
    other,
    writeId,
    drawId,
    ask,
    pageOf,
    /** Follows the cursors, and returns the ids of the rows on all pages. */
    async idsOf(list: string, query: Query, person: Person): Promise<string[]> {
      const ids: string[] = []
      let cursor: string | null = null
      do {
        const page = await pageOf(list, { ...query, ...(cursor !== null && { cursor }) }, person)
        ids.push(...page.data.map(({ id }: { id: string }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      return ids
    },
  }
}

/** The resources whose rows the scene creates explicitly. */
const explicitEntities: readonly Entity[] = [
  'userProject',
  'appointment',
  'userAssignment',
  'assignmentImpediment',
  'comment',
  'assignmentDependency',
]

/** Creates a row of each remaining resource, so that new resources are included. */
async function makeOthers(workspace: Workspace, ids: Readonly<Partial<Record<Entity, string>>>) {
  const rowIds: Partial<Record<Entity, string>> = {
    ...ids,
    organization: workspace.organizationId,
    workflow: workspace.workflowId,
    assignmentType: workspace.assignmentTypeId,
    impediment: workspace.impedimentId,
  }
  for (const entity of entities.filter((name) => !(name in rowIds) && !explicitEntities.includes(name))) {
    const { sample, references } = resources[entity]
    const parents = Object.entries(references).map(([column, parent]) => [column, rowIds[parent]])
    rowIds[entity] = (await workspace.make(entity, { ...sample, ...Object.fromEntries(parents) })).id
  }
}
