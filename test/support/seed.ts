import assert from 'node:assert/strict'
import { type Entity, pathOf } from '../contract/resources.ts'
import type { Person, RestUnderTest } from './rest-host.ts'

type Body = Readonly<Record<string, unknown>>

export interface Workspace {
  readonly organizationId: string
  readonly workflowId: string
  readonly assignmentTypeId: string
  readonly impedimentId: string
  /**
   * Creates a row over the network, by default as the administrator, and returns the record. An attachment
   * gets a file.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a record is what came over the network
  make(resource: string, body: Body, by?: Person): Promise<any>
  /** Sends a write that must succeed. */
  write(method: string, path: string, body: Body, by?: Person): Promise<void>
  project(name?: string, by?: Person): Promise<string>
  assignment(projectId: string, userId: string, values?: Body): Promise<string>
  appointment(assignmentId: string, userId: string, values?: Body): Promise<string>
  join(projectId: string, userId: string): Promise<string>
}

/** Creates catalog rows, and returns short functions that create rows that refer to them. */
export async function seed(rest: RestUnderTest): Promise<Workspace> {
  const send = async (method: string, path: string, body: Body, by: Person = rest.administrator) => {
    const answer = await by.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const make = async (resource: string, body: Body, by?: Person) => {
    const created =
      resource === 'attachment'
        ? await upload(body, by)
        : await send('POST', pathOf(resource as Entity), body, by)
    return created[resource]
  }
  /** Creates an attachment by uploading a file. */
  const upload = async ({ name = 'notes.txt', assignmentId }: Body, by: Person = rest.administrator) => {
    const query = new URLSearchParams({ name: String(name), assignmentId: String(assignmentId) })
    const response = await fetch(`${rest.address}/ext/attachment?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}` },
      body: 'Something to read',
    })
    assert.equal(response.status, 200)
    return response.json()
  }
  const [organization, workflow, assignmentType, impediment] = await Promise.all([
    make('organization', { name: 'Lighthouse' }),
    make('workflow', { name: 'Doing', order: 1 }),
    make('assignmentType', { name: 'Feature' }),
    make('impediment', { name: 'Waiting' }),
  ])
  const organizationId: string = organization.id
  return {
    organizationId,
    workflowId: workflow.id,
    assignmentTypeId: assignmentType.id,
    impedimentId: impediment.id,
    make,
    async write(method, path, body, by) {
      await send(method, path, body, by)
    },
    project: async (name = 'Relaunch', by) => (await make('project', { name, organizationId }, by)).id,
    assignment: async (projectId, userId, values = {}) =>
      (
        await make('assignment', {
          name: 'Write',
          startDate: '2026-01-05',
          endDate: '2026-01-09',
          amountHours: 4,
          projectId,
          workflowId: workflow.id,
          userId,
          assignmentTypeId: assignmentType.id,
          ...values,
        })
      ).id,
    appointment: async (assignmentId, userId, values = {}) =>
      (await make('appointment', { keepDate: '2026-01-05', amountHours: 1, assignmentId, userId, ...values }))
        .id,
    join: async (projectId, userId) => (await make('userProject', { projectId, userId })).id,
  }
}
