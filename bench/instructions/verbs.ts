import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import type { Caller } from '../../src/model/caller.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { get } from '../../src/records/get.ts'
import { list } from '../../src/records/list.ts'
import { parseListQuery } from '../../src/records/list-query.ts'
import { update } from '../../src/records/update.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import type { SeededStore } from '../rest/seed.ts'

export type Verb = (context: Context, number: number) => Promise<unknown>

/** Minimum costs for comparison: a lookup by primary key and a plain insert, without checks or history. */
export const floorsOf = ({ member }: SeededStore): Readonly<Record<'read' | 'write', Verb>> => ({
  read: ({ database }) => database.query(sql`select * from users where id = ${member.id}`),
  write: ({ database }) =>
    database.singleWrites.query(
      sql`insert into impediments (id, name) values (${newId()}, ${'I'}) returning *`,
    ),
})

/** The usual operations of an ordinary member, with all checks and history. */
export function verbsOf({
  member,
  projects,
  organizations,
  assignments,
}: SeededStore): Readonly<Record<string, Verb>> {
  const origin = {
    sessionId: 'session-of-22-letters-',
    clientId: 'siteclient',
    host: 'rest',
    requestId: newId(),
  }
  const caller = { id: member.id, isAdministrator: false, origin } as Caller
  const administrator = { ...caller, isAdministrator: true }
  const [row = {}] = assignments
  const { id, ...values } = row
  const [organizationId] = organizations
  const pick = <Item>(items: readonly Item[], number: number) => items[number % items.length] as Item
  const resource = resourceNamed
  const page = parseListQuery(resource('assignment'), { pageSize: '20', projectId: String(row.projectId) })
  return {
    'get an assignment': (context, number) =>
      get(context, resource('assignment'), caller, { id: pick(assignments, number).id }),
    // Uses `query` without the time limit of lists, which a counted store would exceed.
    'list 20 assignments of a project': (context) =>
      list(context, resource('assignment'), caller, page, context.database),
    'create an assignment': (context) => create(context, resource('assignment'), caller, values),
    'create an appointment': (context) =>
      create(context, resource('appointment'), caller, {
        keepDate: '2026-01-01',
        amountHours: 1,
        assignmentId: id,
        userId: member.id,
      }),
    'create a project': (context) =>
      create(context, resource('project'), caller, { name: 'P', organizationId }),
    'create an impediment': (context) =>
      create(context, resource('impediment'), administrator, { name: 'I' }),
    'update an assignment': (context, number) =>
      update(context, resource('assignment'), caller, { ...pick(assignments, number), name: `N ${number}` }),
    'create 8 assignments at once': (context) =>
      eight(() => create(context, resource('assignment'), caller, values)),
    'update 8 assignments at once': (context, number) =>
      eight((index) => {
        const changed = pick(assignments, number * 8 + index)
        return update(context, resource('assignment'), caller, { ...changed, name: `N ${number}` })
      }),
    'update a project': (context, number) =>
      update(context, resource('project'), caller, {
        id: pick(projects, number),
        name: `N ${number}`,
        organizationId,
      }),
  }
}

const eight = (work: (index: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: 8 }, (_, index) => work(index)))
