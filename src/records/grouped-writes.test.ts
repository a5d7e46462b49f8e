import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshContext, outcomesOf } from '../../test/support/fresh-context.ts'
import { isDistributed } from '../../test/support/fresh-database.ts'
import type { Row, Values } from '../db/rows.ts'
import { newId } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed } from '../resources/all.ts'
import { create } from './create.ts'
import { remove } from './remove.ts'
import { update } from './update.ts'

const { context, administrator, make, makeAny, asUser, drop } = await freshContext()
after(drop)
const [assignment, appointment, project, workflow] = [
  resourceNamed('assignment'),
  resourceNamed('appointment'),
  resourceNamed('project'),
  resourceNamed('workflow'),
]

/** Gives the caller a new request, as the hosts do. */
const requestOf = (caller: Caller): Caller => ({
  ...caller,
  origin: {
    address: '',
    sessionId: `session of ${caller.id}`,
    clientId: 'client',
    host: 'rest',
    requestId: newId(),
  },
})

const historyOf = (ids: readonly string[]) =>
  context.database.query<
    Row & { readonly fields: Values }
  >(sql`select history.row_id as id, history.transaction::text, history.caller,
      history.session, history.request, history.action, history.fields
    from history join changes using (sequence)
    where history.row_id = any(${ids}::uuid[]) and history.caller = changes.caller order by sequence`)

const outcomeOf = async (work: Promise<Row>): Promise<string> => {
  try {
    return (await work).id
  } catch (error) {
    const { message, errors } = error as { message: string; errors?: unknown }
    return errors ? JSON.stringify(errors) : message
  }
}

