import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Query } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { newWord, once } from './make-rows.ts'
import { done, idsIn, invalid, invalidWith } from './outcomes.ts'
import { commonFields, type Entity, entities, pascalCase, resources } from './resources.ts'

const dates = ['dateFrom', 'dateTo']
const contractFilters = ['organizationId', 'projectId', 'assignmentId', 'userId', 'workflowId']
const extensionFilters = entities.flatMap((entity) =>
  resources[entity].filters.filter((key) => !dates.includes(key)),
)
const relations = [...new Set([...contractFilters, ...extensionFilters])]
/** The contract does not know the filters that only extensions have. */
const idFiltersOf = (entity: Entity) => (ofContract(entity) ? contractFilters : relations)
const ofContract = (entity: Entity) => resources[entity].root === '/api'

/** Returns the fields by which no list can be filtered. */
function nonFilterFields(entitiesOfEdition: readonly Entity[]): string[] {
  const own = entitiesOfEdition.flatMap((entity) => resources[entity].own)
  const fields = new Set([...commonFields, ...own, 'password', 'expectedVersion'])
  return [...fields].filter((name) => !relations.includes(name))
}
const contractNonFilters = nonFilterFields(entities.filter(ofContract))
const extensionNonFilters = nonFilterFields(entities)
const extensionOnlyNames = [...extensionNonFilters, ...relations].filter(
  (name) => !contractNonFilters.includes(name) && !contractFilters.includes(name),
)

const malformed = (filter: string) =>
  `${pascalCase(filter)} must be ${relations.includes(filter) ? 'a UUID' : 'an ISO-8601 date and time'}.`

const wellFormed = (filters: readonly string[]) =>
  Object.fromEntries(
    filters.map((filter) => [filter, relations.includes(filter) ? randomUUID() : '2026-01-01']),
  )

