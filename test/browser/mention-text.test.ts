import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  mentionedIn,
  mentionOf,
  mentionSearchAt,
  showMentions,
  storeMentions,
} from '../../web/src/ui/mention-text.ts'

const [ann, anna, dot] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-7000-8000-000000000000`)
const names: Readonly<Record<string, string>> = {
  [`${ann}`]: 'Ann',
  [`${anna}`]: 'Ann Lee',
  [`${dot}`]: 'J. (Jo) R*',
}
const findName = (id: string) => names[id]
const roundTrip = (text: string) => {
  const mentioned = mentionedIn(text, findName)
  return storeMentions(showMentions(text, mentioned), mentioned)
}
const m = (id = '') => mentionOf(id)

describe('Mentions in a text that is edited', () => {
  test('are shown by name, and stored by id', () => {
    const text = `${m(ann)} and ${m(anna)}, ask ${m(dot)}.`
    assert.equal(showMentions(text, mentionedIn(text, findName)), '@Ann and @Ann Lee, ask @J. (Jo) R*.')
    assert.equal(roundTrip(text), text)
  })

  test('stay unchanged while a name is not known', () => {
    const unknown = m('dddddddd-0000-7000-8000-000000000000')
    assert.equal(roundTrip(`See ${unknown}`), `See ${unknown}`)
    assert.equal(showMentions(unknown, mentionedIn(unknown, findName)), unknown)
  })

  test('of two users with one name stay different', () => {
    const twins = mentionedIn(`${m(ann)} ${m(anna)}`, () => 'Ann')
    assert.equal(showMentions(`${m(ann)} ${m(anna)}`, twins), `@Ann ${m(anna)}`)
    assert.equal(storeMentions(`@Ann ${m(anna)}`, twins), `${m(ann)} ${m(anna)}`)
  })

  test('become plain text when their name is changed', () => {
    const known = mentionedIn(m(ann), findName)
    for (const text of ['@An', '@Anne', 'Ann', '@ann']) assert.equal(storeMentions(text, known), text)
    assert.equal(storeMentions('@Ann, @Ann', known), `${m(ann)}, ${m(ann)}`)
  })

  test('are suggested after an @ that begins a word', () => {
    assert.deepEqual(mentionSearchAt('Ask @Ma', 7), { from: 4, text: 'Ma' })
    assert.deepEqual(mentionSearchAt('@', 1), { from: 0, text: '' })
    assert.deepEqual(mentionSearchAt('(@Mara Li) later', 9), { from: 1, text: 'Mara Li' })
    for (const text of ['mara@example', 'Ask @Ma\nnow', `${m(ann)}`])
      assert.equal(mentionSearchAt(text, text.length), undefined, text)
  })
})
