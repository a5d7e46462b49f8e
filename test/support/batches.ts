import { type Entity, pathOf } from '../contract/resources.ts'
import { type Answer, type Person, type RestUnderTest, startRestUnderTest } from './rest-host.ts'
import { seed, type Workspace } from './seed.ts'

type Body = Readonly<Record<string, unknown>>

export interface Item {
  readonly operation: string
  readonly resource: string
  readonly body: Body
  readonly label?: string
  readonly ifMatch?: string
}

export const create = (resource: string, body: Body, label?: string): Item => ({
  operation: 'create',
  resource,
  body,
  ...(label && { label }),
})
export const update = (resource: string, body: Body, ifMatch?: string): Item => ({
  operation: 'update',
  resource,
  body,
  ...(ifMatch !== undefined && { ifMatch }),
})
export const remove = (resource: string, ...ids: unknown[]): Item => ({
  operation: 'remove',
  resource,
  body: { ids },
})
export const restore = (resource: string, ...ids: unknown[]): Item => ({
  operation: 'restore',
  resource,
  body: { ids },
})

export const statusesOf = ({ body }: Answer): number[] =>
  body.results.map(({ statusCode }: { statusCode: number }) => statusCode)

export interface BatchSetting {
  readonly rest: RestUnderTest
  readonly workspace: Workspace
  stop(): Promise<void>
  /** Sends a batch, by default as the administrator. */
  post(body: unknown, by?: Person, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Sends a batch that is all or nothing. */
  all(items: readonly Item[], by?: Person): Promise<Answer>
  /** Sends a batch with a result for each item. */
  each(items: readonly Item[], by?: Person): Promise<Answer>
  get(resource: string, id: string): Promise<Answer>
  countOf(list: string, search: string): Promise<number>
  /** Returns the body of an assignment. The values must include its project. */
  assignment(values: Body): Body
}

/** Starts a host with catalogs, and returns short functions that send batches to it. */
export async function batchSetting(): Promise<BatchSetting> {
  const rest = await startRestUnderTest()
  const workspace = await seed(rest)
  const post: BatchSetting['post'] = (body, by = rest.administrator, headers = {}) =>
    rest.call('POST', '/ext/batch', { token: by.token, body, headers })
  const { token } = rest.administrator
  return {
    rest,
    workspace,
    stop: () => rest.stop(),
    post,
    all: (items, by) => post({ items }, by),
    each: (items, by) => post({ mode: 'eachForItself', items }, by),
    get: (resource, id) => rest.call('GET', `${pathOf(resource as Entity)}?id=${id}`, { token }),
    countOf: async (list, search) =>
      (await rest.call('GET', `/api/${list}?search=${search}`, { token })).body.result.totalCount,
    assignment: (values) => ({
      name: 'Write',
      startDate: '2026-01-05',
      endDate: '2026-01-09T12:00:00.123456Z',
      amountHours: 4.25,
      workflowId: workspace.workflowId,
      assignmentTypeId: workspace.assignmentTypeId,
      userId: rest.administrator.id,
      ...values,
    }),
  }
}
