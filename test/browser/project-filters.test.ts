import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  dependsOnMembers,
  filterTextOf,
  hasRowFilters,
  invert,
  isWorthSaving,
  matcherOf,
  parseFilters,
  queryOfFilters,
  queryOfView,
  resolveViewer,
  toggleValue,
} from '../../web/src/screens/project/filters.ts'
import { filterJourneys } from './journeys/filters.ts'
import { savedViewJourneys } from './journeys/saved-views.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describe('Filters of a project', () => {
  const past = '2026-01-02T00:00:00Z'
  const now = new Date().toISOString()
  const rows = [
    {
      id: 'a',
      userId: 'u1',
      workflowId: 's1',
      priority: 4,
      assignmentTypeId: 't1',
      endDate: past,
      updatedAt: now,
    },
    {
      id: 'b',
      userId: 'u2',
      workflowId: 's1',
      priority: null,
      assignmentTypeId: 't2',
      endDate: '2099-01-01',
    },
    { id: 'c', userId: 'former', workflowId: 'done', priority: 2, assignmentTypeId: 't1', endDate: past },
  ].map((row) => ({ createdAt: '2026-01-01T00:00:00Z', updatedAt: null, startDate: past, ...row }))
  const facts = {
    labels: new Map([
      ['a', [{ id: 'l1' }, { id: 'l2' }]],
      ['b', [{ id: 'l1' }]],
    ]),
    blockedIds: new Set(['b', 'c']),
    doneStageIds: new Set(['done']),
    memberIds: new Set(['u1', 'u2']),
  }
  const filtersOf = (query: string, { extensions = true } = {}) =>
    parseFilters(new URLSearchParams(query), { extensions })
  const found = (query: string, { extensions = true, among = rows } = {}) =>
    among.filter(matcherOf(filtersOf(query, { extensions }), facts)).map(({ id }) => id)

  test('find assignments that have all chosen labels', () => {
    assert.deepEqual(found(''), ['a', 'b', 'c'])
    assert.deepEqual(found('labels=l1'), ['a', 'b'])
    assert.deepEqual(found('labels=l1,l2'), ['a'])
    assert.deepEqual(found('labels=gone'), [])
  })

  test('find assignments that have one of the chosen priorities', () => {
    // 0 is no priority.
    assert.deepEqual(found('priorities=0,2'), ['b', 'c'])
    assert.deepEqual(found('labels=l1&priorities=0'), ['b'])
  })

  test('find unfinished assignments that are blocked', () => {
    // c is blocked, too, but done.
    assert.deepEqual(found('blocked=1'), ['b'])
  })

  test('find assignments by stage and type', () => {
    assert.deepEqual(found('stages=done'), ['c'])
    assert.deepEqual(found('stages=s1,done&types=t1'), ['a', 'c'])
  })

  test('find overdue and recently changed assignments', () => {
    assert.deepEqual(found('overdue=1'), ['a'])
    for (const days of [1, 7, 30]) assert.deepEqual(found(`changed=${days}`), ['a'])
    // Unknown values are ignored.
    assert.deepEqual(found('changed=nonsense'), ['a', 'b', 'c'])
  })

  test('find assignments of several users and of non-members', () => {
    assert.deepEqual(found('userId=u1'), ['a'])
    assert.deepEqual(found('userId=u1,u2', { extensions: false }), ['a', 'b'])
    assert.deepEqual(found('userId=nonmember'), ['c'])
    assert.deepEqual(found('userId=u2,nonmember'), ['b', 'c'])
    assert.equal(dependsOnMembers(filtersOf('userId=u1')), false)
    assert.equal(dependsOnMembers(filtersOf('userId=u1,nonmember')), true)
  })

  test('ask the API for a single user, and filter the rows by several users and by other properties', () => {
    for (const { query, requestedUserId, filtersRows } of [
      { query: '', requestedUserId: '', filtersRows: false },
      { query: 'userId=u1', requestedUserId: 'u1', filtersRows: false },
      { query: 'userId=u1,u2', requestedUserId: '', filtersRows: true },
      { query: 'userId=nonmember', requestedUserId: '', filtersRows: true },
      { query: 'userId=u1&overdue=1', requestedUserId: 'u1', filtersRows: true },
    ]) {
      assert.equal(queryOfFilters(filtersOf(query)).userId, requestedUserId, query)
      assert.equal(hasRowFilters(filtersOf(query)), filtersRows, query)
    }
  })

  test('find assignments without a user or without dates', () => {
    // Without a user or dates, an assignment has placeholders in these fields, and the flags.
    const idea = { ...rows[0], id: 'd', userId: 'u1', isUnscheduled: true, isUnassigned: true }
    const among = [...rows, idea as (typeof rows)[number]]
    assert.deepEqual(found('userId=nobody', { among }), ['d'])
    assert.deepEqual(found('userId=u1', { among }), ['a'])
    assert.deepEqual(found('userId=nobody,u2', { among }), ['b', 'd'])
    assert.deepEqual(found('userId=nonmember', { among }), ['c'])
    assert.deepEqual(found('dates=none', { among }), ['d'])
    assert.deepEqual(found('overdue=1', { among }), ['a'])
    assert.equal(queryOfFilters(filtersOf('userId=nobody')).userId, '')
  })

  test('exclude assignments with one of the values after a minus sign', () => {
    const idea = { ...rows[0], id: 'd', workflowId: 's2', isUnassigned: true }
    const among = [...rows, idea as (typeof rows)[number]]
    const idsByQuery = {
      'stages=-s1': ['c', 'd'],
      'stages=-s1,done': ['d'],
      'types=-t1': ['b'],
      'priorities=-0,2': ['a', 'd'],
      'labels=-l2': ['b', 'c', 'd'],
      'labels=-l1,l2': ['c', 'd'],
      'userId=-u1': ['b', 'c', 'd'],
      'userId=-nobody,nonmember': ['a', 'b'],
      'stages=-': ['a', 'b', 'c', 'd'],
    }
    for (const [query, ids] of Object.entries(idsByQuery))
      assert.deepEqual(found(query, { among }), ids, query)
    assert.equal(queryOfFilters(filtersOf('userId=-u1')).userId, '', 'the API has no such filter')
    assert.equal(hasRowFilters(filtersOf('userId=-u1')), true)
    assert.equal(resolveViewer(filtersOf('userId=-me,u2'), 'u1').userId, '-u1,u2')
    assert.equal(toggleValue('-a', 'b'), '-a,b')
    assert.equal(toggleValue('-a', 'a'), '')
    assert.equal(invert(invert('a,b')), 'a,b')
  })

  test('have the value "me" for the current user', () => {
    const userIdByQuery = {
      'userId=me': 'u1',
      'userId=me,u2': 'u1,u2',
      'userId=me,u1': 'u1',
      'userId=u2': 'u2',
    }
    for (const [query, userId] of Object.entries(userIdByQuery))
      assert.equal(resolveViewer(filtersOf(query, { extensions: false }), 'u1').userId, userId, query)
    // Until the current user is known, the API is asked without a user, and the page shows no assignment.
    const unknown = resolveViewer(filtersOf('userId=me'), undefined)
    assert.equal(queryOfFilters(unknown).userId, '')
    assert.deepEqual(rows.filter(matcherOf(unknown, facts)), [])
  })

  test('that need the extensions are ignored without them', () => {
    const query = 'labels=gone&priorities=4&blocked=1&stages=s1&overdue=1'
    assert.deepEqual(found(query, { extensions: false }), ['a', 'b', 'c'])
  })

  test('gain and lose a value when it is toggled', () => {
    assert.equal(toggleValue('', 'a'), 'a')
    assert.equal(toggleValue('a', 'b'), 'a,b')
    assert.equal(toggleValue('a,b', 'a'), 'b')
  })
})

