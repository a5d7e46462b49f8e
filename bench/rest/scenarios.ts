import { randomUUID } from 'node:crypto'
import type { Shot } from '../load.ts'
import type { SeededStore } from './seed.ts'

export type ScenarioName = 'get' | 'list 20' | 'create' | 'update' | 'mixed'

export interface Scenario {
  readonly name: ScenarioName
  /** Processor milliseconds of the host per request, from the design; none for the mix. */
  readonly budgetMilliseconds?: number
  readonly shot: (count: number) => Shot
}

/** The usual requests of an ordinary member. */
export function scenariosFor({ projects, assignments }: SeededStore, token: string): readonly Scenario[] {
  const headers = { authorization: `Bearer ${token}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
  const get = (count: number): Shot => ({
    method: 'GET',
    path: `/api/assignment?id=${pick(assignments, count).id}`,
    headers,
  })
  const list = (count: number): Shot => ({
    method: 'GET',
    path: `/api/assignments?pageSize=20&projectId=${pick(projects, count)}`,
    headers,
  })
  const create = (count: number): Shot => {
    const { id: _known, ...body } = pick(assignments, count)
    return {
      method: 'POST',
      path: '/api/assignment',
      headers: json,
      body: JSON.stringify({ ...body, id: randomUUID() }),
    }
  }
  const update = (count: number): Shot => ({
    method: 'PATCH',
    path: '/api/assignment',
    headers: json,
    body: JSON.stringify({ ...pick(assignments, count), name: `Assignment, changed ${count} times` }),
  })
  // Ten requests: five lists, three records, one new, one changed.
  const mix = [list, get, list, create, list, get, list, update, list, get]
  return [
    { name: 'get', budgetMilliseconds: 0.35, shot: get },
    { name: 'list 20', budgetMilliseconds: 0.8, shot: list },
    { name: 'create', budgetMilliseconds: 0.6, shot: create },
    { name: 'update', budgetMilliseconds: 0.45, shot: update },
    { name: 'mixed', shot: (count) => pick(mix, count)(count) },
  ]
}
