import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProject, owned, unseen } from './authorization-matrix.ts'
import type { Input, Person, Row } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { once } from './make-rows.ts'
import { done, idsIn, invalid, invalidWith, pageIn, recordIn, rejected } from './outcomes.ts'
import { a, creatable, type Entity, resources, withinProject } from './resources.ts'
import { microsecondsOf, wallClock } from './timestamps.ts'

/** Resources whose rows can move between projects, and the column that determines the project. */
const movers = inProject
  .filter((entity) => creatable.includes(entity))
  .map((entity) => {
    const column = ['projectId', 'assignmentId'].find((name) => name in resources[entity].references)
    assert.ok(column, `${entity} belongs to a project`)
    return { entity, column }
  })

onEveryHost('Moving rows between projects', (tracker) => {
  for (const { entity, column } of movers) {
    /**
     * Creates two projects with parents for the rows, and three members: one of both projects, and one of
     * each project.
     */
    const scene = once(async () => {
      const [from, to] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const place = async (project: Row) =>
        column === 'projectId' ? project : tracker.make('assignment', { projectId: project.id })
      const [old, next, both, onlyOld, onlyNew] = await Promise.all([
        place(from),
        place(to),
        tracker.memberOf(from, to),
        tracker.memberOf(from),
        tracker.memberOf(to),
      ])
      const make = (userId: string) =>
        tracker.make(entity, { [column]: old.id, ...(owned.includes(entity) && { userId }) })
      const moveBody = async (row: Row) => {
        const values = { [column]: next.id }
        // Both rows of a link must be in the same project, so the other row has to be in the new project,
        // too.
        const allValues = withinProject.includes(entity) ? await tracker.valid(entity, values) : values
        return tracker.change(entity, row, allValues)
      }
      return { next, both, onlyOld, onlyNew, make, moveBody }
    })

    test(`a member of both projects moves ${a(entity)} from one to the other`, async () => {
      const { next, both, onlyNew, make, moveBody } = await scene()
      const row = await make(both.id)
      await done(tracker.update(entity, await moveBody(row), both))
      assert.equal((await recordIn(tracker.get(entity, row.id, onlyNew)))[column], next.id)
    })

    test(`a member of the old project alone may not move ${a(entity)} into the new one`, async () => {
      const { onlyOld, make, moveBody } = await scene()
      const row = await make(onlyOld.id)
      const kind = unseen.includes(entity) ? 'invalid' : 'forbidden'
      await rejected(tracker.update(entity, await moveBody(row), onlyOld), kind)
      assert.deepEqual(await recordIn(tracker.get(entity, row.id, onlyOld)), row)
    })

    test(`a member of the new project alone does not find the ${entity} to move`, async () => {
      const { onlyNew, make, moveBody } = await scene()
      const row = await make(onlyNew.id)
      await rejected(tracker.update(entity, await moveBody(row), onlyNew), 'missing')
    })

    test(`an administrator moves ${a(entity)} anywhere`, async () => {
      const { onlyOld, make, moveBody } = await scene()
      const row = await make(onlyOld.id)
      await done(tracker.update(entity, await moveBody(row), tracker.administrator))
      await rejected(tracker.get(entity, row.id, onlyOld), 'missing')
    })
  }

  test('the rows that belong to an assignment move with it', async () => {
    const [from, to] = await Promise.all([tracker.make('project'), tracker.make('project')])
    const task = await tracker.make('assignment', { projectId: from.id })
    const [ann, bob, blocked] = await Promise.all([
      tracker.memberOf(from),
      tracker.memberOf(to),
      tracker.make('assignmentImpediment', { assignmentId: task.id }),
    ])
    const change = tracker.change('assignment', task, { projectId: to.id })
    await done(tracker.update('assignment', change, tracker.administrator))
    await rejected(tracker.get('assignmentImpediment', blocked.id, ann), 'missing')
    await done(tracker.get('assignmentImpediment', blocked.id, bob))
  })
})

