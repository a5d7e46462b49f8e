import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extensionFieldsOf, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

type Query = Readonly<Record<string, string>>
type Errors = Readonly<Record<string, readonly string[]>>

describe('A query under /ext/query/', { concurrency: 8 }, () => {
  const ask = (list: string, query: Query) =>
    rest.administrator.call('GET', `/ext/query/${list}?${new URLSearchParams(query)}`)

  const rest = fixture(startRestUnderTest)

  const ownFields = [...resources.assignment.own, ...extensionFieldsOf('assignment')]
  const fields = ['id', ...ownFields, 'createdAt', 'updatedAt'].join(', ')
  const sortable = fields.replace(' description,', '')
  const operators = 'eq, ne, in, contains, startsWith, lt, le, gt, ge'
  const rejections: readonly (readonly [query: Query, errors: Errors])[] = [
    [
      { filtre: 'x' },
      {
        filtre: [
          'Unknown query key filtre. Valid keys: filter, sort, fields, expand, pageSize, cursor, count, at, view.',
        ],
      },
    ],
    [
      { projectId: 'x' },
      {
        projectId: [
          'Unknown query key projectId. Valid keys: filter, sort, fields, expand, pageSize, cursor, count, at, view.',
        ],
      },
    ],
    [{ filter: '' }, { filter: ['Filter must not be empty.'] }],
    [
      { filter: "nam eq 'x'" },
      {
        filter: [
          `Filter: At character 1: assignments cannot be filtered by nam. Filterable fields: ${fields}.`,
        ],
      },
    ],
    [
      { filter: "password eq 'x'" },
      {
        filter: [
          `Filter: At character 1: assignments cannot be filtered by password. Filterable fields: ${fields}.`,
        ],
      },
    ],
    [
      { filter: "name gt 'x'" },
      {
        filter: ['Filter: At character 6: name does not support gt, only eq, ne, in, contains, startsWith.'],
      },
    ],
    [{ filter: "name is 'x'" }, { filter: [`Filter: At character 6: expected an operator: ${operators}.`] }],
    [
      { filter: 'name eq' },
      {
        filter: [
          'Filter: At character 8: expected a value: a number, a text in single quotes, true, false, null or me.',
        ],
      },
    ],
    [
      { filter: 'name eq Write' },
      {
        filter: [
          'Filter: At character 9: expected a value: a number, a text in single quotes, true, false, null or me.',
        ],
      },
    ],
    [{ filter: 'name eq 5' }, { filter: ['Filter: At character 9: Name must be in single quotes.'] }],
    [{ filter: 'name eq null' }, { filter: ['Filter: At character 9: Name is never null.'] }],
    [
      { filter: "amountHours eq '5'" },
      { filter: ['Filter: At character 16: AmountHours must be a number, without quotes.'] },
    ],
    [
      { filter: 'description contains null' },
      { filter: ['Filter: At character 22: Null can only be compared with eq and ne.'] },
    ],
    [
      { filter: 'projectId eq me' },
      {
        filter: [
          'Filter: At character 14: ProjectId does not refer to an account, so it cannot be compared with me.',
        ],
      },
    ],
    [{ filter: "projectId eq '17'" }, { filter: ['Filter: At character 14: ProjectId must be a UUID.'] }],
    [
      { filter: "startDate ge '2026-02-30'" },
      { filter: ['Filter: At character 14: StartDate must be an ISO-8601 date and time.'] },
    ],
    [
      { filter: "startDate ge 'soon' and projectId eq '17'" },
      {
        filter: [
          'Filter: At character 14: StartDate must be an ISO-8601 date and time.',
          'Filter: At character 38: ProjectId must be a UUID.',
        ],
      },
    ],
    [
      { filter: "name eq 'x\0'" },
      { filter: ['Filter: At character 9: Name contains a character that cannot be stored.'] },
    ],
    [{ filter: "(name eq 'x'" }, { filter: ['Filter: At character 13: expected ).'] }],
    [
      { filter: "name eq 'x')" },
      { filter: ['Filter: At character 12: expected and, or, or the end of the filter.'] },
    ],
    [
      { filter: "name eq 'x" },
      {
        filter: [
          'Filter: At character 9: expected a word, number, text in single quotes, parenthesis or comma.',
        ],
      },
    ],
    [
      { filter: "name eq 'x'; drop table users" },
      {
        filter: [
          'Filter: At character 12: expected a word, number, text in single quotes, parenthesis or comma.',
        ],
      },
    ],
    [
      { filter: 'amountHours in 5' },
      { filter: ['Filter: At character 16: expected the values of in: (value, value).'] },
    ],
    [{ filter: 'amountHours in (5' }, { filter: ['Filter: At character 18: expected , or ).'] }],
    [
      { filter: 'amountHours eq 1e5' },
      {
        filter: [
          'Filter: At character 16: expected a word, number, text in single quotes, parenthesis or comma.',
        ],
      },
    ],
    [
      { filter: `${'('.repeat(5)}name eq 'x'${')'.repeat(5)}` },
      { filter: ['Filter: At character 6: nested more than 5 levels deep.'] },
    ],
    [
      { filter: `${'not '.repeat(30)}name eq 'x'` },
      { filter: ['Filter: At character 21: nested more than 5 levels deep.'] },
    ],
    [
      { filter: Array(21).fill('amountHours eq 1').join(' or ') },
      { filter: ['Filter: It has more than 20 comparisons.'] },
    ],
    [
      { filter: `amountHours in (${Array(101).fill('1').join(',')})` },
      { filter: ['Filter: At character 16: in has more than 100 values.'] },
    ],
    [
      { filter: `name eq '${'x'.repeat(257)}'` },
      { filter: ['Filter: At character 9: Name must be at most 256 characters.'] },
    ],
    [{ filter: `name eq '${'x'.repeat(2000)}'` }, { filter: ['Filter must be at most 2000 characters.'] }],
    [{ sort: 'nam' }, { sort: [`Assignments cannot be sorted by nam. Sortable fields: ${sortable}.`] }],
    [
      { sort: 'description' },
      { sort: [`Assignments cannot be sorted by description. Sortable fields: ${sortable}.`] },
    ],
    [{ sort: 'name,-name' }, { sort: ['Sort names a field twice.'] }],
    [{ sort: 'name,id,startDate,endDate,amountHours' }, { sort: ['Sort must name at most 4 fields.'] }],
    [
      { fields: 'name,nam,project.name' },
      {
        fields: [
          'nam is not a field of the selected rows.',
          'project.name is not a field of the selected rows.',
        ],
      },
    ],
    [
      { expand: 'project,user.project,description' },
      {
        expand: [
          'user.project is not a reference of assignments.',
          'description is not a reference of assignments.',
        ],
      },
    ],
    [
      { fields: 'user.login', expand: 'user' },
      { fields: ['user.login is not a field of the selected rows.'] },
    ],
    [{ expand: 'a,b,c,d,e,f,g' }, { expand: ['Expand must have at most 6 names.'] }],
    [
      { pageSize: '101', cursor: 'x', count: 'yes' },
      {
        pageSize: ['PageSize must be a whole number from 1 to 100.'],
        cursor: ['Cursor was not issued for this list with this filter and sort.'],
        count: ['Count must be true or false.'],
      },
    ],
  ]
  for (const [query, errors] of rejections)
    test(`is rejected for ${JSON.stringify(query).slice(0, 60)}`, async () => {
      const answer = await ask('assignments', query)
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, errors)
    })

  test('accepts each key only once, and references of at most three levels', async () => {
    const answer = await rest.administrator.call('GET', '/ext/query/assignments?filter=a&filter=b')
    assert.deepEqual(answer.body.errors, { filter: ['Filter must be given once.'] })
    const deep = await ask('comments', { expand: 'assignment.project.organization.name' })
    assert.deepEqual(deep.body.errors, {
      expand: ['assignment.project.organization.name is more than 3 references deep.'],
    })
  })
})

