import { randomUUID } from 'node:crypto'
import { insertRow, newId } from '../../src/db/rows.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { valuesOf } from '../support/assertions.ts'
import type { Caller, Host, Input, Outcome, Person, Row } from './driver.ts'
import { recordIn } from './outcomes.ts'
import { creatable, type Entity, resources, withinProject } from './resources.ts'

/** Makes rows for tests. Parents that `values` does not name are shared by many rows, and never removed. */
export interface RowMaker {
  /** Returns a valid body for a create, with `values` in place of the defaults. */
  valid(entity: Entity, values?: Input): Promise<Input>
  make(entity: Entity, values?: Input, as?: Caller): Promise<Row>
  makeRemoved(entity: Entity, values?: Input): Promise<Row>
  removeRows(entity: Entity, ...rows: readonly Pick<Row, 'id'>[]): Promise<Outcome>
  /** Returns the values that a new parent needs so that the row, or a link to the row, may refer to it. */
  relatedValues(entity: Entity, row: Row): Input
  /** Returns the body of an update that changes the fields in `values`. */
  change(entity: Entity, row: Row, values?: Input): Input
  /** Signs up a new user who is a member of these projects. */
  memberOf(...projects: readonly Row[]): Promise<Person>
}

export function rowMaker(host: Host): RowMaker {
  const shared = new Map<Entity, Promise<Row>>()
  const sharedParent = (entity: Entity): Promise<Row> => {
    const parent = shared.get(entity) ?? make(entity)
    shared.set(entity, parent)
    return parent
  }
  const projectOf = new Map<unknown, unknown>()
  /** A link may exist only once, so its parents are new, in the project of the row that `values` refer to. */
  const ownParents = async (entity: Entity, values: Input): Promise<Input> => {
    const knownRow = Object.values(values).find((id) => projectOf.has(id))
    const projectId = knownRow === undefined ? (await make('project')).id : projectOf.get(knownRow)
    const parents = Object.entries(resources[entity].references).map(async ([column, parent]) => [
      column,
      values[column] ?? (await make(parent, { projectId })).id,
    ])
    return Object.fromEntries(await Promise.all(parents))
  }
  const valid = async (entity: Entity, values: Input = {}): Promise<Input> => {
    const { references, sample } = resources[entity]
    if (withinProject.includes(entity)) return { ...sample, ...(await ownParents(entity, values)), ...values }
    const parents = Object.entries(references).filter(([column]) => !(column in values))
    const ids = await Promise.all(
      parents.map(async ([column, parent]) => {
        const row = await (newParents[entity] === parent ? make(parent) : sharedParent(parent))
        return [column, row.id]
      }),
    )
    return {
      ...sample,
      ...(entity === 'user' && { login: `${randomUUID()}@example.com` }),
      ...(entity === 'label' && { name: newWord() }),
      ...Object.fromEntries(ids),
      ...values,
    }
  }
  const make = async (entity: Entity, values?: Input, as: Caller = host.administrator): Promise<Row> => {
    const body = await valid(entity, values)
    const row = await (creatable.includes(entity)
      ? recordIn(host.create(entity, body, as))
      : recordIn(insert(host, entity, body)))
    projectOf.set(row.id, row.projectId ?? projectOf.get(row.assignmentId))
    return row
  }
  return {
    valid,
    make,
    async makeRemoved(entity, values) {
      const row = await make(entity, values)
      await host.remove(entity, [row.id], host.administrator)
      return row
    },
    removeRows: (entity, ...rows) => host.remove(entity, valuesOf(rows, 'id'), host.administrator),
    relatedValues: (entity, { id }) =>
      withinProject.includes(entity) ? { projectId: projectOf.get(id) } : {},
    change(entity, row, values = {}) {
      const { own, byServer } = resources[entity]
      const bodyFields = ['id', ...own.filter((field) => !byServer.includes(field))]
      return { ...Object.fromEntries(bodyFields.map((field) => [field, row[field]])), ...values }
    },
    async memberOf(...projects) {
      const person = await host.signUp()
      await Promise.all(projects.map(({ id }) => make('userProject', { userId: person.id, projectId: id })))
      return person
    },
  }
}

/** Rows cannot share these parents. A project has a limited number of labels, and uses a stage once. */
const newParents: Partial<Record<Entity, Entity>> = { label: 'project', projectStage: 'workflow' }

/**
 * Inserts a row like the create route of the resource. That route is not in the contract and not on every
 * host.
 */
async function insert(host: Host, entity: Entity, body: Input): Promise<Outcome> {
  const values = Object.fromEntries(resources[entity].own.map((field) => [field, trimText(body[field])]))
  const { id = newId() } = body as { readonly id?: string }
  const writer = {
    id: host.administrator.id,
    origin: { address: '', requestId: randomUUID(), host: 'rest' },
  } as const
  await insertRow(host.database.singleWrites, resourceNamed(entity), writer, { id, ...values })
  return host.get(entity, id, host.administrator)
}

const trimText = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)

/** Returns a word that no other row contains. */
export const newWord = () => `w${randomUUID().replaceAll('-', '')}`

/** Returns a function that makes something on its first call, for tests that only read what it returns. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= make()
    return result
  }
}