onEveryHost('Own appointments', (tracker) => {
  const scene = async () => {
    const project = await tracker.make('project')
    const [ann, bob, task] = await Promise.all([
      tracker.memberOf(project),
      tracker.memberOf(project),
      tracker.make('assignment', { projectId: project.id }),
    ])
    const makeAppointment = ({ id }: Person) =>
      tracker.make('appointment', { assignmentId: task.id, userId: id })
    const [mine, theirs] = await Promise.all([makeAppointment(ann), makeAppointment(bob)])
    return { ann, bob, task, mine, theirs }
  }

  test('a member sees the appointments of others, and may not change or remove them', async () => {
    const { ann, theirs } = await scene()
    assert.deepEqual(await recordIn(tracker.get('appointment', theirs.id, ann)), theirs)
    const longer = tracker.change('appointment', theirs, { amountHours: 8 })
    await rejected(tracker.update('appointment', longer, ann), 'forbidden')
    await rejected(tracker.remove('appointment', [theirs.id], ann), 'forbidden')
  })

  test('a member may not record an appointment in the name of another', async () => {
    const { ann, bob, task } = await scene()
    const body = await tracker.valid('appointment', { assignmentId: task.id, userId: bob.id })
    await rejected(tracker.create('appointment', body, ann), 'forbidden')
  })

  test('a member may neither give an appointment to another member nor take one over', async () => {
    const { ann, bob, mine, theirs } = await scene()
    const handOver = tracker.change('appointment', mine, { userId: bob.id })
    await rejected(tracker.update('appointment', handOver, ann), 'forbidden')
    const takeOver = tracker.change('appointment', theirs, { userId: ann.id })
    await rejected(tracker.update('appointment', takeOver, ann), 'forbidden')
  })

  test('a batch of removals fails as a whole if the caller may not remove one of the rows', async () => {
    const { ann, mine, theirs } = await scene()
    await rejected(tracker.remove('appointment', [mine.id, theirs.id], ann), 'forbidden')
    await done(tracker.get('appointment', mine.id, ann))
  })

  test('an administrator may change and reassign the appointments of any user', async () => {
    const { bob, mine } = await scene()
    const change = tracker.change('appointment', mine, { userId: bob.id, amountHours: 0.5 })
    await done(tracker.update('appointment', change, tracker.administrator))
    await done(tracker.get('appointment', mine.id, bob))
    await done(tracker.remove('appointment', [mine.id], bob))
  })
})

