import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  mentionedIn,
  mentionOf,
  mentionSearchAt,
  showMentions,
  storeMentions,
} from '../../web/src/ui/mention-text.ts'

const ann = 'aaaaaaaa-0000-7000-8000-000000000000'
const annLee = 'bbbbbbbb-0000-7000-8000-000000000000'
const jo = 'cccccccc-0000-7000-8000-000000000000'
const names: Readonly<Record<string, string>> = { [ann]: 'Ann', [annLee]: 'Ann Lee', [jo]: 'J. (Jo) R*' }
const findName = (id: string) => names[id]
const roundTrip = (text: string) => {
  const mentioned = mentionedIn(text, findName)
  return storeMentions(showMentions(text, mentioned), mentioned)
}

describe('Mentions in a text that is edited', () => {
  test('are shown by name, and stored by id', () => {
    const text = `${mentionOf(ann)} and ${mentionOf(annLee)}, ask ${mentionOf(jo)}.`
    assert.equal(showMentions(text, mentionedIn(text, findName)), '@Ann and @Ann Lee, ask @J. (Jo) R*.')
    assert.equal(roundTrip(text), text)
  })

  test('stay unchanged while a name is not known', () => {
    const unknown = mentionOf('dddddddd-0000-7000-8000-000000000000')
    assert.equal(roundTrip(`See ${unknown}`), `See ${unknown}`)
    assert.equal(showMentions(unknown, mentionedIn(unknown, findName)), unknown)
  })

  test('stay different if two users have the same name', () => {
    const text = `${mentionOf(ann)} ${mentionOf(annLee)}`
    const shown = `@Ann ${mentionOf(annLee)}`
    const mentioned = mentionedIn(text, () => 'Ann')
    assert.equal(showMentions(text, mentioned), shown)
    assert.equal(storeMentions(shown, mentioned), text)
  })

  test('become plain text when their name is changed', () => {
    const mentioned = mentionedIn(mentionOf(ann), findName)
    for (const text of ['@An', '@Anne', 'Ann', '@ann']) assert.equal(storeMentions(text, mentioned), text)
    assert.equal(storeMentions('@Ann, @Ann', mentioned), `${mentionOf(ann)}, ${mentionOf(ann)}`)
  })

  test('are suggested after an @ that begins a word', () => {
    assert.deepEqual(mentionSearchAt('Ask @Ma', 7), { from: 4, text: 'Ma' })
    assert.deepEqual(mentionSearchAt('@', 1), { from: 0, text: '' })
    assert.deepEqual(mentionSearchAt('(@Mara Li) later', 9), { from: 1, text: 'Mara Li' })
    for (const text of ['mara@example', 'Ask @Ma\nnow', mentionOf(ann)])
      assert.equal(mentionSearchAt(text, text.length), undefined, text)
  })
})
