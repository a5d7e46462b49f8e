import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { newWord } from './make-rows.ts'
import { done, idsIn, invalid } from './outcomes.ts'
import { type Entity, entities, resources } from './resources.ts'

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
        const everywhere = { search: word }
        assert.deepEqual(await idsIn(tracker.list(entity, everywhere, tracker.administrator)), [row.id])
      })

    test(`a blank search of ${entity} is none`, async () => {
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
    test(`a search of ${entity} is accepted and takes nothing away`, async () => {
      const { id } = await tracker.make(entity)
      assert.deepEqual(await find(entity, newWord(), [id]), [id])
    })

  for (const [search, other] of [
    ['100%', '1000'],
    ['a_b', 'axb'],
    ['back\\slash', 'backslash'],
    ['%', 'per cent'],
    ['_', 'underscore'],
    ['\\', 'backslash'],
    ['\\%', '%'],
    ["it's", 'its'],
    ['a.b', 'axb'],
    ['a*', 'aaa'],
    ['[a]', 'a'],
  ] as const)
    test(`${search} is searched letter for letter and does not find ${other}`, async () => {
      const rows = await Promise.all([
        tracker.make('organization', { name: `x${search}y` }),
        tracker.make('organization', { name: `x${other}y` }),
      ])
      const [found, ...others] = rows.map(({ id }) => id) as [string, string]
      assert.deepEqual(await find('organization', search, [found, ...others]), [found])
    })

  for (const [stored, searched] of [
    ['ÄPFEL', 'äpfel'],
    ['größe', 'GRÖ'],
    ['ЖУРНАЛ', 'журнал'],
    ['ΑΘΗΝΑ', 'αθηνα'],
    ['naïve', 'NAÏVE'],
    ['漢字', '字'],
    ['😀 party', '😀 PARTY'],
  ] as const)
    test(`${searched} finds ${stored}`, async () => {
      const { id } = await tracker.make('organization', { name: stored })
      assert.deepEqual(await find('organization', searched, [id]), [id])
    })

  test('a search looks into each field by itself, not across them', async () => {
    const [one, two] = [newWord(), newWord()]
    const { id } = await tracker.make('organization', { name: one, description: two })
    assert.deepEqual(await find('organization', `${one}${two}`, [id]), [])
    assert.deepEqual(await find('organization', `${one} ${two}`, [id]), [])
    assert.deepEqual(await find('organization', two, [id]), [id])
  })

  test('the whole of a text of 128 characters is found', async () => {
    const name = newWord().padEnd(128, '-')
    const { id } = await tracker.make('project', { name })
    assert.deepEqual(await find('project', name, [id]), [id])
  })

  test('a search finds nothing that the caller cannot see', async () => {
    const name = newWord()
    const [own, hidden] = await Promise.all([
      tracker.make('project', { name }),
      tracker.make('project', { name }),
    ])
    const ann = await tracker.memberOf(own)
    assert.deepEqual(await idsIn(tracker.list('project', { search: name }, ann)), [own.id])
    assert.deepEqual(
      await idsIn(tracker.list('project', { search: name }, tracker.administrator)),
      [own.id, hidden.id].sort(),
    )
  })
})
