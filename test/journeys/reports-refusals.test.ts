import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

type Query = Readonly<Record<string, string>>

describe('A report under /ext/reports/', () => {
  let rest: RestUnderTest
  const ask = (report: string, query: Query) =>
    rest.call('GET', `/ext/reports/${report}?${new URLSearchParams(query)}`, {
      token: rest.administrator.token,
    })

  before(async () => {
    rest = await startRestUnderTest()
  })
  after(() => rest.stop())

  test('wants an access token', async () => {
    for (const report of ['hours', 'assignments'])
      assertEnvelope(await rest.call('GET', `/ext/reports/${report}?groupBy=week`), 401)
  })

  const names = 'person, project, organization, type, workflow, week, month'
  const wrongGroups = `GroupBy must name 1 to 3 of ${names}, each once.`
  const wrongDay = (key: string) => `${key} must be a day such as 2026-01-31.`
  const wrongZone = 'TimeZone must be UTC or a name of the IANA database such as Europe/Berlin.'
  const keys =
    'groupBy, dateFrom, dateTo, timeZone, limit, userId, projectId, organizationId, assignmentTypeId, workflowId'
  const refusals: readonly (readonly [Query, Readonly<Record<string, readonly string[]>>])[] = [
    [{}, { groupBy: [wrongGroups] }],
    [{ groupBy: 'person,day' }, { groupBy: [wrongGroups] }],
    [{ groupBy: 'person,person' }, { groupBy: [wrongGroups] }],
    [{ groupBy: 'person,project,type,week' }, { groupBy: [wrongGroups] }],
    [{ groupBy: '' }, { groupBy: ['GroupBy must not be empty.', wrongGroups] }],
    [{ groupBy: 'week', dateFrom: '2026-02-30' }, { dateFrom: [wrongDay('DateFrom')] }],
    [{ groupBy: 'week', dateTo: '2026-01-01T00:00:00Z' }, { dateTo: [wrongDay('DateTo')] }],
    [{ groupBy: 'week', dateFrom: '0000-01-01' }, { dateFrom: [wrongDay('DateFrom')] }],
    [
      { groupBy: 'week', dateFrom: '2026-02-01', dateTo: '2026-01-01' },
      { dateTo: ['DateTo must be on or after DateFrom.'] },
    ],
    [{ groupBy: 'week', timeZone: 'Europe/Berlinn' }, { timeZone: [wrongZone] }],
    [{ groupBy: 'week', timeZone: 'CET' }, { timeZone: [wrongZone] }],
    [{ groupBy: 'week', timeZone: "UTC' or true" }, { timeZone: [wrongZone] }],
    [{ groupBy: 'week', userId: 'me' }, { userId: ['UserId must be a UUID.'] }],
    [{ groupBy: 'week', limit: '1001' }, { limit: ['Limit must be a whole number from 1 to 1000.'] }],
    [{ groupBy: 'week', user: 'x' }, { user: [`user is no key of a report. These are: ${keys}.`] }],
  ]
  for (const [query, errors] of refusals)
    test(`is rejected for ${JSON.stringify(query)}, by name`, async () => {
      for (const report of ['hours', 'assignments']) {
        const answer = await ask(report, query)
        assertEnvelope(answer, 400)
        assert.deepEqual(answer.body.errors, errors)
      }
    })
})
