import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import ICAL from 'ical.js'
import { makeToken } from '../support/api-tokens.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const today = Date.now()
const day = (fromToday: number) => new Date(today + fromToday * 86_400_000).toISOString().slice(0, 10)

/** Parses events with the parser of Thunderbird. */
const eventsOf = (text: string) =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((component) => new ICAL.Event(component))

describe('The calendar of assignments', () => {
  const logLines: string[] = []
  const rest = fixture(
    startRestUnderTest,
    { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' },
    { destination: { write: (line: string) => void logLines.push(line) } },
  )
  const workspace = fixture(seed, rest)
  let projectId: string
  let mine: string
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))
  before(async () => {
    projectId = await workspace.project('Moon base', ann)
    await workspace.join(projectId, bob.id)
    const dates = { startDate: day(1), endDate: day(3) }
    mine = await workspace.assignment(projectId, ann.id, {
      name: 'Build; the ladder, nine rungs',
      description: `First line\nsecond line ${'long '.repeat(30)}ü`,
      ...dates,
    })
    const shared = await workspace.assignment(projectId, bob.id, { name: 'Shared with Ann', ...dates })
    await workspace.make('userAssignment', { assignmentId: shared, userId: ann.id })
    await workspace.assignment(projectId, bob.id, { name: 'Only Bob’s', ...dates })
    await workspace.assignment(projectId, ann.id, {
      name: 'Long ago',
      startDate: day(-400),
      endDate: day(-390),
    })
    const elsewhere = await workspace.project('Elsewhere', bob)
    await workspace.assignment(elsewhere, bob.id, { name: 'Not for Ann', ...dates })
  })

  const subscribe = (parameters: Readonly<Record<string, string>>, headers = {}) =>
    fetch(`${rest.address}/ext/calendar.ics?${new URLSearchParams(parameters)}`, { headers })
  const tokenOf = async (person: Person, scopes = ['calendar:read'], projectIds?: readonly string[]) =>
    makeToken(rest, person.token, { scopes, ...(projectIds && { projectIds }) })
  const namesOf = async (answer: Response | Promise<Response>) =>
    eventsOf(await (await answer).text())
      .map(({ summary }) => summary)
      .sort()

  test('contains the assignments of its owner', async () => {
    const { secret } = await tokenOf(ann)
    const answer = await subscribe({ token: secret })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/calendar; charset=utf-8')
    const text = await answer.text()
    assert.match(text, /^BEGIN:VCALENDAR\r\nVERSION:2.0\r\n/)
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
    const events = eventsOf(text)
    assert.deepEqual(events.map(({ summary }) => summary).sort(), [
      'Build; the ladder, nine rungs',
      'Shared with Ann',
    ])
    const event = events.find(({ uid }) => uid === mine) ?? assert.fail('The assignment is missing.')
    assert.ok(event.startDate.isDate)
    assert.equal(event.startDate.toString(), day(1))
    assert.equal(event.endDate.toString(), day(4), 'The end is the day after the last day.')
    const { component } = event
    assert.deepEqual(component.getFirstProperty('categories')?.getValues(), ['Moon base', 'Doing'])
    const url = component.getFirstPropertyValue('url')
    assert.equal(url, `http://localhost:5400/projects/${projectId}/assignments/${mine}`)
    assert.equal(event.description, `First line\nsecond line ${'long '.repeat(30)}ü`)
  })

  test('contains all assignments of a project that its owner can see', async () => {
    const { secret } = await tokenOf(ann, ['calendar:read'], [projectId])
    assert.deepEqual(await namesOf(subscribe({ token: secret, projectId })), [
      'Build; the ladder, nine rungs',
      'Only Bob’s',
      'Shared with Ann',
    ])
    const outsider = await rest.signUp()
    const other = await tokenOf(outsider)
    assert.equal((await subscribe({ token: other.secret, projectId })).status, 404)
    assert.deepEqual(await namesOf(subscribe({ token: other.secret })), [])
    assert.equal((await subscribe({ token: secret, projectId: 'moon' })).status, 400)
  })

  test('contains nothing of a project that its owner has left', async () => {
    const former = await workspace.project('Former', bob)
    const membership = await workspace.join(former, ann.id)
    await workspace.assignment(former, ann.id, { name: 'In former', startDate: day(1), endDate: day(2) })
    const { secret } = await tokenOf(ann)
    assert.ok((await namesOf(subscribe({ token: secret }))).includes('In former'))
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.ok(!(await namesOf(subscribe({ token: secret }))).includes('In former'))
  })

  test('is not sent again while it is unchanged', async () => {
    const { secret } = await tokenOf(ann)
    const first = await subscribe({ token: secret })
    const etag = first.headers.get('etag') ?? assert.fail('The ETag is missing.')
    assert.equal((await subscribe({ token: secret }, { 'if-none-match': etag })).status, 304)
    await workspace.assignment(projectId, ann.id, { name: 'Newest', startDate: day(5), endDate: day(5) })
    assert.equal((await subscribe({ token: secret }, { 'if-none-match': etag })).status, 200)
  })

  test('accepts a token in its URL, unlike other operations, if the token has no other scope', async () => {
    const { secret } = await tokenOf(ann)
    const wider = await tokenOf(ann, ['calendar:read', 'assignment:read'])
    const everything = await tokenOf(ann, ['*:write'])
    for (const token of [wider.secret, everything.secret])
      assert.equal((await subscribe({ token })).status, 403)
    assert.equal((await subscribe({})).status, 401)
    assert.equal((await subscribe({ token: `${secret}0` })).status, 401)
    assert.equal((await subscribe({}, { authorization: `Bearer ${secret}` })).status, 200)
    assert.equal((await subscribe({}, { authorization: `Bearer ${ann.token}` })).status, 200)
    const header = { authorization: `Bearer ${secret}` }
    for (const path of ['/api/assignments', `/api/projects`, '/ext/export/assignments', '/ext/people'])
      assert.equal((await fetch(rest.address + path, { headers: header })).status, 403, path)
    assert.equal((await fetch(`${rest.address}/api/assignments?token=${everything.secret}`)).status, 401)
  })

  test('ends with its token, which is not logged', async () => {
    const { id, secret } = await tokenOf(bob)
    assert.equal((await subscribe({ token: secret })).status, 200)
    await bob.call('DELETE', '/ext/tokens', { ids: [id] })
    assert.equal((await subscribe({ token: secret })).status, 401)
    assert.ok(logLines.some((line) => line.includes('/ext/calendar.ics')))
    assert.ok(!logLines.join('').includes(secret.slice(4, 40)))
  })
})