onEveryHost('Filters of a list', (tracker) => {
  const list = (entity: Entity, query: Query) => tracker.list(entity, query, tracker.administrator)

  for (const entity of entities) {
    const { filters, references } = resources[entity]
    const all = [...idFiltersOf(entity), ...dates]
    const unsupported = (filter: string) =>
      `${pascalCase(resources[entity].list)} cannot be filtered by ${filter}.`

    for (const filter of relations.filter((name) => filters.includes(name)))
      test(`a list of ${entity} is narrowed by ${filter}`, async () => {
        const { id: value } = await tracker.make(references[filter] ?? 'project')
        const isOfAssignment = !references[filter]
        const values = isOfAssignment
          ? { assignmentId: (await tracker.make('assignment', { [filter]: value })).id }
          : { [filter]: value }
        const [row, other] = await Promise.all([tracker.make(entity, values), tracker.make(entity)])
        const ids = `${row.id},${other.id}`
        assert.deepEqual(await idsIn(list(entity, { [filter]: value, ids })), [row.id])
        assert.deepEqual(await idsIn(list(entity, { [filter]: value.toUpperCase(), ids })), [row.id])
        const everywhere = await idsIn(list(entity, { [filter]: value }))
        assert.ok(everywhere.includes(row.id) && !everywhere.includes(other.id))
        assert.deepEqual(await idsIn(list(entity, { [filter]: randomUUID() })), [])
      })

    const unsupportedFilters = all.filter((filter) => !filters.includes(filter))
    const nonFilters = ofContract(entity) ? contractNonFilters : extensionNonFilters

    test(`a list of ${entity} rejects the unsupported filters ${unsupportedFilters.join(', ')}`, async () => {
      const sentences = unsupportedFilters.map((filter) => [filter, [unsupported(filter)]])
      await invalidWith(list(entity, wellFormed(unsupportedFilters)), Object.fromEntries(sentences))
    })

    test(`a list of ${entity} rejects malformed filters, in addition to unsupported ones`, async () => {
      const malformedFilters = Object.fromEntries(all.map((filter) => [filter, 'none']))
      const { errors } = await invalid(list(entity, malformedFilters), ...all)
      for (const filter of all) {
        const sentences = [
          malformed(filter),
          ...(unsupportedFilters.includes(filter) ? [unsupported(filter)] : []),
        ]
        assert.deepEqual(errors[filter]?.toSorted(), sentences.sort())
      }
    })

    if (tracker.hasNamedKeys)
      test(`a list of ${entity} cannot be filtered by any other field of any resource`, async () => {
        const query = Object.fromEntries(nonFilters.map((name) => [name, randomUUID()]))
        const sentences = nonFilters.map((name) => [name, [unsupported(name)]])
        await invalidWith(list(entity, query), Object.fromEntries(sentences))
        const empty = Object.fromEntries(nonFilters.map((name) => [name, '']))
        await invalidWith(list(entity, empty), Object.fromEntries(sentences))
      })

    test(`empty filters of a list of ${entity} are rejected: they would match every row`, async () => {
      for (const blank of ['', '  ']) {
        const blanks = Object.fromEntries(all.map((filter) => [filter, blank]))
        const { errors } = await invalid(list(entity, blanks), ...all)
        for (const filter of all) assert.ok(errors[filter]?.includes(malformed(filter)), filter)
      }
    })
  }

  test('an unknown key filters nothing', async () => {
    const { id } = await tracker.make('assignment')
    assert.deepEqual(await idsIn(list('assignment', { ids: id, color: 'red', names: 'none' })), [id])
  })

  if (tracker.hasNamedKeys)
    test('a field of extensions is an unknown key in a list of the contract', async () => {
      const { id } = await tracker.make('assignment')
      const unknownKeys = Object.fromEntries(extensionOnlyNames.map((name) => [name, 'none']))
      assert.ok('text' in unknownKeys)
      assert.deepEqual(await idsIn(list('assignment', { ids: id, ...unknownKeys })), [id])
    })

  test('a row is listed only if it meets the filters, the search, the ids and the dates', async () => {
    const word = newWord()
    const [project, workflow, user] = await Promise.all([
      tracker.make('project'),
      tracker.make('workflow'),
      tracker.make('user'),
    ])
    const wanted = {
      name: word,
      projectId: project.id,
      workflowId: workflow.id,
      userId: user.id,
      startDate: '2026-07-10',
      endDate: '2026-07-11',
    }
    const { projectId, workflowId, userId } = await tracker.valid('assignment')
    const [row, ...others] = await Promise.all(
      [
        {},
        { name: 'Another' },
        { projectId },
        { workflowId },
        { userId },
        { startDate: '2026-07-20', endDate: '2026-07-21' },
        {},
      ].map((values) => tracker.make('assignment', { ...wanted, ...values })),
    )
    const ids = [row, ...others.slice(0, -1)].map((listed) => listed?.id).join(',')
    const query = {
      search: word,
      projectId: project.id,
      workflowId: workflow.id,
      userId: user.id,
      dateFrom: '2026-07-01',
      dateTo: '2026-07-15',
    }
    assert.deepEqual(await idsIn(list('assignment', { ...query, ids })), [row?.id])
    assert.equal((await idsIn(list('assignment', query))).length, 2)
  })

  test('a filter shows a caller only rows they may see', async () => {
    const [project, outsider] = await Promise.all([tracker.make('project'), tracker.signUp()])
    const task = await tracker.make('assignment', { projectId: project.id })
    assert.deepEqual(await idsIn(tracker.list('assignment', { projectId: project.id }, outsider)), [])
    assert.deepEqual(await idsIn(tracker.list('assignment', { ids: task.id }, outsider)), [])
  })
})

