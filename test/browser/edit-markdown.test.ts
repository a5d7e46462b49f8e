import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  continueLine,
  type Edit,
  insertLink,
  toggleCode,
  toggleHeading,
  toggleList,
  toggleMark,
  toggleNumbers,
  toggleQuote,
  toggleTasks,
} from '../../web/src/ui/edit-markdown.ts'

type Tool = (text: string, start: number, end: number) => Edit

/** The selection is between ‹ and ›; a caret is |. */
function read(text: string): readonly [string, number, number] {
  const marked = text.replace('|', '‹›')
  const [start, end] = [marked.indexOf('‹'), marked.indexOf('›') - 1]
  return [marked.replace('‹', '').replace('›', ''), start, end]
}

function apply(text: string, { from, to, text: inserted, select: [start, end] }: Edit): string {
  const changed = text.slice(0, from) + inserted + text.slice(to)
  const selected = changed.slice(start, end)
  return changed.slice(0, start) + (start === end ? '|' : `‹${selected}›`) + changed.slice(end)
}

const use = (tool: Tool, before: string) => apply(read(before)[0], tool(...read(before)))

const bold = toggleMark('**')
const italic = toggleMark('*')
const link = insertLink('text')

const cases: Readonly<Record<string, readonly (readonly [Tool, string, string])[]>> = {
  'Bold and italic': [
    [bold, 'a ‹b› c', 'a **‹b›** c'],
    [bold, 'a ‹ b › c', 'a  **‹b›**  c'],
    [bold, 'a **‹b›** c', 'a ‹b› c'],
    [bold, 'a ‹**b**› c', 'a ‹b› c'],
    [bold, 'a |', 'a **|**'],
    [bold, 'a **|**', 'a |'],
    [bold, 'a *‹b›*', 'a ***‹b›***'],
    [bold, '***‹b›***', '*‹b›*'],
    [bold, '‹**a** and **b**›', '**‹**a** and **b**›**'],
    [bold, '‹- a\n\n2. [ ] b›', '‹- **a**\n\n2. [ ] **b**›'],
    [italic, '‹b›', '*‹b›*'],
    [italic, '*‹b›*', '‹b›'],
    [italic, '**‹b›**', '***‹b›***'],
    [italic, '***‹b›***', '**‹b›**'],
  ],
  Code: [
    [toggleCode, 'a ‹b› c', 'a `‹b›` c'],
    [toggleCode, 'a `‹b›` c', 'a ‹b› c'],
    [toggleCode, 'x\na ‹b\nc› d\ny', 'x\n‹```\na b\nc d\n```›\ny'],
  ],
  'A link': [
    [link, 'a | c', 'a [‹text›](https://) c'],
    [link, 'a ‹b c› d', 'a [b c](‹https://›) d'],
    [link, '‹https://a.example/x›', '[‹text›](https://a.example/x)'],
  ],
  Lists: [
    [toggleList, 'x\na ‹b\n\nc› d\ny', 'x\n‹- a b\n\n- c d›\ny'],
    [toggleList, '‹- a\n  - b›', '‹a\n  b›'],
    [toggleList, '‹- a\nb›', '‹- a\n- b›'],
    [toggleList, '1. [x] a|', '- a|'],
    [toggleList, '|', '- |'],
    [toggleList, 'x‹\na\n›b', '‹- x\n- a›\nb'],
    [toggleNumbers, '‹a\n\n- b\nc›', '‹1. a\n\n2. b\n3. c›'],
    [toggleNumbers, '‹1. a\n2. b›', '‹a\nb›'],
    [toggleHeading, 'a|', '## a|'],
    [toggleHeading, '# a|', 'a|'],
    [toggleTasks, '  - a|', '  - [ ] a|'],
    [toggleTasks, '‹- [x] a\n- [ ] b›', '‹a\nb›'],
    [toggleTasks, '‹- [x] a\nb›', '‹- [ ] a\n- [ ] b›'],
  ],
  Quotes: [
    [toggleQuote, '‹a\n\n> b›', '‹> a\n> \n> > b›'],
    [toggleQuote, '> - a|', '- a|'],
  ],
}

describe('The tools of a text field', () => {
  for (const [name, rows] of Object.entries(cases))
    for (const [tool, before, after] of rows)
      test(`${name}: ${JSON.stringify(before)}`, () => assert.equal(use(tool, before), after))
})

const lines: readonly (readonly [string, string | undefined])[] = [
  ['- a|', '- a\n- |'],
  ['- a| b', '- a\n- | b'],
  ['x\n  * [x] a|\ny', 'x\n  * [x] a\n  * [ ] |\ny'],
  ['9) a|', '9) a\n10) |'],
  ['> - a|', '> - a\n> - |'],
  ['> a|', '> a\n> |'],
  ['- a\n- |', '- a\n|'],
  ['- a\n  - [ ] |\nb', '- a\n|\nb'],
  ['> |', '|'],
  ['- |a', '- \n- |a'],
  ['-| a', undefined],
  ['a|', undefined],
  ['-a|', undefined],
  ['**a**|', undefined],
  ['|', undefined],
]

describe('Enter', () => {
  for (const [before, after] of lines)
    test(`${after === undefined ? 'is left to the browser' : 'continues or ends a list'}: ${JSON.stringify(before)}`, () => {
      const [text, caret] = read(before)
      const edit = continueLine(text, caret)
      assert.equal(edit && apply(text, edit), after)
    })
})
