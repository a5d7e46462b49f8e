import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Row } from './driver.ts'
import { onEveryHost, type Tracker } from './every-host.ts'
import { newWord, once } from './make-rows.ts'
import { done, idsIn, invalid, pageIn } from './outcomes.ts'
import { commonFields, type Entity, entities, resources, withinProject } from './resources.ts'
import { microsecondsOf } from './timestamps.ts'

/** Ascending values of fields that are not references. */
const ascending: Readonly<Record<string, readonly unknown[]>> = {
  name: ['alpha', 'beta', 'delta', 'gamma'],
  description: ['first', 'second', 'third', 'zero'],
  login: ['anna', 'berta', 'carla', 'dora'],
  startDate: ['2026-01-01', '2026-01-02T00:00:00.000001Z', '2026-01-02T00:00:00.000002Z', '2026-01-03'],
  endDate: ['2026-02-01', '2026-02-02', '2026-02-03', '2026-10-01'],
  keepDate: ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'],
  amountHours: [1.5, 2, 10, 100.25],
  order: [2, 3, 10, 100],
  color: ['amber', 'blue', 'green', 'red'],
}

/** Returns ascending values for a field. A field without any in `ascending` gets the values of a similar field. */
function valuesOf(entity: Entity, column: string): readonly unknown[] {
  const { sample, lengths, ranges } = resources[entity]
  const range = ranges[column]
  if (range) return [0, 1, 2, 3].map((offset) => Math.min(range.most, range.least + offset))
  const isTimestamp = typeof sample[column] === 'string' && !(column in lengths)
  const similarField = isTimestamp ? 'keepDate' : 'description'
  return ascending[column] ?? ascending[similarField] ?? []
}

/**
 * The positions of the four rows when they are sorted by each field. Consecutive fields differ, so a list
 * that is sorted by another field fails the test.
 */
const rowPositions = [
  [2, 0, 3, 1],
  [1, 3, 0, 2],
  [3, 2, 1, 0],
  [0, 2, 1, 3],
  [3, 0, 2, 1],
]

/** Stored data of a user, under any name, that must not be a sort key. */
const secrets = [
  'password',
  'passwordHash',
  'password_hash',
  'hash',
  'salt',
  'passwordSalt',
  'securityStamp',
  'security_stamp',
  'expectedVersion',
]

onEveryHost('The order of a list', (tracker) => {
  for (const entity of entities) {
    const four = once(() => fourRows(tracker, entity))

    test(`a list of ${entity} is sorted by any of its columns, in any capitals`, async () => {
      const { rows, list } = await four()
      for (const column of [...commonFields, ...resources[entity].own]) {
        const ascendingIds = await list({ sortColumn: column.toUpperCase(), sortOrder: 'asc' })
        const withValue = rows.filter((row) => row[column] !== null)
        const isCompared = (id: string) => withValue.length === 0 || withValue.some((row) => row.id === id)
        assert.deepEqual(
          ascendingIds.filter(isCompared),
          sortedIds(withValue.length ? withValue : rows, column),
          `ascending by ${column}`,
        )
        const descendingIds = await list({ sortColumn: column, sortOrder: 'Desc' })
        if (new Set(rows.map((row) => row[column])).size === rows.length)
          assert.deepEqual(descendingIds, ascendingIds.toReversed(), `descending by ${column}`)
        else assert.deepEqual(descendingIds.toSorted(), ascendingIds.toSorted())
      }
    })

    const unknownColumns =
      entity === 'user' ? [...secrets, 'none', ''] : ['passwordHash', 'none; drop table users']

    test(`a list of ${entity} by ${unknownColumns.join(', ')} is in the order of ids`, async () => {
      const { rows, list } = await four()
      const ids = rows.map(({ id }) => id).sort()
      for (const sortColumn of unknownColumns) assert.deepEqual(await list({ sortColumn }), ids, sortColumn)
      const [sortColumn] = unknownColumns
      assert.deepEqual(await list({ sortColumn, sortOrder: 'DESC' }), ids.toReversed())
      assert.deepEqual(await list({ sortOrder: 'desc' }), ids.toReversed())
    })
  }

  test('rows with equal values in the sort column keep the same order across pages', async () => {
    const name = newWord()
    const rows = await Promise.all(Array.from({ length: 7 }, () => tracker.make('workflow', { name })))
    const walk = async (sortOrder: string) => {
      const pages = [1, 2, 3, 4].map((pageNumber) => {
        const query = { search: name, sortColumn: 'order', sortOrder, pageSize: 2, pageNumber }
        return pageIn(tracker.list('workflow', query, tracker.administrator))
      })
      return (await Promise.all(pages)).flatMap(({ data }) => data.map(({ id }) => id))
    }
    const ids = rows.map(({ id }) => id).sort()
    assert.deepEqual(await walk('ASC'), ids)
    assert.deepEqual((await walk('DESC')).toSorted(), ids)
  })

  test('sorting by a password reveals nothing about it', async () => {
    const passwords = ['Aaaa-111', 'Zzzz-999', 'Aaaa-222', 'Zzzz-888', 'Aaaa-333', 'Zzzz-777']
    const users = await Promise.all(passwords.map((password) => tracker.make('user', { password })))
    // Other tests create users meanwhile.
    const ids = users.map(({ id }) => id).join(',')
    const order = async (sortColumn: string) =>
      (await pageIn(tracker.list('user', { ids, sortColumn }, tracker.administrator))).data
    await done(tracker.list('user', { sortColumn: 'password' }, tracker.administrator))
    assert.deepEqual(
      (await order('passwordHash')).map(({ id }) => id),
      (await order('id')).map(({ id }) => id),
    )
  })
})