describe('writes that come at the same time', () => {
  const people: { caller: Caller; body: Values }[] = []
  before(async () => {
    const workflowId = (await makeAny('workflow')).id
    const assignmentTypeId = (await makeAny('assignmentType')).id
    for (let count = 0; count < 5; count += 1) {
      const person = await makeAny('user')
      const { id: projectId } = await makeAny('project')
      await make('userProject', { userId: person.id, projectId })
      const body = {
        name: 'Assignment',
        startDate: '2026-01-01T00:00:00Z',
        endDate: '2026-01-02T00:00:00Z',
        amountHours: 1,
        projectId,
        workflowId,
        userId: person.id,
        assignmentTypeId,
      }
      people.push({ caller: asUser(person), body })
    }
  })
  const first = () => people[0] as (typeof people)[0]
  const second = () => people[1] as (typeof people)[0]

  it('share statements, and each keeps its own author, session and request', async () => {
    const requests = people.flatMap(({ caller, body }) =>
      Array.from({ length: 12 }, (_, number) => ({
        caller: requestOf(caller),
        body: { ...body, name: `Number ${number}` },
      })),
    )
    const rows = await Promise.all(
      requests.map(({ caller, body }) => create(context, assignment, caller, body)),
    )
    const renamed = await Promise.all(
      rows.map((row, index) =>
        update(context, assignment, requests[index]?.caller as Caller, {
          ...requests[index]?.body,
          id: row.id,
          name: `Renamed ${index}`,
        }),
      ),
    )
    const entries = await historyOf(rows.map(({ id }) => id))
    assert.equal(entries.length, 2 * requests.length)
    for (const [index, { caller, body }] of requests.entries()) {
      const { id } = rows[index] as Row
      assert.deepEqual([rows[index]?.name, renamed[index]?.name], [body.name, `Renamed ${index}`])
      const [created, changed] = entries.filter((entry) => entry.id === id)
      for (const entry of [created, changed])
        assert.deepEqual(
          [entry?.caller, entry?.session, entry?.request],
          [caller.id, caller.origin?.sessionId, caller.origin?.requestId],
        )
      assert.equal(created?.fields.name, body.name)
      assert.deepEqual(changed?.fields.name, [body.name, `Renamed ${index}`])
    }
    for (const action of ['create', 'update']) {
      const written = entries.filter((entry) => entry.action === action)
      const transactions = new Set(written.map(({ transaction }) => transaction))
      // A sharded store writes each row separately. How many rows share a statement depends on the machine.
      if (isDistributed) assert.equal(transactions.size, written.length)
      else assert.ok(transactions.size < written.length, `${action} in ${transactions.size} transactions`)
    }
  })

  it('are rejected each for its own reason', async () => {
    const removed = await makeAny('workflow')
    await remove(context, workflow, administrator, { ids: [removed.id] })
    const { caller, body } = first()
    const stranger = second().caller
    const [row, foreign] = await Promise.all([
      create(context, assignment, caller, body),
      create(context, assignment, stranger, second().body),
    ])
    const good = Array.from({ length: 10 }, () => create(context, assignment, caller, body))
    const [created, notMember, noWorkflow, noRow, moved, changed] = await Promise.all([
      Promise.all(good),
      outcomeOf(create(context, assignment, stranger, body)),
      outcomeOf(create(context, assignment, caller, { ...body, workflowId: removed.id })),
      outcomeOf(update(context, assignment, caller, { ...body, id: foreign.id })),
      outcomeOf(
        update(context, assignment, caller, { ...body, id: row.id, projectId: second().body.projectId }),
      ),
      Promise.all(
        good.map(async (creation) =>
          update(context, assignment, caller, { ...body, id: (await creation).id }),
        ),
      ),
    ])
    assert.equal(created.length, 10)
    assert.equal(changed.length, 10)
    assert.equal(notMember, 'You are not a member of the project.')
    assert.equal(noWorkflow, '{"workflowId":["WorkflowId must refer to an active workflow."]}')
    assert.equal(noRow, 'Assignment was not found.')
    assert.equal(moved, 'You are not a member of the project.')
  })

  it('give no caller more rights than a single write', async () => {
    const { caller, body } = first()
    const token = {
      id: newId(),
      scopes: ['appointment:write'],
      projectIds: [newId()],
      isOfAdministrator: false,
    }
    const { id: assignmentId } = await create(context, assignment, caller, body)
    const appointmentBody = {
      keepDate: '2026-01-01T00:00:00Z',
      amountHours: 1,
      assignmentId,
      userId: caller.id,
    }
    const settled = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => create(context, appointment, caller, appointmentBody)),
      create(context, appointment, caller, { ...appointmentBody, userId: second().caller.id }),
      create(context, appointment, second().caller, { ...appointmentBody, userId: second().caller.id }),
      create(context, appointment, { ...caller, token }, appointmentBody),
    ])
    assert.deepEqual(outcomesOf(settled), [...Array(8).fill('ok'), ...Array(3).fill('forbidden')])
  })

  it('change one row one after the other, each seeing the result of the previous one', async () => {
    const { caller, body } = first()
    const { id } = await create(context, assignment, caller, body)
    await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        update(context, assignment, caller, { ...body, id, name: `After ${number}` }),
      ),
    )
    const names = (await historyOf([id])).flatMap(({ fields }) =>
      Array.isArray(fields.name) ? [fields.name] : [],
    )
    assert.equal(names.length, 20)
    for (const [index, [previous]] of names.entries())
      assert.equal(previous, index === 0 ? body.name : names[index - 1]?.[1])
  })

  it('each check the version that they require', async () => {
    const rows = await Promise.all(Array.from({ length: 7 }, () => makeAny('project')))
    const change = (extraFields: (version: string) => Values, required: (version: string) => string[]) =>
      Promise.allSettled(
        // The last two rows are changed three times each.
        [...rows, ...rows.slice(5), ...rows.slice(5)].map(({ id, organizationId, createdAt }) => {
          const versions = new Map(required(String(createdAt)).map((version) => [id, version]))
          const body = { id, name: 'P', organizationId, ...extraFields(String(createdAt)) }
          return update(context, project, administrator, body, versions)
        }),
      )
    const asField = await change(
      (expectedVersion) => ({ expectedVersion }),
      () => [],
    )
    assert.deepEqual(outcomesOf(asField).sort(), [...Array(7).fill('ok'), ...Array(4).fill('stale')])
    const asHeader = await change(
      () => ({}),
      (version) => [version],
    )
    assert.deepEqual(outcomesOf(asHeader), Array(11).fill('changed'))
  })
})