describe('A report under /ext/reports/', () => {
  const ask = (report: string, query: Query) =>
    rest.administrator.call('GET', `/ext/reports/${report}?${new URLSearchParams(query)}`)

  const rest = fixture(startRestUnderTest)

  test('requires an access token', async () => {
    for (const report of ['hours', 'assignments'])
      assertEnvelope(await rest.call('GET', `/ext/reports/${report}?groupBy=week`), 401)
  })

  const names = 'person, project, organization, type, workflow, assignment, week, month'
  const invalidGroups = `GroupBy must name 1 to 3 of ${names}, each once.`
  const invalidDay = (key: string) => `${key} must be a day such as 2026-01-31.`
  const invalidTimeZone = 'TimeZone must be UTC or a name of the IANA database such as Europe/Berlin.'
  const keys =
    'groupBy, dateFrom, dateTo, timeZone, limit, userId, projectId, organizationId, assignmentTypeId, workflowId, assignmentId'
  const rejections: readonly (readonly [query: Query, errors: Errors])[] = [
    [{}, { groupBy: [invalidGroups] }],
    [{ groupBy: 'person,day' }, { groupBy: [invalidGroups] }],
    [{ groupBy: 'person,person' }, { groupBy: [invalidGroups] }],
    [{ groupBy: 'person,project,type,week' }, { groupBy: [invalidGroups] }],
    [{ groupBy: '' }, { groupBy: ['GroupBy must not be empty.', invalidGroups] }],
    [{ groupBy: 'week', dateFrom: '2026-02-30' }, { dateFrom: [invalidDay('DateFrom')] }],
    [{ groupBy: 'week', dateTo: '2026-01-01T00:00:00Z' }, { dateTo: [invalidDay('DateTo')] }],
    [{ groupBy: 'week', dateFrom: '0000-01-01' }, { dateFrom: [invalidDay('DateFrom')] }],
    [
      { groupBy: 'week', dateFrom: '2026-02-01', dateTo: '2026-01-01' },
      { dateTo: ['DateTo must be on or after DateFrom.'] },
    ],
    [{ groupBy: 'week', timeZone: 'Europe/Berlinn' }, { timeZone: [invalidTimeZone] }],
    [{ groupBy: 'week', timeZone: 'CET' }, { timeZone: [invalidTimeZone] }],
    [{ groupBy: 'week', timeZone: "UTC' or true" }, { timeZone: [invalidTimeZone] }],
    [{ groupBy: 'week', userId: 'me' }, { userId: ['UserId must be a UUID.'] }],
    [{ groupBy: 'assignment', assignmentId: 'WEB-1' }, { assignmentId: ['AssignmentId must be a UUID.'] }],
    [{ groupBy: 'assignment', id: 'x' }, { id: [`Unknown report key id. Valid keys: ${keys}.`] }],
    [{ groupBy: 'week', limit: '1001' }, { limit: ['Limit must be a whole number from 1 to 1000.'] }],
    [{ groupBy: 'week', user: 'x' }, { user: [`Unknown report key user. Valid keys: ${keys}.`] }],
  ]
  for (const [query, errors] of rejections)
    test(`is rejected for ${JSON.stringify(query)}`, async () => {
      for (const report of ['hours', 'assignments']) {
        const answer = await ask(report, query)
        assertEnvelope(answer, 400)
        assert.deepEqual(answer.body.errors, errors)
      }
    })
})