onEveryHost('Membership of projects', (tracker) => {
  const makeIn = async (entity: Entity, project: Row) => {
    if (entity === 'project') return project
    if ('projectId' in resources[entity].references) return tracker.make(entity, { projectId: project.id })
    const { id } = await tracker.make('assignment', { projectId: project.id })
    return tracker.make(entity, { assignmentId: id })
  }

  for (const entity of ['project', ...inProject] as const)
    test(`a member's list of ${entity} contains and counts only rows of the member's projects`, async () => {
      const [ownProject, foreign] = await Promise.all([tracker.make('project'), tracker.make('project')])
      const [ann, mine, hidden] = await Promise.all([
        tracker.memberOf(ownProject),
        makeIn(entity, ownProject),
        makeIn(entity, foreign),
      ])
      const both = { ids: `${mine.id},${hidden.id}` }
      assert.deepEqual(await idsIn(tracker.list(entity, both, ann)), [mine.id])
      assert.deepEqual(
        await idsIn(tracker.list(entity, both, tracker.administrator)),
        [mine.id, hidden.id].sort(),
      )
      const page = await pageIn(tracker.list(entity, { pageSize: 100 }, ann))
      assert.equal(page.totalCount, page.data.length)
      assert.ok(page.data.some(({ id }) => id === mine.id))
      assert.ok(page.data.every(({ id }) => id !== hidden.id))
      assert.deepEqual(await idsIn(tracker.list(entity, {}, await tracker.signUp())), [])
    })

  test('an administrator who creates a project becomes a member of it, too', async () => {
    const { id } = await tracker.make('project')
    const query = { projectId: id, userId: tracker.administrator.id }
    assert.equal((await idsIn(tracker.list('userProject', query, tracker.administrator))).length, 1)
  })

  test('anyone who creates a project becomes a member of it', async () => {
    const ann = await tracker.signUp()
    const project = await tracker.make('project', {}, ann)
    assert.deepEqual(await recordIn(tracker.get('project', project.id, ann)), project)
    const { data } = await pageIn(tracker.list('userProject', { projectId: project.id }, ann))
    assert.deepEqual(
      data.map(({ userId, projectId }) => [userId, projectId]),
      [[ann.id, project.id]],
    )
    await tracker.make('assignment', { projectId: project.id }, ann)
  })

  test('a member adds and removes other members', async () => {
    const [ann, bob] = await Promise.all([tracker.signUp(), tracker.signUp()])
    const project = await tracker.make('project', {}, ann)
    await rejected(tracker.get('project', project.id, bob), 'missing')
    const link = await tracker.make('userProject', { userId: bob.id, projectId: project.id }, ann)
    await done(tracker.get('project', project.id, bob))
    await done(tracker.remove('userProject', [link.id], ann))
    await rejected(tracker.get('project', project.id, bob), 'missing')
    await rejected(tracker.get('userProject', link.id, bob), 'missing')
    assert.deepEqual(await idsIn(tracker.list('project', { ids: project.id }, bob)), [])
  })

  test('users cannot make themselves members of a project', async () => {
    const [project, ann] = await Promise.all([tracker.make('project'), tracker.signUp()])
    const body = { userId: ann.id, projectId: project.id }
    await rejected(tracker.create('userProject', body, ann), 'forbidden')
    await rejected(tracker.get('project', project.id, ann), 'missing')
  })

  test('anyone who leaves a project sees nothing of it any more', async () => {
    const ann = await tracker.signUp()
    const project = await tracker.make('project', {}, ann)
    const task = await tracker.make('assignment', { projectId: project.id }, ann)
    const body = { assignmentId: task.id, userId: ann.id }
    const hours = await tracker.make('appointment', body, ann)
    const { data } = await pageIn(tracker.list('userProject', { projectId: project.id }, ann))
    await done(tracker.remove('userProject', [data[0]?.id], ann))
    await rejected(tracker.get('appointment', hours.id, ann), 'missing')
    await rejected(tracker.remove('appointment', [hours.id], ann), 'missing')
    await rejected(tracker.create('appointment', await tracker.valid('appointment', body), ann), 'forbidden')
  })

  test('being assigned to an assignment does not make a member', async () => {
    const [task, ann] = await Promise.all([tracker.make('assignment'), tracker.signUp()])
    await tracker.make('userAssignment', { userId: ann.id, assignmentId: task.id })
    await rejected(tracker.get('assignment', task.id, ann), 'missing')
  })

  test('the same person may be linked twice, and stays a member until the last link goes', async () => {
    const project = await tracker.make('project')
    const ann = await tracker.memberOf(project, project)
    const { data } = await pageIn(tracker.list('userProject', { userId: ann.id }, ann))
    assert.equal(data.length, 2)
    assert.deepEqual(await idsIn(tracker.list('project', {}, ann)), [project.id])
    await done(tracker.remove('userProject', [data[0]?.id], ann))
    await done(tracker.get('project', project.id, ann))
    await done(tracker.remove('userProject', [data[1]?.id], ann))
    await rejected(tracker.get('project', project.id, ann), 'missing')
  })
})

