import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input, Row } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { microsecondsOf, wallClock } from './moments.ts'
import { done, invalid, invalidWith, recordIn, refused } from './outcomes.ts'

onEveryHost('Project versions', (tracker) => {
  const update = (project: Row, values: Input) =>
    tracker.update('project', tracker.change('project', project, values), tracker.administrator)
  const read = ({ id }: Row) => recordIn(tracker.get('project', id, tracker.administrator))
  const made = async () => {
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
    const project = await made()
    await refused(update(project, { expectedVersion: project.createdAt, name: 'Too late' }), 'stale')
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

  test('a version that is one millisecond off is stale', async () => {
    const project = await made()
    const version = microsecondsOf(project.updatedAt)
    for (const other of [version - 1000n, version - 1n, version + 1000n])
      await refused(update(project, { expectedVersion: `${wallClock(other)}Z` }), 'stale')
  })

  test('a version may have more digits than are kept: clients hold such ones from before', async () => {
    const project = await made()
    const version = microsecondsOf(project.updatedAt)
    await done(update(project, { expectedVersion: `${wallClock(version + 999n)}Z` }))
  })

  test('a version that went through a Date is the same version, however often the project was changed', async () => {
    let project = await tracker.make('project')
    for (let time = 0; time < 10; time += 1) {
      const expectedVersion = new Date(String(project.updatedAt ?? project.createdAt)).toISOString()
      await done(update(project, { expectedVersion, name: `Change ${time}` }))
      project = await read(project)
    }
    assert.equal(project.name, 'Change 9')
  })

  for (const [words, spell] of [
    ['with an offset to the east', (version: bigint) => `${wallClock(version, 120)}+02:00`],
    ['with an offset to the west', (version: bigint) => `${wallClock(version, -330)}-05:30`],
    ['without any offset', (version: bigint) => wallClock(version)],
    ['with seven digits, as .NET writes it', (version: bigint) => `${wallClock(version)}0Z`],
    ['with an offset of zero', (version: bigint) => `${wallClock(version)}+00:00`],
  ] as const)
    test(`the same version is recognised ${words}`, async () => {
      const project = await made()
      await done(update(project, { expectedVersion: spell(microsecondsOf(project.updatedAt)) }))
    })

  test('without a version the last write wins', async () => {
    const project = await made()
    await done(update(project, { name: 'First' }))
    await done(update(project, { name: 'Last' }))
    assert.equal((await read(project)).name, 'Last')
  })

  test('null is no version', async () => {
    const project = await made()
    await done(update(project, { expectedVersion: null, name: 'Last' }))
    assert.equal((await read(project)).name, 'Last')
  })

  if (!tracker.isTyped)
    test('an empty version is an error: it would drop the check', async () => {
      const project = await made()
      for (const expectedVersion of ['', '  '])
        await invalidWith(update(project, { expectedVersion }), {
          expectedVersion: ['ExpectedVersion must not be empty.'],
        })
    })

  test('a malformed version is rejected under expectedVersion', async () => {
    const project = await made()
    await invalidWith(update(project, { expectedVersion: 'the last one' }), {
      expectedVersion: ['ExpectedVersion must be an ISO-8601 date and time.'],
    })
    await invalid(update(project, { expectedVersion: '2026-02-30', name: ' ' }), 'expectedVersion', 'name')
  })

  test('a version is nothing that a project keeps', async () => {
    const project = await tracker.make('project', { expectedVersion: '2001-01-01T00:00:00Z' })
    assert.ok(!('expectedVersion' in project))
  })

  test('of several clients that change what they saw, one succeeds and the others get a conflict', async () => {
    const project = await made()
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((time) =>
        update(project, { expectedVersion: project.updatedAt, name: `Change ${time}` }),
      ),
    )
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('stale')).length, 4)
  })

  test('a stale version of a project that the caller cannot see reveals nothing', async () => {
    const [project, outsider] = await Promise.all([made(), tracker.signUp()])
    const change = tracker.change('project', project, { expectedVersion: project.createdAt })
    await refused(tracker.update('project', change, outsider), 'missing')
  })
})
