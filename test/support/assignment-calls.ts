import assert from 'node:assert/strict'
import type { Item } from './batches.ts'
import type { Answer, Person } from './rest-host.ts'
import type { Workspace } from './seed.ts'

type Body = Readonly<Record<string, unknown>>

export interface AssignmentCalls {
  /** Sends a request as `by`, by default the person of the test. */
  call(method: string, path: string, body?: object, by?: Person): Promise<Answer>
  /** Sends a write that must succeed, and returns the body of the response. */
  write(method: string, path: string, body: object, by?: Person): Promise<Answer['body']>
  listOf(path: string, by?: Person): Promise<Answer['body']['result']>
  batch(items: readonly Item[], mode?: string): Promise<Answer>
  bodyOf(projectId: string, values?: Body): Body
}

/** Returns short functions for requests about assignments of one person. */
export function assignmentCalls(workspace: Workspace, person: Person): AssignmentCalls {
  const call: AssignmentCalls['call'] = (method, path, body, by = person) => by.call(method, path, body)
  return {
    call,
    async listOf(path, by) {
      const answer = await call('GET', path, undefined, by)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.result
    },
    batch: (items, mode = 'allOrNothing') => call('POST', '/ext/batch', { mode, items }),
    async write(method, path, body, by) {
      const answer = await call(method, path, body, by)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    },
    bodyOf: (projectId, values = {}) => ({
      name: 'Write',
      startDate: '2026-01-05T00:00:00Z',
      endDate: '2026-01-09T00:00:00Z',
      amountHours: 4,
      projectId,
      workflowId: workspace.workflowId,
      userId: person.id,
      assignmentTypeId: workspace.assignmentTypeId,
      ...values,
    }),
  }
}