onEveryHost('Project versions', (tracker) => {
  const update = (project: Row, values: Input) =>
    tracker.update('project', tracker.change('project', project, values), tracker.administrator)
  const read = ({ id }: Row) => recordIn(tracker.get('project', id, tracker.administrator))
  const updatedProject = async () => {
    const project = await tracker.make('project')
    await done(update(project, { name: 'Once updated' }))
    return read(project)
  }

  test('a project that was never updated has its createdAt as its version', async () => {
    const project = await tracker.make('project')
    await done(update(project, { expectedVersion: project.createdAt, name: 'Changed' }))
    assert.equal((await read(project)).name, 'Changed')
  })

  test('once a project was updated, its createdAt is stale', async () => {
    const project = await updatedProject()
    await rejected(update(project, { expectedVersion: project.createdAt, name: 'Too late' }), 'stale')
    assert.deepEqual(await read(project), project)
  })

  test('a client that echoes the last updatedAt never gets a stale version error', async () => {
    let project = await tracker.make('project')
    for (let time = 0; time < 10; time += 1) {
      const expectedVersion = project.updatedAt ?? project.createdAt
      await done(update(project, { expectedVersion, name: `Change ${time}` }))
      project = await read(project)
    }
    assert.equal(project.name, 'Change 9')
  })

  test('a version of another millisecond is stale', async () => {
    const project = await updatedProject()
    const version = microsecondsOf(project.updatedAt)
    for (const other of [version - 1000n, version - 1n, version + 1000n])
      await rejected(update(project, { expectedVersion: `${wallClock(other)}Z` }), 'stale')
  })

  test('digits of a version below a millisecond are ignored', async () => {
    const project = await updatedProject()
    const version = microsecondsOf(project.updatedAt)
    await done(update(project, { expectedVersion: `${wallClock(version + 999n)}Z` }))
  })

  test('a version that was converted to a Date is still the same version', async () => {
    let project = await tracker.make('project')
    for (let time = 0; time < 10; time += 1) {
      const expectedVersion = new Date(String(project.updatedAt ?? project.createdAt)).toISOString()
      await done(update(project, { expectedVersion, name: `Change ${time}` }))
      project = await read(project)
    }
    assert.equal(project.name, 'Change 9')
  })

  for (const { title, spell } of [
    { title: 'with an offset to the east', spell: (version: bigint) => `${wallClock(version, 120)}+02:00` },
    { title: 'with an offset to the west', spell: (version: bigint) => `${wallClock(version, -330)}-05:30` },
    { title: 'without any offset', spell: (version: bigint) => wallClock(version) },
    { title: 'with seven digits, as .NET writes it', spell: (version: bigint) => `${wallClock(version)}0Z` },
    { title: 'with an offset of zero', spell: (version: bigint) => `${wallClock(version)}+00:00` },
  ] as const)
    test(`the same version is recognized ${title}`, async () => {
      const project = await updatedProject()
      await done(update(project, { expectedVersion: spell(microsecondsOf(project.updatedAt)) }))
    })

  test('without a version the last write wins', async () => {
    const project = await updatedProject()
    await done(update(project, { name: 'First' }))
    await done(update(project, { name: 'Last' }))
    assert.equal((await read(project)).name, 'Last')
  })

  test('an update whose version is null is not checked', async () => {
    const project = await updatedProject()
    await done(update(project, { expectedVersion: null, name: 'Last' }))
    assert.equal((await read(project)).name, 'Last')
  })

  if (!tracker.hasTypedFields)
    test('an empty version is rejected: it would skip the check', async () => {
      const project = await updatedProject()
      for (const expectedVersion of ['', '  '])
        await invalidWith(update(project, { expectedVersion }), {
          expectedVersion: ['ExpectedVersion must not be empty.'],
        })
    })

  test('a malformed version is rejected under expectedVersion', async () => {
    const project = await updatedProject()
    await invalidWith(update(project, { expectedVersion: 'the last one' }), {
      expectedVersion: ['ExpectedVersion must be an ISO-8601 date and time.'],
    })
    await invalid(update(project, { expectedVersion: '2026-02-30', name: ' ' }), 'expectedVersion', 'name')
  })

  test('a project does not store the expected version', async () => {
    const project = await tracker.make('project', { expectedVersion: '2001-01-01T00:00:00Z' })
    assert.ok(!('expectedVersion' in project))
  })

  test('only one of several concurrent updates of the same version succeeds', async () => {
    const project = await updatedProject()
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((time) =>
        update(project, { expectedVersion: project.updatedAt, name: `Change ${time}` }),
      ),
    )
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('stale')).length, 4)
  })

  test('a stale version of a project that the caller cannot see reveals nothing', async () => {
    const [project, outsider] = await Promise.all([updatedProject(), tracker.signUp()])
    const change = tracker.change('project', project, { expectedVersion: project.createdAt })
    await rejected(tracker.update('project', change, outsider), 'missing')
  })
})