async function fourRows(tracker: Tracker, entity: Entity) {
  const word = newWord()
  const rows = await Promise.all([0, 1, 2, 3].map(async (at) => make(tracker, entity, at, word)))
  await done(tracker.update(entity, tracker.change(entity, rows[2] as Row), tracker.administrator))
  const ids = rows.map(({ id }) => id).join(',')
  const list = async (query: object) =>
    (await pageIn(tracker.list(entity, { ids, ...query }, tracker.administrator))).data.map(({ id }) => id)
  const { data } = await pageIn(tracker.list(entity, { ids }, tracker.administrator))
  return { rows: data, list }
}

async function make(tracker: Tracker, entity: Entity, at: number, word: string): Promise<Row> {
  const { own, references } = resources[entity]
  const values: Record<string, unknown> = { id: randomUUID() }
  const parents = withinProject.includes(entity) ? await tracker.valid(entity) : {}
  for (const [field, column] of own.entries()) {
    const position = rowPositions[field % rowPositions.length]?.[at] ?? 0
    const parent = references[column]
    if (parent) values[column] = parents[column] ?? (await tracker.make(parent)).id
    else values[column] = valuesOf(entity, column)[position]
  }
  if (entity === 'user') values.login = `${values.login}-${word}`
  return tracker.make(entity, values)
}

/** Returns the ids, sorted by the values of the column, and then by the ids themselves. */
function sortedIds(rows: readonly Row[], column: string): string[] {
  return rows
    .toSorted(
      (first, second) => compare(rank(first[column]), rank(second[column])) || compare(first.id, second.id),
    )
    .map(({ id }) => id)
}

/** Returns a text that sorts like the value. */
function rank(value: unknown): string {
  if (typeof value === 'number') return value.toFixed(2).padStart(20, '0')
  const isTimestamp = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
  return isTimestamp ? String(microsecondsOf(value)).padStart(20, '0') : String(value)
}

const compare = (first: string, second: string) => (first < second ? -1 : Number(first > second))

