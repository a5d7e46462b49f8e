import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { capitalize } from '../../src/model/field.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { assignmentCalls } from '../support/assignment-calls.ts'
import { create, type Item, update } from '../support/batches.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly } from '../support/direct-connection.ts'
import { openDotnetCalls, toMessageFields } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('Keys of projects and numbers of assignments', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))

  const { bodyOf, call, write } = assignmentCalls(workspace, ann)
  const makeProject = async (values: Body) => {
    const { organizationId } = workspace
    const { project } = await write('POST', '/ext/project', { name: 'Relaunch', organizationId, ...values })
    return project
  }
  const makeAssignment = async (projectId: string, by = ann) =>
    (await write('POST', '/ext/assignment', bodyOf(projectId), by)).assignment
  const numbersOf = async (projectId: string): Promise<number[]> => {
    const { body } = await call(
      'GET',
      `/ext/assignments?projectId=${projectId}&pageSize=100&sortColumn=number`,
    )
    return body.result.data.map(({ number }: { number: number }) => number)
  }
  const find = (key: string, by?: Person) => call('GET', `/ext/assignment/by-key?key=${key}`, undefined, by)

  describe('A key', () => {
    for (const { name, key } of [
      { name: 'Zebra Base Alpha', key: /^ZBA$/ },
      { name: 'Zulu', key: /^ZUL$/ },
      { name: 'Ónix Ácido', key: /^OA$/ },
      { name: '2026 wombats', key: /^WOM$/ },
      { name: '月面基地', key: /^PRO\d*$/ },
      { name: 'x', key: /^PRO\d*$/ },
    ])
      test(`is derived from the name ${name}`, async () =>
        assert.match((await makeProject({ name })).key, key))

    test('is derived for projects that are created in v1', async () => {
      const { project } = await write('POST', '/api/project', {
        name: 'Quiet Vault',
        organizationId: workspace.organizationId,
        key: 'LOUD',
      })
      assert.ok(!('key' in project))
      const { body } = await call('GET', `/ext/project?id=${project.id}`)
      assert.equal(body.project.key, 'QV')
    })

    test('gets a number if projects with the same name are created concurrently', async () => {
      const { address } = await rest.startAnother()
      const body = { name: 'Twin Towns', organizationId: workspace.organizationId }
      const answers = await Promise.all(
        times(24, (index) =>
          send(index % 2 === 0 ? address : rest.address, 'POST', '/ext/project', { token: ann.token, body }),
        ),
      )
      const keys = answers.map((answer) => answer.body.project?.key)
      for (const key of keys) assert.match(String(key), /^TT\d{0,6}$/)
      assert.equal(new Set(keys).size, 24)
    })

    test('that is requested is used or rejected as taken', async () => {
      const project = { name: 'Hot Key', organizationId: workspace.organizationId }
      const answers = await Promise.all(
        times(12, (index) =>
          call('POST', '/ext/project', index % 2 === 0 ? { ...project, key: 'HK' } : project),
        ),
      )
      const requested = answers.filter((_, index) => index % 2 === 0)
      const derived = answers.filter((_, index) => index % 2 === 1)
      assert.deepEqual([...new Set(derived.map(({ status }) => status))], [200])
      assert.ok(requested.filter(({ status }) => status === 200).length <= 1)
      for (const { status, body } of requested)
        if (status !== 200)
          assert.deepEqual([status, body.errors], [409, { key: ['Key is already used by another project.'] }])
    })

    test('stays reserved by a removed project', async () => {
      const gone = await makeProject({ key: 'GONE' })
      await write('DELETE', '/ext/project', { ids: [gone.id] })
      const { id } = await makeProject({ key: 'STAYS' })
      assertEnvelope(await call('PATCH', '/ext/project', { id, key: 'GONE' }), 409)
      const { project } = await write('PATCH', '/ext/project', { id, key: 'FREE2' })
      assert.equal(project.key, 'FREE2')
    })

    test('that a project had earlier still finds its assignments', async () => {
      const project = await makeProject({ key: 'BEFORE' })
      const assignment = await makeAssignment(project.id)
      await write('PATCH', '/ext/project', { id: project.id, key: 'AFTER' })
      for (const key of ['BEFORE-1', 'AFTER-1'])
        assert.equal((await find(key)).body.assignment.id, assignment.id)
      const taken = [409, { key: ['Key is already used by another project.'] }]
      const { organizationId } = workspace
      const body = { name: 'Late', key: 'BEFORE', organizationId }
      const created = await call('POST', '/ext/project', body)
      assert.deepEqual([created.status, created.body.errors], taken)
      const { id } = await makeProject({})
      const changed = await call('PATCH', '/ext/project', { id, key: 'BEFORE' })
      assert.deepEqual([changed.status, changed.body.errors], taken)
      const items = [create('project', body), create('project', { ...body, key: 'OWN1' })]
      const batch = await write('POST', '/ext/batch', { mode: 'eachForItself', items })
      assert.deepEqual(
        batch.results.map(({ statusCode }: { statusCode: number }) => statusCode),
        [409, 200],
      )
      await write('PATCH', '/ext/project', { id: project.id, key: 'BEFORE' })
      assert.equal((await find('AFTER-1')).body.assignment.id, assignment.id)
    })

    test('has 2 to 8 capital letters and digits', async () => {
      const { id } = await makeProject({})
      for (const key of ['A', 'ABCDEFGHI', '1AB', 'abc', 'A-B', 'ÄB', 7])
        assert.deepEqual((await call('PATCH', '/ext/project', { id, key })).body.errors, {
          key: ['Key must be 2 to 8 capital letters and digits, beginning with a letter.'],
        })
    })
  })

  describe('A number', () => {
    test('is assigned by every way to create an assignment', async () => {
      const { id, key } = await makeProject({ name: 'Every Way In' })
      const body = { ...bodyOf(id), number: 77 }
      await write('POST', '/api/assignment', body)
      await write('POST', '/ext/assignment', body)
      const items = [create('assignment', body), create('assignment', body)]
      await write('POST', '/ext/batch', { mode: 'allOrNothing', items })
      const { token } = commands.administrator
      const [calls, dotnet] = [openCommandCalls(commands.target), openDotnetCalls(commands.target)]
      for (const name of ['CreateAssignment', 'CreateExtAssignment'])
        assert.equal((await calls.call(name, toMessageFields(bodyOf(id)), { token })).code, 0)
      const pascal = Object.fromEntries(
        Object.entries(bodyOf(id)).map(([name, value]) => [capitalize(name), value]),
      )
      const { result } = await dotnet.call('Assignment', 'CreateAssignmentCommand', pascal, { token })
      assert.equal(result?.Assignment.ProjectId, id)
      calls.close()
      dotnet.close()
      assert.deepEqual(await numbersOf(id), [1, 2, 3, 4, 5, 6, 7])
      const third = (await find(`${key}-3`)).body.assignment
      await write('PATCH', '/ext/assignment', { id: third.id, number: 99, name: 'Same number' })
      assert.equal((await find(`${key.toLowerCase()}-3`)).body.assignment.name, 'Same number')
    })

    test('is never assigned twice, neither concurrently nor after a removal', async () => {
      const [first, second] = [await makeProject({}), await makeProject({})]
      const people = await Promise.all(times(4, () => rest.signUp()))
      for (const person of people) for (const { id } of [first, second]) await workspace.join(id, person.id)
      const { address } = await rest.startAnother()
      // Of eight requests, five are for the first project and three for the second.
      const answers = await Promise.all(
        times(80, (index) =>
          send(
            index % 3 === 0 ? address : rest.address,
            'POST',
            index % 2 ? '/ext/assignment' : '/api/assignment',
            {
              token: (people[index % 4] as Person).token,
              body: bodyOf(index % 8 < 5 ? first.id : second.id),
            },
          ),
        ),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.deepEqual(
        await numbersOf(first.id),
        times(50, (index) => index + 1),
      )
      assert.deepEqual(
        await numbersOf(second.id),
        times(30, (index) => index + 1),
      )

      const last = (await find(`${first.key}-50`)).body.assignment
      await write('DELETE', '/ext/assignment', { ids: [last.id] })
      assertEnvelope(await find(`${first.key}-50`), 404)
      assert.equal((await makeAssignment(first.id)).number, 51)
      await write('POST', '/ext/assignment/restore', { ids: [last.id] })
      assert.equal((await find(`${first.key}-50`)).body.assignment.id, last.id)
    })

    test('is assigned by concurrent batches for several projects without a deadlock', async () => {
      // Each batch locks the counters of its projects in the same order, whatever the order of its items.
      const [first, second] = [await makeProject({}), await makeProject({})]
      const itemsOf = (ids: readonly string[]): Item[] =>
        times(10, (index) => create('assignment', bodyOf(ids[index % 2] as string)))
      const answers = await Promise.all(
        times(6, (index) =>
          call('POST', '/ext/batch', {
            mode: 'allOrNothing',
            items: itemsOf(index % 2 ? [first.id, second.id] : [second.id, first.id]),
          }),
        ),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      for (const { id } of [first, second])
        assert.deepEqual(
          await numbersOf(id),
          times(30, (index) => index + 1),
        )
    })

    test('is assigned without waiting for a batch in another project', async () => {
      const [locked, free] = [await makeProject({}), await makeProject({})]
      for (const { id } of [locked, free]) await makeAssignment(id)
      await using client = await connectDirectly(rest.database)
      await client.query('begin')
      await client.query('select next_assignment_number($1)', [locked.id])
      const waiting = times(4, () => makeAssignment(locked.id))
      const made = await Promise.all(times(12, () => makeAssignment(free.id)))
      assert.equal(new Set(made.map(({ number }) => number)).size, 12)
      await client.query('commit')
      const numbers = (await Promise.all(waiting)).map(({ number }) => number)
      assert.deepEqual(numbers.sort(), [3, 4, 5, 6])
    })
  })

  describe('An assignment that moves to another project', () => {
    const moves: Readonly<Record<string, (row: Body, projectId: string) => Promise<unknown>>> = {
      v1: (row, projectId) => write('PATCH', '/api/assignment', { ...row, projectId }),
      '/ext/': ({ id }, projectId) => write('PATCH', '/ext/assignment', { id, projectId }),
      'a batch': (row, projectId) =>
        write('POST', '/ext/batch', { items: [update('assignment', { ...row, projectId })] }),
    }
    for (const [way, move] of Object.entries(moves))
      test(`by ${way} gets a number there`, async () => {
        const [first, second] = [await makeProject({}), await makeProject({})]
        await makeAssignment(second.id)
        const made = await makeAssignment(first.id)
        await move(made, second.id)
        await move(made, first.id)
        for (const key of [`${first.key}-1`, `${second.key}-2`, `${first.key}-2`]) {
          const { assignment } = (await find(key)).body
          assert.deepEqual([assignment.id, assignment.number], [made.id, 2], key)
        }
        const { body } = await call('GET', `/ext/history?resource=assignment&id=${made.id}&sortOrder=DESC`)
        const changed = body.result.data.map((entry: { after: Body }) => entry.after.number)
        // The number is 2 in both projects, so the second move does not change it.
        assert.deepEqual(changed, [undefined, 2, 1])
      })
  })

  describe('A key of an assignment', () => {
    test('is checked, and finds nothing for callers who cannot see the assignment', async () => {
      const { id, key } = await makeProject({})
      await makeAssignment(id)
      assert.equal((await find(`${key}-1`)).status, 200)
      for (const missing of [`${key}-2`, `${key}-4000000000`, 'NOWHERE-1'])
        assertEnvelope(await find(missing), 404)
      assertEnvelope(await find(`${key}-1`, await rest.signUp()), 404)
      for (const wrong of ['', key, `${key}-0`, `${key}-x`, `${key}-99999999999`]) {
        const answer = await find(wrong)
        assert.deepEqual(
          [answer.status, answer.body.errors],
          [400, { key: ['Key must be that of an assignment, such as MBA-12.'] }],
        )
      }
    })

    test('is not reused after its assignment has been purged', async () => {
      const [first, second] = [await makeProject({}), await makeProject({})]
      const { id } = await makeAssignment(first.id)
      await write('PATCH', '/ext/assignment', { id, projectId: second.id })
      await write('DELETE', '/ext/assignment', { ids: [id] })
      await using client = await connectDirectly(rest.database)
      await client.query(`update assignments set deleted_at = now() - interval '40 days' where id = $1`, [id])
      await client.query(`select forget_removed('assignment', 'assignments', 30)`)
      assertEnvelope(await find(`${first.key}-1`), 404)
      assert.deepEqual(
        await rest.database.query(sql`select from assignment_addresses where assignment_id = ${id}`),
        [],
      )
      assert.equal((await makeAssignment(first.id)).number, 2)
    })
  })
})
