import { randomUUID } from 'node:crypto'
import type { Shot } from '../load.ts'
import type { GrownStore } from './seed.ts'

export interface Tokens {
  readonly member: string
  readonly administrator: string
}

/** Requests that are the same at every size. A member sees 500 assignments at every size, an administrator all of them. */
export const scenarios: Readonly<
  Record<string, (store: GrownStore, tokens: Tokens) => (count: number) => Shot>
> = {
  get:
    ({ assignments }, { member }) =>
    (count) =>
      read(member, `/api/assignment?id=${pick(assignments, count).id}`),
  'list of a project':
    ({ projects }, { member }) =>
    (count) =>
      read(member, `/api/assignments?pageSize=20&projectId=${pick(projects, count)}`),
  'list of a member':
    (_, { member }) =>
    () =>
      read(member, '/api/assignments?pageSize=20'),
  'list of an administrator':
    (_, { administrator }) =>
    () =>
      read(administrator, '/api/assignments?pageSize=20'),
  'search of a member':
    (_, { member }) =>
    (count) =>
      read(member, `/api/assignments?pageSize=20&search=${(count % 4096).toString(16).padStart(3, '0')}`),
  create:
    ({ assignments }, { member }) =>
    (count) => {
      const { id: _known, ...body } = pick(assignments, count)
      return write(member, 'POST', { ...body, id: randomUUID(), name: 'Created while measured' })
    },
  update:
    ({ assignments }, { member }) =>
    (count) =>
      write(member, 'PATCH', { ...pick(assignments, count), name: `Changed ${count} times` }),
}

const read = (token: string, path: string): Shot => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${token}` },
})

const write = (token: string, method: string, body: object): Shot => ({
  method,
  path: '/api/assignment',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
