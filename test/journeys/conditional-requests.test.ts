import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Answer, type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('A conditional request with a tag', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let member: Person

  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    member = await rest.signUp()
  })
  after(() => rest.stop())

  const get = (path: string, headers: Record<string, string> = {}, by: Person = rest.administrator) =>
    rest.call('GET', path, { token: by.token, headers })
  const tagOf = (answer: Answer) => answer.headers.get('etag') ?? ''

  test('finds a strong ETag on lists and on single records, the same for the same content', async () => {
    for (const path of ['/api/workflows', `/api/workflow?id=${workspace.workflowId}`]) {
      const [first, second] = await Promise.all([get(path), get(path)])
      assert.match(tagOf(first), /^"[^"\s]+"$/)
      assert.equal(tagOf(first), tagOf(second))
    }
  })

  test('finds another ETag for another query, another person and a lost administrator flag', async () => {
    const { address } = await rest.identity.startAnother({ SVC_ADMIN_LOGINS: 'nobody@example.com' })
    const { access_token: plain } = await rest.identity.signIn(rest.administrator.login, { address })
    const other = await rest.signUp()
    const path = '/api/impediments'
    const answers = await Promise.all([
      get(path),
      get(path, {}, { ...rest.administrator, token: plain }),
      get(path, {}, member),
      get(path, {}, other),
      get(`${path}?pageSize=11`),
    ])
    assert.equal(new Set(answers.map(tagOf)).size, answers.length)
    assert.deepEqual(answers[2]?.body, answers[3]?.body)
  })

  test('is never answered 304 for a tag that belongs to another user', async () => {
    const tag = tagOf(await get('/api/impediments'))
    assert.equal((await get('/api/impediments', { 'if-none-match': tag }, member)).status, 200)
  })

  const spellings: readonly (readonly [string, (tag: string) => string])[] = [
    ['the tag itself', (tag) => tag],
    ['the tag marked weak by a proxy', (tag) => `W/${tag}`],
    ['a list that holds the tag', (tag) => `"other", ${tag} , "third"`],
    ['a list without spaces', (tag) => `W/"other",W/${tag}`],
    ['a star', () => '*'],
  ]
  for (const [what, spell] of spellings) {
    test(`gets a 304 without a body for ${what}`, async () => {
      for (const path of ['/api/workflows', `/api/workflow?id=${workspace.workflowId}`]) {
        const tag = tagOf(await get(path))
        const answer = await get(path, { 'if-none-match': spell(tag) })
        assert.equal(answer.status, 304)
        assert.equal(answer.body, '')
        assert.equal(tagOf(answer), tag)
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      }
    })
  }

  test('gets the content for any other tag', async () => {
    const tag = tagOf(await get('/api/workflows'))
    const wrong = [
      '"other"',
      tag.slice(1, -1),
      `"${tag.slice(1, 8)}"`,
      `${tag.slice(0, -1)}x"`,
      '',
      'W/*',
      '"*"',
    ]
    for (const header of wrong) {
      assert.equal((await get('/api/workflows', { 'if-none-match': header })).status, 200, header)
    }
  })

  test('with a star does not hide an error', async () => {
    const star = { 'if-none-match': '*' }
    const unknown = '01890000-0000-7000-8000-000000000000'
    assert.equal((await get(`/api/organization?id=${unknown}`, star)).status, 404)
    assert.equal((await get('/api/organizations?pageSize=0', star)).status, 400)
    assert.equal((await get('/api/users', star, member)).status, 403)
    assert.equal((await rest.call('GET', '/api/organizations', { headers: star })).status, 401)
  })

  test('gets the new content after a change', async () => {
    const { id } = await workspace.make('assignmentType', { name: 'Old' })
    const paths = [`/api/assignmentTypes?ids=${id}`, `/api/assignmentType?id=${id}`]
    for (const [round, path] of paths.entries()) {
      const tag = tagOf(await get(path))
      await workspace.write('PATCH', '/api/assignmentType', { id, name: `New ${round}` })
      const answer = await get(path, { 'if-none-match': tag })
      assert.equal(answer.status, 200)
      assert.match(JSON.stringify(answer.body), new RegExp(`New ${round}`))
    }
  })
})
