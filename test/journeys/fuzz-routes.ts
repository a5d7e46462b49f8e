import { entities, listPathOf, pathOf, resources } from '../contract/resources.ts'

export interface Target {
  readonly method: string
  readonly path: string
}

/** Every route that takes anything. */
export const routes: readonly Target[] = [
  ...entities.flatMap((name) => [
    { method: 'POST', path: pathOf(name) },
    { method: 'GET', path: pathOf(name) },
    { method: 'GET', path: listPathOf(name) },
    { method: 'PATCH', path: pathOf(name) },
    { method: 'DELETE', path: pathOf(name) },
    { method: 'POST', path: `${pathOf(name)}/restore` },
    { method: 'GET', path: `/ext/removed/${resources[name].list}` },
    { method: 'GET', path: `/ext/query/${resources[name].list}` },
  ]),
  { method: 'GET', path: '/api/me' },
  { method: 'PATCH', path: '/api/me' },
  { method: 'GET', path: '/ext/people' },
  { method: 'GET', path: '/ext/reports/hours' },
]
