import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startChild } from '../support/child-host.ts'
import { addressOf } from '../support/fresh-database.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type LiveEvent, listen } from '../support/live-events.ts'
import { connectOutside, insertNamed } from '../support/outside-connection.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

/**
 * Changes that this instance did not make. Each test writes to a resource of its own, because any other write to it would
 * have the listing looked at again, and would hide that the change itself went unnoticed.
 */
export function testChangesElsewhere() {
  describe('follows writes on another host:', { concurrency: true }, () => {
    let rest: RestUnderTest
    let workspace: Workspace

    before(async () => {
      rest = await startRestUnderTest()
      workspace = await furnish(rest)
    })
    after(() => rest.stop())

    const follow = (path: string, token = rest.administrator.token) => listen(rest.address, path, { token })
    const names = ({ data }: LiveEvent): string[] => data.result.data.map((row: { name: string }) => row.name)

    test('a second instance', async () => {
      const [live, another] = await Promise.all([follow('/api/workflows?search=beside'), rest.startAnother()])
      await live.next()
      const body = { name: 'Beside', order: 2 }
      await send(another.address, 'POST', '/api/workflow', { token: rest.administrator.token, body })
      assert.deepEqual(names(await live.next()), ['Beside'])
      live.close()
    })

    test('a separate process, and the other way round', async () => {
      const { token, login } = rest.administrator
      const child = await startChild({
        DATABASE_URL: addressOf(rest.database),
        REST_PORT: String(await freePort()),
        Jwt__Issuer: rest.identity.address,
        SVC_ADMIN_LOGINS: login,
      })
      try {
        const path = '/api/assignmentTypes?search=apart&sortColumn=name'
        const [here, there] = await Promise.all([follow(path), listen(child.address, path, { token })])
        await Promise.all([here.next(), there.next()])
        await send(child.address, 'POST', '/api/assignmentType', { token, body: { name: 'Apart' } })
        assert.deepEqual(names(await here.next()), ['Apart'])
        assert.deepEqual(names(await there.next()), ['Apart'])
        await workspace.make('assignmentType', { name: 'Apart 2' })
        assert.deepEqual(names(await there.next()), ['Apart', 'Apart 2'])
        here.close()
      } finally {
        await child.end('SIGTERM')
      }
    })

    test('another program that writes bare SQL and records it in the change log, within a second', async () => {
      // A host without writes: a commit of its own would make it look at once.
      const own = await startRestUnderTest()
      const { token } = own.administrator
      const outside = await connectOutside(own.database)
      const live = await listen(own.address, '/api/organizations?sortColumn=name', { token })
      await live.next()
      for (const name of ['Bare 1', 'Bare 2', 'Bare 3']) {
        await sleep(1100)
        const writtenAt = Date.now()
        await insertNamed(outside, 'organization', name)
        const event = await live.next()
        assert.equal(names(event).at(-1), name)
        assert.ok(event.at - writtenAt < 1500, `It took ${event.at - writtenAt} ms.`)
      }
      live.close()
      await outside.end()
      await own.stop()
    })

    test('a transaction that began before and was committed after another', async () => {
      const outside = await connectOutside(rest.database)
      await outside.query('begin')
      await insertNamed(outside, 'impediment', 'Slow one')
      const live = await follow('/api/impediments?search=slow&sortColumn=name')
      assert.deepEqual(names(await live.next()), [])
      await workspace.make('impediment', { name: 'Slow two' })
      assert.deepEqual(names(await live.next()), ['Slow two'])
      await sleep(1200)
      await outside.query('commit')
      assert.deepEqual(names(await live.next()), ['Slow one', 'Slow two'])
      live.close()
      await outside.end()
    })

    describe('what decides on what its reader may see:', { concurrency: 1 }, () => {
      test('membership gained and lost', async () => {
        const member = await rest.signUp()
        const projectId = await workspace.project()
        const assignmentId = await workspace.assignment(projectId, member.id)
        await workspace.appointment(assignmentId, member.id)
        const paths = ['projects', 'assignments', 'appointments', 'userProjects'].map(
          (name) => `/api/${name}`,
        )
        const lives = await Promise.all(paths.map((path) => follow(path, member.token)))
        const totals = () =>
          Promise.all(lives.map(async (live) => (await live.next()).data.result.totalCount))
        assert.deepEqual(await totals(), [0, 0, 0, 0])
        const membership = await workspace.join(projectId, member.id)
        // The administrator, who made the project, is its other member.
        assert.deepEqual(await totals(), [1, 1, 1, 2])
        await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
        assert.deepEqual(await totals(), [0, 0, 0, 0])
        for (const live of lives) live.close()
      })

      test('an assignment that moves into the reader’s project, with its appointments', async () => {
        const member = await rest.signUp()
        const mine = await workspace.project('Mine', member)
        const foreign = await workspace.project()
        const assignmentId = await workspace.assignment(foreign, member.id)
        await workspace.appointment(assignmentId, member.id)
        const live = await follow('/api/appointments', member.token)
        assert.equal((await live.next()).data.result.totalCount, 0)
        const { token } = rest.administrator
        const { assignment } = (await rest.call('GET', `/api/assignment?id=${assignmentId}`, { token })).body
        await workspace.write('PATCH', '/api/assignment', { ...assignment, projectId: mine })
        assert.equal((await live.next()).data.result.totalCount, 1)
        live.close()
      })
    })
  })
}