describe('A saved view', () => {
  const parameters = (query: string) => new URLSearchParams(query)

  test('has the same query for any order of the parameters, and ignores the position, such as `month`', () => {
    const query = '?labels=l1&view=list'
    for (const address of [
      'view=list&labels=l1',
      'labels=l1&view=list&saved=s&full=1',
      'from=2026-01-05&month=2026-01&view=list&labels=l1',
    ])
      assert.equal(queryOfView(parameters(address)), query, address)
    assert.equal(queryOfView(parameters('saved=s')), '')
  })

  test('ignores unknown parameters and values', () => {
    assert.equal(queryOfView(parameters('view=calendar&span=week&zoom=year')), '?view=calendar')
    assert.equal(queryOfView(parameters('view=board&toString=1')), '')
    assert.equal(
      queryOfView(parameters('view=timeline&zoom=quarter&overdue=1')),
      '?overdue=1&view=timeline&zoom=quarter',
    )
  })

  test('can be saved only if the query has more than the choice of a standard view', () => {
    for (const query of ['', '?view=list']) assert.equal(isWorthSaving(query), false, query)
    for (const query of ['?view=list&group=stage', '?overdue=1'])
      assert.equal(isWorthSaving(query), true, query)
  })

  test('is converted to a filter expression of the API, as far as the API has its filters', () => {
    const projectId = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b50'
    const one = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b51'
    const two = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b52'
    const conditionsByAddress = {
      'overdue=1&labels=l1&search=a': '',
      [`userId=${one},${two}`]: ` and userId in ('${one}', '${two}')`,
      [`userId=${one},nonmember`]: '',
      'userId=me': ' and userId in (me)',
      [`userId=me,${one}`]: ` and userId in (me, '${one}')`,
      [`stages=${one}&types=${two}`]: ` and workflowId in ('${one}') and assignmentTypeId in ('${two}')`,
      'userId=nobody&dates=none': ' and isUnassigned eq true and isUnscheduled eq true',
      'userId=me,nobody': ' and (userId in (me) or isUnassigned eq true)',
      'priorities=4,3': ' and priority in (4, 3)',
      'priorities=4,0': ' and (priority in (4) or priority eq null)',
      'priorities=0': ' and priority eq null',
      'priorities=-4,0': ' and not ((priority in (4) or priority eq null))',
      [`stages=-${one}&labels=-l1`]: ` and not (workflowId in ('${one}'))`,
      'dateFrom=2026-03-01&dateTo=2026-03-31': " and endDate ge '2026-03-01' and startDate lt '2026-04-01'",
      "stages=a')or(&priorities=x": '',
    }
    for (const [address, conditions] of Object.entries(conditionsByAddress)) {
      const filters = parseFilters(parameters(address), { extensions: true })
      assert.equal(filterTextOf(filters, projectId), `projectId eq '${projectId}'${conditions}`, address)
    }
  })
})

describeInBrowser('In a project', { filters: filterJourneys, 'saved views': savedViewJourneys })
