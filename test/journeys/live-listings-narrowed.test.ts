import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture } from '../support/fixture.ts'
import { type LiveReader, openEventStream } from '../support/live-events.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

/** `LIVE_WRITES=2000 npm test -- live-listings-narrowed` makes more writes. */
const writeCount = Number(process.env.LIVE_WRITES ?? 80)
const settleSecondsMax = 30

const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item

interface Watched {
  readonly path: string
  readonly person: Person
  readonly reader: LiveReader
}

describe('Live listings that are read again only after changes that can affect them', () => {
  let people: readonly Person[]
  const projects: string[] = []
  const assignments: string[] = []
  const comments: string[] = []
  const memberships: string[] = []
  const workflows: string[] = []
  const rest = fixture(startRestUnderTest)
  const another = fixture(() => rest.startAnother())
  const workspace = fixture(seed, rest)
  before(async () => {
    people = [rest.administrator, ...(await Promise.all([rest.signUp(), rest.signUp(), rest.signUp()]))]
    const [, first, second] = people as [Person, Person, Person, Person]
    for (const name of ['One', 'Two', 'Three']) projects.push(await workspace.project(name, first))
    memberships.push(await workspace.join(projects[0] ?? '', second.id))
    workflows.push(workspace.workflowId, (await workspace.make('workflow', { name: 'Done', order: 9 })).id)
    for (const projectId of projects)
      for (const { id } of [first, second]) assignments.push(await workspace.assignment(projectId, id))
    for (const assignmentId of assignments.slice(0, 3)) comments.push(await comment(assignmentId))
  })
  const byAdministrator = (method: string, path: string, body: object) =>
    rest.administrator.call(method, path, body)
  const readAssignment = (id: string) => rest.administrator.call('GET', `/api/assignment?id=${id}`)
  const comment = async (assignmentId: string): Promise<string> =>
    (await workspace.make('comment', { text: 'Said', assignmentId, userId: rest.administrator.id })).id

  /** Returns lists of several kinds, each of which contains some of the rows. */
  const paths = () => [
    '/api/assignments?pageSize=50',
    `/api/assignments?projectId=${projects[0]}`,
    `/api/assignments?projectId=${projects[1]}&workflowId=${workflows[0]}`,
    `/api/assignments?userId=${people[1]?.id}&sortColumn=name`,
    `/api/assignments?ids=${assignments[0]},${assignments[4]}`,
    `/ext/comments?assignmentId=${assignments[0]}`,
    '/ext/comments?pageSize=50',
    '/api/projects',
    `/api/userProjects?userId=${people[2]?.id}`,
    '/api/userProjects?pageSize=50',
    `/ext/query/assignments?filter=projectId in ('${projects[0]}','${projects[2]}') and amountHours ge 2&count=true`,
    `/ext/query/assignments?filter=userId eq '${people[2]?.id}'&expand=project,workflow`,
    '/ext/removed/assignments',
    '/ext/people',
  ]

  /** Rejected writes change nothing. */
  const writes: readonly (() => Promise<unknown>)[] = [
    async () => {
      const { body } = await readAssignment(pick(assignments))
      if (!body.assignment) return
      const values = { name: `Name ${randomInt(1000)}`, amountHours: randomInt(1, 5) }
      const references = [
        {},
        { projectId: pick(projects) },
        { workflowId: pick(workflows) },
        { userId: pick(people).id },
      ]
      await byAdministrator('PATCH', '/api/assignment', {
        ...body.assignment,
        ...values,
        ...pick(references),
      })
    },
    () => byAdministrator('DELETE', '/api/assignment', { ids: [pick(assignments)] }),
    () => byAdministrator('POST', '/api/assignment/restore', { ids: [pick(assignments)] }),
    async () => {
      const assignmentId = pick(assignments)
      const body = { text: 'New', assignmentId, userId: rest.administrator.id }
      const answer = await byAdministrator('POST', '/ext/comment', body)
      if (answer.status < 300) comments.push(answer.body.comment.id)
    },
    () =>
      byAdministrator('PATCH', '/ext/comment', {
        id: pick(comments),
        text: `Said ${randomInt(1000)}`,
        assignmentId: pick(assignments),
        userId: rest.administrator.id,
      }),
    async () => {
      const body = { projectId: pick(projects), userId: pick(people).id }
      const answer = await byAdministrator('POST', '/api/userProject', body)
      if (answer.status < 300) memberships.push(answer.body.userProject.id)
    },
    () => byAdministrator('DELETE', '/api/userProject', { ids: [pick(memberships)] }),
    () => byAdministrator('POST', '/api/userProject/restore', { ids: [pick(memberships)] }),
    () => byAdministrator('DELETE', '/ext/comment', { ids: [pick(comments)] }),
    () =>
      byAdministrator('PATCH', '/api/project', {
        id: pick(projects),
        name: `Project ${randomInt(1000)}`,
        organizationId: workspace.organizationId,
      }),
    async () => {
      const answers = await Promise.all(assignments.slice(0, 3).map(readAssignment))
      const found = answers.flatMap(({ body }) => body.assignment ?? [])
      // This transaction changes several rows.
      await byAdministrator('POST', '/ext/batch', {
        items: found.map((assignment) => ({
          operation: 'update',
          resource: 'assignment',
          body: { ...assignment, workflowId: pick(workflows), projectId: pick(projects) },
        })),
      })
    },
  ]

  async function isUpToDate({ path, person, reader }: Watched): Promise<boolean> {
    const { body } = await send(rest.address, 'GET', path, { token: person.token })
    try {
      assert.deepEqual(reader.events.at(-1)?.data, body)
      return true
    } catch {
      return false
    }
  }

  test('show the same as a new request after any writes, on every instance', async () => {
    const watched = await Promise.all(
      [rest, another].flatMap(({ address }) =>
        people.flatMap((person, index) =>
          paths()
            .filter((_, position) => (position + index) % 2 === 0)
            .map(async (path): Promise<Watched> => {
              const reader = await openEventStream(address, path, { token: person.token })
              assert.equal(reader.status, 200, `${path} ${reader.rejection}`)
              return { path, person, reader }
            }),
        ),
      ),
    )
    for (let written = 0; written < writeCount; written += 1) {
      await Promise.all(Array.from({ length: randomInt(1, 4) }, () => pick(writes)()))
      await sleep(randomInt(60))
    }
    const endsAt = Date.now() + settleSecondsMax * 1000
    let outdated: Watched[] = watched
    while (outdated.length > 0 && Date.now() < endsAt) {
      await sleep(200)
      const areUpToDate = await Promise.all(outdated.map(isUpToDate))
      outdated = outdated.filter((_, index) => !areUpToDate[index])
    }
    assert.deepEqual(
      outdated.map(({ path, person }) => `${path} of ${people.indexOf(person)}`),
      [],
    )
    for (const { reader } of watched) reader.close()
  })
})
