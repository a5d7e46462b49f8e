import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

type Query = Readonly<Record<string, string>>

interface Group {
  readonly [name: string]: unknown
}

describe('A report under /ext/reports/', () => {
  let project: string
  let other: string
  let foreign: string
  let write: string
  let draw: string

  const ask = (report: string, query: Query, person = ann, headers = {}) =>
    person.call('GET', `/ext/reports/${report}?${new URLSearchParams(query)}`, undefined, headers)
  const sumsOf = async (report: string, query: Query, person?: Person) => {
    const { status, body } = await ask(report, query, person)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const groupsOf = async (query: Query, person?: Person): Promise<Group[]> =>
    (await sumsOf('hours', query, person)).groups
  const serializePerson = ({ id, name }: Person) => ({ id, name })
  const addAppointment = (assignment: string, by: Person, amountHours: number, keepDate: string) =>
    workspace.appointment(assignment, by.id, { amountHours, keepDate })

  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))
  const carl = fixture(() => rest.signUp({ name: 'Carl' }))
  /** Ann and Bob share two projects. Carl has another project. */
  before(async () => {
    project = await workspace.project('Relaunch', ann)
    other = await workspace.project('=Other, "quoted"', ann)
    foreign = await workspace.project('Foreign', carl)
    for (const id of [project, other]) await workspace.join(id, bob.id)
    write = await workspace.assignment(project, ann.id, { startDate: '2026-01-05', amountHours: 8 })
    const draft = { name: 'Draw', startDate: '2026-01-07', amountHours: 2.5 }
    draw = await workspace.assignment(other, bob.id, draft)
    const paint = await workspace.assignment(foreign, carl.id, { startDate: '2026-01-05', amountHours: 1 })
    await addAppointment(write, ann, 0.1, '2026-01-05')
    await addAppointment(write, ann, 0.2, '2026-01-11T23:59:59.999999Z')
    await addAppointment(write, bob, 4, '2026-01-12')
    await addAppointment(draw, bob, 1.25, '2026-01-31T23:30:00Z')
    await addAppointment(draw, ann, 2, '2026-02-01T00:00:00Z')
    await addAppointment(paint, carl, 100, '2026-01-05')
  })

  test('sums hours by user, with the names that the reader may see, and the total', async () => {
    const groups = [
      { person: serializePerson(ann), hours: 2.3, appointments: 3 },
      { person: serializePerson(bob), hours: 5.25, appointments: 2 },
    ]
    const whole = { totalGroups: 2, total: { hours: 7.55, appointments: 5 }, timeZone: 'UTC' }
    for (const person of [ann, bob])
      assert.deepEqual(await sumsOf('hours', { groupBy: 'person' }, person), { groups, ...whole })
  })

  test('sums for each reader only the rows that they may see', async () => {
    assert.deepEqual(await groupsOf({ groupBy: 'person' }, carl), [
      { person: serializePerson(carl), hours: 100, appointments: 1 },
    ])
    const { total } = await sumsOf('hours', { groupBy: 'organization' }, rest.administrator)
    assert.deepEqual(total, { hours: 107.55, appointments: 6 })
    const outsider = await rest.signUp()
    assert.deepEqual(await sumsOf('hours', { groupBy: 'person' }, outsider), {
      groups: [],
      totalGroups: 0,
      timeZone: 'UTC',
      total: { hours: 0, appointments: 0 },
    })
    assert.deepEqual(await groupsOf({ groupBy: 'person', projectId: foreign }), [])
  })

  test('sums by project, organization, type and workflow', async () => {
    assert.deepEqual(await groupsOf({ groupBy: 'project' }), [
      { project: { id: other, name: '=Other, "quoted"' }, hours: 3.25, appointments: 2 },
      { project: { id: project, name: 'Relaunch' }, hours: 4.3, appointments: 3 },
    ])
    for (const [groupBy, entity] of [
      ['organization', { id: workspace.organizationId, name: 'Lighthouse' }],
      ['type', { id: workspace.assignmentTypeId, name: 'Feature' }],
      ['workflow', { id: workspace.workflowId, name: 'Doing' }],
    ] as const)
      assert.deepEqual(await groupsOf({ groupBy }), [{ [groupBy]: entity, hours: 7.55, appointments: 5 }])
  })

  test('sums by assignment for members only', async () => {
    const written = { assignment: { id: write, name: 'Write' }, hours: 4.3, appointments: 3 }
    const drawn = { assignment: { id: draw, name: 'Draw' }, hours: 3.25, appointments: 2 }
    // Assignments without hours have no group.
    await workspace.assignment(foreign, carl.id, { name: 'Untouched' })
    for (const person of [ann, bob])
      assert.deepEqual(await groupsOf({ groupBy: 'assignment' }, person), [drawn, written])
    assert.deepEqual(await groupsOf({ groupBy: 'assignment', projectId: project }), [written])
    assert.deepEqual(await groupsOf({ groupBy: 'assignment', assignmentId: draw }), [drawn])
    assert.deepEqual(await groupsOf({ groupBy: 'assignment', userId: bob.id, dateTo: '2026-01-15' }), [
      { ...written, hours: 4, appointments: 1 },
    ])
    const cut = await sumsOf('hours', { groupBy: 'assignment', limit: '1' })
    assert.deepEqual([cut.groups, cut.totalGroups, cut.total.hours], [[drawn], 2, 7.55])
    const outsider = await rest.signUp()
    for (const stranger of [carl, outsider])
      for (const filter of [{ projectId: project }, { assignmentId: write }])
        assert.deepEqual(await groupsOf({ groupBy: 'assignment', ...filter }, stranger), [])
    const all = await groupsOf({ groupBy: 'assignment', projectId: foreign }, rest.administrator)
    assert.deepEqual(
      all.map(({ hours }) => hours),
      [100],
    )
    const planned = await sumsOf('assignments', { groupBy: 'assignment', projectId: other })
    assert.deepEqual(planned.groups, [{ assignment: drawn.assignment, assignments: 1, plannedHours: 2.5 }])
  })

  test('begins weeks on Monday and months on their first day, in the time zone', async () => {
    const hoursBy = async (groupBy: string, timeZone: string) =>
      (await groupsOf({ groupBy, timeZone })).map((group) => [group[groupBy], group.hours])
    assert.deepEqual(await hoursBy('week', 'UTC'), [
      ['2026-01-05', 0.3],
      ['2026-01-12', 4],
      ['2026-01-26', 3.25],
    ])
    assert.deepEqual(await hoursBy('week', 'Europe/Berlin'), [
      ['2026-01-05', 0.1],
      ['2026-01-12', 4.2],
      ['2026-01-26', 3.25],
    ])
    assert.deepEqual(await hoursBy('month', 'UTC'), [
      ['2026-01', 5.55],
      ['2026-02', 2],
    ])
    assert.deepEqual(await hoursBy('month', 'Europe/Berlin'), [
      ['2026-01', 4.3],
      ['2026-02', 3.25],
    ])
    assert.deepEqual(await hoursBy('month', 'America/New_York'), [['2026-01', 7.55]])
  })

  test('groups by several fields, in the requested order', async () => {
    const found = await groupsOf({ groupBy: 'month,person' })
    assert.deepEqual(
      found.map(({ month, person, hours }) => [month, (person as Person).name, hours]),
      [
        ['2026-01', 'Ann', 0.3],
        ['2026-01', 'Bob', 5.25],
        ['2026-02', 'Ann', 2],
      ],
    )
  })

  test('includes the first day of its period but not the last', async () => {
    const hoursOf = async (query: Query) => (await sumsOf('hours', { groupBy: 'week', ...query })).total.hours
    assert.equal(await hoursOf({ dateFrom: '2026-01-12', dateTo: '2026-02-01' }), 5.25)
    assert.equal(await hoursOf({ dateFrom: '2026-02-01', timeZone: 'Europe/Berlin' }), 3.25)
    assert.equal(await hoursOf({ userId: bob.id, projectId: project }), 4)
    assert.equal(await hoursOf({ assignmentTypeId: workspace.assignmentTypeId, workflowId: project }), 0)
    assert.equal(await hoursOf({ organizationId: workspace.organizationId, dateTo: '2026-01-06' }), 0.1)
  })

  test('counts assignments and sums their estimates by start date', async () => {
    const { groups, total } = await sumsOf('assignments', { groupBy: 'week,person' })
    assert.deepEqual(groups, [
      { week: '2026-01-05', person: serializePerson(ann), assignments: 1, plannedHours: 8 },
      { week: '2026-01-05', person: serializePerson(bob), assignments: 1, plannedHours: 2.5 },
    ])
    assert.deepEqual(total, { assignments: 2, plannedHours: 10.5 })
    const byProject = await sumsOf('assignments', { groupBy: 'project', dateFrom: '2026-01-06' })
    assert.deepEqual(byProject.total, { assignments: 1, plannedHours: 2.5 })
  })

  test('keeps the id and hides the name of a former colleague', async () => {
    const [dora, emil] = [await rest.signUp({ name: 'Dora' }), await rest.signUp({ name: 'Emil' })]
    const shared = await workspace.project('Shared', dora)
    const membership = await workspace.join(shared, emil.id)
    await addAppointment(await workspace.assignment(shared, emil.id), emil, 3, '2026-01-05')
    const person = async () => (await groupsOf({ groupBy: 'person' }, dora))[0]?.person
    assert.deepEqual(await person(), serializePerson(emil))
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.deepEqual(await person(), { id: emil.id, name: null })
  })

  test('returns as many groups as requested', async () => {
    const { groups, totalGroups, total } = await sumsOf('hours', { groupBy: 'week,person', limit: '2' })
    assert.deepEqual([groups.length, totalGroups, total.hours], [2, 4, 7.55])
  })

  test('is returned as CSV on request', async () => {
    const answer = await ask('hours', { groupBy: 'project,month' }, ann, { accept: 'text/csv' })
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
    assert.match(answer.headers.get('content-disposition') ?? '', /filename="hours\.csv"/)
    const lines = [
      'projectId,project,month,hours,appointments',
      `"${other}","'=Other, ""quoted""","2026-01",1.25,1`,
      `"${other}","'=Other, ""quoted""","2026-02",2,1`,
      `"${project}","Relaunch","2026-01",4.3,3`,
    ]
    assert.equal(answer.body, lines.map((line) => `${line}\r\n`).join(''))
    const cut = await ask('hours', { groupBy: 'week', limit: '1' }, ann, { accept: 'text/csv' })
    assertEnvelope(cut, 400)
    assert.match(cut.body.errors.groupBy[0], /^There are 3 groups, more than the limit of \d\./)
    const either = await ask('hours', { groupBy: 'week' }, ann, { accept: 'text/csv, application/json' })
    assert.equal(either.body.result.totalGroups, 3)
  })

  test('has an ETag that changes with a name of its groups', async () => {
    const tag = (await ask('hours', { groupBy: 'person' })).headers.get('etag') ?? ''
    const readIfChanged = () => ask('hours', { groupBy: 'person' }, ann, { 'if-none-match': tag })
    assert.equal((await readIfChanged()).status, 304)
    await workspace.write('PATCH', '/api/me', { name: 'Rob' }, bob)
    assert.equal((await readIfChanged()).status, 200)
    await workspace.write('PATCH', '/api/me', { name: 'Bob' }, bob)
  })

  test('as a live listing shows the exact sum after many concurrent writes', async () => {
    const gina = await rest.signUp({ name: 'Gina' })
    const assignment = await workspace.assignment(await workspace.project('Busy', gina), gina.id)
    const live = await openEventStream(rest.address, '/ext/reports/hours?groupBy=person,week', {
      token: gina.token,
    })
    assert.deepEqual((await live.next()).data.result.total, { hours: 0, appointments: 0 })
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        addAppointment(assignment, gina, 0.07, `2026-03-0${(index % 9) + 1}`),
      ),
    )
    await workspace.write('DELETE', '/api/appointment', { ids: made.slice(0, 10) })
    const { data } = await live.nextWhere((event) => event.data.result.total.hours === 2.1)
    live.close()
    assert.deepEqual(data.result, await sumsOf('hours', { groupBy: 'person,week' }, gina))
  })

  test('accepts a sample of the time zones that the program knows, for any date', async () => {
    const zones = Intl.supportedValuesOf('timeZone').filter(
      (zone, index) => zone.includes('/') && index % 12 === 0,
    )
    for (const timeZone of zones)
      assert.equal((await ask('hours', { groupBy: 'week', timeZone })).status, 200, timeZone)
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago'])
      for (const query of [{ dateFrom: '0001-01-01' }, { dateTo: '9999-12-31' }])
        assert.equal((await ask('hours', { groupBy: 'month', timeZone, ...query })).status, 200)
  })
})