onEveryHost('The ids of a list', (tracker) => {
  const list = (ids: string) => tracker.list('workflow', { ids }, tracker.administrator)

  test('only the rows with these ids are listed', async () => {
    const rows = await Promise.all([1, 2, 3].map(() => tracker.make('workflow')))
    const [first, second] = rows.map(({ id }) => id).sort() as [string, string]
    assert.deepEqual(await idsIn(list(`${second},${first}`)), [first, second])
    assert.deepEqual(await idsIn(list(`${second},${randomUUID()}`)), [second])
    assert.deepEqual(await idsIn(list(randomUUID())), [])
  })

  test('blanks between the ids and repeated ids are ignored', async () => {
    const { id } = await tracker.make('workflow')
    for (const ids of [`${id},`, `,,${id}, ,`, `${id},${id}`, `${id},${id.toUpperCase()}`])
      assert.deepEqual(await idsIn(list(ids)), [id], ids)
  })

  test('empty ids are rejected: they would match every row', async () => {
    for (const ids of ['', '  ', ',']) await invalid(list(ids), 'ids')
  })

  test('there may be a hundred ids, counted without blanks and repetitions', async () => {
    const ids = Array.from({ length: 100 }, () => randomUUID())
    await done(list(ids.join(',')))
    await done(list([...ids, '', ids[0]].join(',')))
    await invalid(list([...ids, randomUUID()].join(',')), 'ids')
  })

  test('a malformed id among the ids is rejected', async () => {
    const { id } = await tracker.make('workflow')
    for (const ids of ['none', `${id},none`, `${id};${id}`]) await invalid(list(ids), 'ids')
  })
})

const june = { dateFrom: '2026-06-10', dateTo: '2026-06-20' }

/** Dates of appointments, and whether they are from 10 June to before 20 June. */
const appointments = [
  { keepDate: '2026-06-09T23:59:59.999999Z', isIncluded: false },
  { keepDate: '2026-06-10T00:00:00Z', isIncluded: true },
  { keepDate: '2026-06-10T01:00:00+02:00', isIncluded: false },
  { keepDate: '2026-06-15T12:00:00Z', isIncluded: true },
  { keepDate: '2026-06-19T23:59:59.999999Z', isIncluded: true },
  { keepDate: '2026-06-20T00:00:00Z', isIncluded: false },
  { keepDate: '2026-06-20T01:00:00+02:00', isIncluded: true },
]

/** Assignments, and whether they overlap the time from 10 June to before 20 June. */
const assignments = [
  { startDate: '2026-06-01', endDate: '2026-06-09T23:59:59.999999Z', overlaps: false },
  { startDate: '2026-06-01', endDate: '2026-06-10', overlaps: true },
  { startDate: '2026-06-12', endDate: '2026-06-13', overlaps: true },
  { startDate: '2026-06-01', endDate: '2026-06-30', overlaps: true },
  { startDate: '2026-06-19T23:59:59.999999Z', endDate: '2026-06-30', overlaps: true },
  { startDate: '2026-06-20', endDate: '2026-06-30', overlaps: false },
  { startDate: '2026-06-10', endDate: '2026-06-10', overlaps: true },
]

const accepted = [
  '2026-06-10',
  '2026-06-10T00:00',
  '2026-06-10T00:00:00',
  '2026-06-10T00:00:00.0',
  '2026-06-10T00:00Z',
  '2026-06-10T00:00:00.0000000',
  '2026-06-10T00:00:00.0000000Z',
  '2026-06-10T02:00:00+02:00',
  '2026-06-09T18:30-05:30',
  '2026-06-10T00:00:00.000000+00:00',
  '2026-06-10T00:00:00.000000999Z',
  '2026-06-10T02:00:00.000000000+02:00',
  '2026-06-10T00:00:00.00000000000000000000',
]

const rejectedDates = [
  'yesterday',
  '2026-13-01',
  '2026-02-30',
  '2027-02-29',
  '2026-02-30T10:00:00Z',
  '2026-6-1',
  '2026-06',
  '01/06/2026',
  '2026-06-10T24:30',
  '2026-06-10T10:60',
  '2026-06-10T10:00:00.',
  '1780272000',
  '2026-06-10T10:00:00 02:00',
  '2026-06-10T10:00+25:00',
  '2026-06-10TZ',
  '20260610',
]

