import { randomUUID } from 'node:crypto'
import { commandsOfEdition } from '../../src/hosts/commands/main.ts'
import type { Content, Encoding } from '../../src/hosts/commands/message.ts'
import { pathsOf } from '../../src/hosts/commands/register-commands.ts'
import type { LoadRequest } from '../load.ts'
import type { SeededStore } from '../rest/seed.ts'

export interface Twin {
  readonly name: 'get' | 'list 20' | 'create' | 'update'
  readonly rest: (count: number) => LoadRequest
  readonly command: string
  readonly request: (count: number) => Content
}

/** Returns pairs of the same work, as a REST request and as a command. */
export function twinsFor({ projects, assignments }: SeededStore, token: string): readonly Twin[] {
  const headers = { authorization: `Bearer ${token}` }
  const json = { ...headers, 'content-type': 'application/json' }
  /** Picks scattered items for consecutive counts. The step is prime, so every item has its turn. */
  const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
  const newRow = (count: number) => ({ ...pick(assignments, count), id: randomUUID() })
  const changed = (count: number) => ({ ...pick(assignments, count), name: `Changed ${count} times` })
  const send = (method: string, body: object): LoadRequest => ({
    method,
    path: '/api/assignment',
    headers: json,
    body: JSON.stringify(body),
  })
  const get = (path: string): LoadRequest => ({ method: 'GET', path, headers })
  return [
    {
      name: 'get',
      rest: (count) => get(`/api/assignment?id=${pick(assignments, count).id}`),
      command: 'GetAssignmentById',
      request: (count) => ({ id: pick(assignments, count).id }),
    },
    {
      name: 'list 20',
      rest: (count) => get(`/api/assignments?pageSize=20&projectId=${pick(projects, count)}`),
      command: 'ListAssignments',
      request: (count) => ({ pagination: { pageSize: 20, projectId: pick(projects, count) } }),
    },
    {
      name: 'create',
      rest: (count) => send('POST', newRow(count)),
      command: 'CreateAssignment',
      request: newRow,
    },
    {
      name: 'update',
      rest: (count) => send('PATCH', changed(count)),
      command: 'UpdateAssignment',
      request: changed,
    },
  ]
}

export interface Wire {
  readonly path: string
  write(content: Content): Buffer
}

/** Returns how a client of this encoding sends a command. */
export function wireOf(name: string, encoding: Encoding): Wire {
  const command = commandsOfEdition('v1').find((candidate) => candidate.name === name)
  const path =
    command && pathsOf(command, 'GrpcServer.Contracts.Commands').find((each) => each.encoding === encoding)
  if (!path) throw new Error(`There is no command ${name}.`)
  return { path: path.path, write: encoding.writer(command.request) }
}