onEveryHost('Searching a list', (tracker) => {
  const find = (entity: Entity, search: string, ids: readonly string[]) =>
    idsIn(tracker.list(entity, { search, ids: ids.join(',') }, tracker.administrator))

  for (const entity of entities) {
    for (const field of resources[entity].searched)
      test(`a list of ${entity} is searched by ${field}, anywhere in it and in any capitals`, async () => {
        const word = newWord()
        const [row, other] = await Promise.all([
          tracker.make(entity, { [field]: `before ${word.toUpperCase()} after` }),
          tracker.make(entity),
        ])
        for (const search of [word, word.slice(3, 20), `  ${word}\t`, `E ${word} A`])
          assert.deepEqual(await find(entity, search, [row.id, other.id]), [row.id], search)
        const query = { search: word }
        assert.deepEqual(await idsIn(tracker.list(entity, query, tracker.administrator)), [row.id])
      })

    test(`a blank search of ${entity} is ignored`, async () => {
      const rows = await Promise.all([tracker.make(entity), tracker.make(entity)])
      const ids = rows.map(({ id }) => id).sort()
      for (const search of ['', '   ']) assert.deepEqual(await find(entity, search, ids), ids)
    })

    test(`a search of ${entity} has at most 128 characters`, async () => {
      for (const character of ['x', '𝄞']) {
        const longest = { search: character.repeat(128) }
        await done(tracker.list(entity, longest, tracker.administrator))
        const longer = { search: character.repeat(129) }
        await invalid(tracker.list(entity, longer, tracker.administrator), 'search')
      }
    })
  }

  for (const entity of ['userAssignment', 'userProject'] as const)
    test(`a search of ${entity} is accepted and excludes no row`, async () => {
      const { id } = await tracker.make(entity)
      assert.deepEqual(await find(entity, newWord(), [id]), [id])
    })

  for (const { search, other } of [
    { search: '100%', other: '1000' },
    { search: 'a_b', other: 'axb' },
    { search: 'back\\slash', other: 'backslash' },
    { search: '%', other: 'per cent' },
    { search: '_', other: 'underscore' },
    { search: '\\', other: 'backslash' },
    { search: '\\%', other: '%' },
    { search: "it's", other: 'its' },
    { search: 'a.b', other: 'axb' },
    { search: 'a*', other: 'aaa' },
    { search: '[a]', other: 'a' },
  ] as const)
    test(`${search} is searched letter for letter and does not find ${other}`, async () => {
      const rows = await Promise.all([
        tracker.make('organization', { name: `x${search}y` }),
        tracker.make('organization', { name: `x${other}y` }),
      ])
      const [found, ...others] = rows.map(({ id }) => id) as [string, string]
      assert.deepEqual(await find('organization', search, [found, ...others]), [found])
    })

  for (const { stored, searched } of [
    { stored: 'ÄPFEL', searched: 'äpfel' },
    { stored: 'größe', searched: 'GRÖ' },
    { stored: 'ЖУРНАЛ', searched: 'журнал' },
    { stored: 'ΑΘΗΝΑ', searched: 'αθηνα' },
    { stored: 'naïve', searched: 'NAÏVE' },
    { stored: '漢字', searched: '字' },
    { stored: '😀 party', searched: '😀 PARTY' },
  ] as const)
    test(`${searched} finds ${stored}`, async () => {
      const { id } = await tracker.make('organization', { name: stored })
      assert.deepEqual(await find('organization', searched, [id]), [id])
    })

  test('a search looks into each field by itself, not across them', async () => {
    const name = newWord()
    const description = newWord()
    const { id } = await tracker.make('organization', { name, description })
    assert.deepEqual(await find('organization', `${name}${description}`, [id]), [])
    assert.deepEqual(await find('organization', `${name} ${description}`, [id]), [])
    assert.deepEqual(await find('organization', description, [id]), [id])
  })

  test('a text is found by all of its 128 characters', async () => {
    const name = newWord().padEnd(128, '-')
    const { id } = await tracker.make('project', { name })
    assert.deepEqual(await find('project', name, [id]), [id])
  })

  test('a search finds nothing that the caller cannot see', async () => {
    const name = newWord()
    const [ownProject, hidden] = await Promise.all([
      tracker.make('project', { name }),
      tracker.make('project', { name }),
    ])
    const ann = await tracker.memberOf(ownProject)
    assert.deepEqual(await idsIn(tracker.list('project', { search: name }, ann)), [ownProject.id])
    assert.deepEqual(
      await idsIn(tracker.list('project', { search: name }, tracker.administrator)),
      [ownProject.id, hidden.id].sort(),
    )
  })
})