onEveryHost('Dates that filter a list', (tracker) => {
  const keep = async (keepDate: string) => (await tracker.make('appointment', { keepDate })).id
  const plan = async (startDate: string, endDate: string) =>
    (await tracker.make('assignment', { startDate, endDate })).id
  const isListed = async (entity: 'appointment' | 'assignment', ids: string, query: Query) =>
    (await idsIn(tracker.list(entity, { ...query, ids }, tracker.administrator))).length === 1

  for (const { keepDate, isIncluded } of appointments)
    test(`an appointment at ${keepDate} is ${isIncluded ? '' : 'not '}listed from 10 to 20 June`, async () => {
      assert.equal(await isListed('appointment', await keep(keepDate), june), isIncluded)
    })

  for (const { startDate, endDate, overlaps } of assignments)
    test(`an assignment from ${startDate} to ${endDate} is ${overlaps ? '' : 'not '}listed from 10 to 20 June`, async () => {
      assert.equal(await isListed('assignment', await plan(startDate, endDate), june), overlaps)
    })

  test('each of the two dates may be given alone', async () => {
    const [early, late] = await Promise.all([keep('2026-06-09'), keep('2026-06-20')])
    const { dateFrom, dateTo } = june
    assert.equal(await isListed('appointment', early, { dateFrom }), false)
    assert.equal(await isListed('appointment', late, { dateFrom }), true)
    assert.equal(await isListed('appointment', early, { dateTo }), true)
    assert.equal(await isListed('appointment', late, { dateTo }), false)
    const [before, after] = await Promise.all([
      plan('2026-06-01', '2026-06-09'),
      plan('2026-06-20', '2026-06-21'),
    ])
    assert.equal(await isListed('assignment', before, { dateFrom }), false)
    assert.equal(await isListed('assignment', after, { dateFrom }), true)
    assert.equal(await isListed('assignment', before, { dateTo }), true)
    assert.equal(await isListed('assignment', after, { dateTo }), false)
  })

  const aroundMidnight = once(() =>
    Promise.all([keep('2026-06-09T23:59:59.999999Z'), keep('2026-06-10T00:00:00Z')]),
  )

  for (const dateFrom of accepted)
    test(`${dateFrom} is a timestamp, and the start of 10 June`, async () => {
      const [before, at] = await aroundMidnight()
      const list = (query: Query) =>
        idsIn(tracker.list('appointment', { ...query, ids: `${before},${at}` }, tracker.administrator))
      assert.deepEqual(await list({ dateFrom }), [at])
      assert.deepEqual(await list({ dateTo: dateFrom }), [before])
    })

  for (const value of rejectedDates)
    test(`${value} is rejected as a timestamp`, async () => {
      for (const entity of ['appointment', 'assignment'] as const)
        await invalidWith(tracker.list(entity, { dateFrom: value, dateTo: value }, tracker.administrator), {
          dateFrom: ['DateFrom must be an ISO-8601 date and time.'],
          dateTo: ['DateTo must be an ISO-8601 date and time.'],
        })
    })

  test('a range that ends before it starts is rejected under dateTo', async () => {
    for (const { dateFrom, dateTo } of [
      { dateFrom: '2026-06-11', dateTo: '2026-06-10' },
      { dateFrom: '2026-06-10T00:00:00.000001Z', dateTo: '2026-06-10' },
      { dateFrom: '2026-06-10T10:00:00Z', dateTo: '2026-06-10T11:00:00+02:00' },
    ] as const)
      for (const entity of ['appointment', 'assignment'] as const) {
        const { errors } = await tracker.list(entity, { dateFrom, dateTo }, tracker.administrator)
        assert.deepEqual(Object.keys(errors), ['dateTo'])
        assert.match(errors.dateTo?.[0] ?? '', /^DateTo .*\.$/)
      }
  })

  test('an empty range is valid', async () => {
    const timestamp = { dateFrom: '2026-06-10T10:00Z', dateTo: '2026-06-10T12:00+02:00' }
    assert.equal(await isListed('appointment', await keep('2026-06-10T10:00:00Z'), timestamp), false)
    assert.equal(await isListed('assignment', await plan('2026-06-10', '2026-06-11'), timestamp), true)
    await done(tracker.list('appointment', timestamp, tracker.administrator))
  })

  test('one malformed date is reported by itself', async () => {
    const query = { dateFrom: '2026-06-10', dateTo: 'later' }
    await invalidWith(tracker.list('appointment', query, tracker.administrator), {
      dateTo: ['DateTo must be an ISO-8601 date and time.'],
    })
  })
})
