import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { furnish, type Workspace } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type Answer, type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** Alone on their host: any other change would make it look again, and hide that it missed one. */
describe('What is listed under /ext/, as time goes by,', () => {
  let rest: RestUnderTest
  let workspace: Workspace

  before(async () => {
    // The session of a briefly removed user stays known.
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '300' })
    workspace = await furnish(rest)
  })
  after(() => rest.stop())

  const get = (path: string, { token }: Person, headers: Readonly<Record<string, string>> = {}) =>
    rest.call('GET', path, { token, headers })
  const idsIn = ({ data }: Answer['body']['result']): string[] => data.map(({ id }: { id: string }) => id)

  /** Asks until a Last-Modified comes, which it does once all transactions have ended. */
  async function settled(path: string, by: Person): Promise<string> {
    for (let asks = 0; asks < 200; asks += 1) {
      const date = (await get(path, by)).headers.get('last-modified')
      if (date) return date
      await sleep(50)
    }
    throw new Error(`${path} carried no Last-Modified within ten seconds of rest.`)
  }

  /** A date was sent, then something changes: the earlier date must not hide that. */
  async function assertSeen(path: string, by: Person, change: () => Promise<unknown>, wanted: string[]) {
    const date = await settled(path, by)
    assert.equal((await get(path, by, { 'if-modified-since': date })).status, 304)
    await change()
    const { status, body } = await get(path, by, { 'if-modified-since': date })
    assert.equal(status, 200)
    assert.deepEqual(idsIn(body.result), wanted)
  }

  test('shows who joined a project, in spite of an If-Modified-Since from before', async () => {
    const [ann, bob] = (await Promise.all(['Ann', 'Bob'].map((name) => rest.signUp({ name })))) as [
      Person,
      Person,
    ]
    const project = await workspace.project('Joined', ann)
    await assertSeen('/ext/people', ann, () => workspace.join(project, bob.id), [ann.id, bob.id])
  })

  test('shows a new name, in spite of an If-Modified-Since from before', async () => {
    const [ann, bob] = (await Promise.all(['Ann', 'Bob'].map((name) => rest.signUp({ name })))) as [
      Person,
      Person,
    ]
    await workspace.join(await workspace.project('Renamed', ann), bob.id)
    const rename = () => workspace.write('PATCH', '/api/me', { name: 'Abel' }, bob)
    await assertSeen('/ext/people', ann, rename, [bob.id, ann.id])
  })

  test('follows a membership that passes from a removed account to a removed project, and back', async () => {
    const path = '/ext/removed/assignments'
    const ann = await rest.signUp()
    const project = await workspace.project('Passing', ann)
    const task = await workspace.assignment(project, ann.id)
    await workspace.write('DELETE', '/api/assignment', { ids: [task] })
    const live = await listen(rest.address, path, { token: ann.token })
    const next = async () => idsIn((await live.next()).data.result)
    assert.deepEqual(await next(), [task])

    await workspace.write('DELETE', '/api/user', { ids: [ann.id] })
    assert.deepEqual(await next(), [])
    await workspace.write('DELETE', '/api/project', { ids: [project] })
    const restoreUser = () => workspace.write('POST', '/api/user/restore', { ids: [ann.id] })
    await assertSeen(path, ann, restoreUser, [task])
    assert.deepEqual(await next(), [task])

    await workspace.write('DELETE', '/api/user', { ids: [ann.id] })
    const restoreProject = () => workspace.write('POST', '/api/project/restore', { ids: [project] })
    await assertSeen(path, ann, restoreProject, [])
    assert.deepEqual(await next(), [])
    live.close()
  })
})
