import { randomUUID } from 'node:crypto'
import type { LoadRequest } from '../load.ts'
import type { SeededStore } from './seed.ts'

export type ScenarioName = 'get' | 'list 20' | 'create' | 'update' | 'mixed'

export interface Scenario {
  readonly name: ScenarioName
  /** The CPU budget of the host, in milliseconds per request. Undefined for `mixed`. */
  readonly budgetMilliseconds?: number
  readonly makeRequest: (count: number) => LoadRequest
}

/** The usual requests of an ordinary member. */
export function scenariosFor({ projects, assignments }: SeededStore, token: string): readonly Scenario[] {
  const headers = { authorization: `Bearer ${token}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
  const get = (count: number): LoadRequest => ({
    method: 'GET',
    path: `/api/assignment?id=${pick(assignments, count).id}`,
    headers,
  })
  const list = (count: number): LoadRequest => ({
    method: 'GET',
    path: `/api/assignments?pageSize=20&projectId=${pick(projects, count)}`,
    headers,
  })
  const create = (count: number): LoadRequest => ({
    method: 'POST',
    path: '/api/assignment',
    headers: json,
    body: JSON.stringify({ ...pick(assignments, count), id: randomUUID() }),
  })
  const update = (count: number): LoadRequest => ({
    method: 'PATCH',
    path: '/api/assignment',
    headers: json,
    body: JSON.stringify({ ...pick(assignments, count), name: `Assignment, changed ${count} times` }),
  })
  // Ten requests: five lists, three gets, one create, one update.
  const mix = [list, get, list, create, list, get, list, update, list, get]
  return [
    { name: 'get', budgetMilliseconds: 0.35, makeRequest: get },
    { name: 'list 20', budgetMilliseconds: 0.8, makeRequest: list },
    { name: 'create', budgetMilliseconds: 0.6, makeRequest: create },
    { name: 'update', budgetMilliseconds: 0.45, makeRequest: update },
    { name: 'mixed', makeRequest: (count) => pick(mix, count)(count) },
  ]
}
