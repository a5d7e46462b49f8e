import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from './driver.ts'
import { onEveryHost } from './every-host.ts'
import { newWord } from './make-rows.ts'
import { invalid, recordIn } from './outcomes.ts'
import { a, entities, resources } from './resources.ts'

onEveryHost('Texts', (tracker) => {
  for (const entity of entities.filter((any) => Object.keys(resources[any].lengths).length > 0)) {
    const { lengths: charactersMax } = resources[entity]
    const fields = Object.keys(charactersMax)
    const textsOf = (text: (charactersMax: number) => string) =>
      Object.fromEntries(fields.map((field) => [field, text(charactersMax[field] ?? 0)]))
    const filled = (character: string, more = 0) => {
      const word = newWord()
      return textsOf(
        (characters) =>
          word.slice(0, characters) + character.repeat(Math.max(0, characters - word.length) + more),
      )
    }
    const isRefused = async (values: Input) =>
      invalid(tracker.create(entity, await tracker.valid(entity, values), tracker.administrator), ...fields)
    const limits = fields.map((field) => `${field} ${charactersMax[field]}`).join(', ')

    test(`${a(entity)} is stored with trimmed texts (${fields.join(', ')}), inner blanks stay`, async () => {
      const word = newWord()
      const trimmed = textsOf((characters) => `${word.slice(0, characters - 5)}  two`)
      const row = await tracker.make(
        entity,
        Object.fromEntries(fields.map((field) => [field, `\t ${trimmed[field]} \n`])),
      )
      const stored = await recordIn(tracker.get(entity, row.id, tracker.administrator))
      for (const field of fields) assert.deepEqual([row[field], stored[field]], Array(2).fill(trimmed[field]))
    })

    test(`${a(entity)} has at most so many characters, in any script and after trimming: ${limits}`, async () => {
      for (const character of ['x', '𝄞']) {
        const longest = filled(character)
        const padded = fields.map((field) => [field, `  ${longest[field]} `])
        const row = await tracker.make(entity, Object.fromEntries(padded))
        for (const field of fields) assert.equal(row[field], longest[field])
        await isRefused(filled(character, 1))
      }
    })

    test(`${a(entity)} may not hold NUL`, async () => {
      const texts = textsOf(() => 'one\u0000two')
      await isRefused(texts)
      const change = tracker.change(entity, await tracker.make(entity), texts)
      await invalid(tracker.update(entity, change, tracker.administrator), ...fields)
    })

    test(`an update keeps the same limits: ${limits}`, async () => {
      const row = await tracker.make(entity)
      const change = tracker.change(entity, row, filled('x', 1))
      await invalid(tracker.update(entity, change, tracker.administrator), ...fields)
    })
  }

  test('a password may not hold NUL', async () => {
    const body = await tracker.valid('user', { password: 'Secret\u0000-123' })
    await invalid(tracker.create('user', body, tracker.administrator), 'password')
  })

  test('texts are kept letter for letter, in any script', async () => {
    const name = `Ωmega "quoted" <b>'\\n' 漢字 👩‍👩‍👧 ﷽ é`
    const row = await tracker.make('organization', { name })
    assert.equal(row.name, name)
    assert.equal((await recordIn(tracker.get('organization', row.id, tracker.administrator))).name, name)
  })
})
