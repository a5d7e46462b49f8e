import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  continueLine,
  type Edit,
  insertLink,
  plainText,
  toggleCode,
  toggleHeading,
  toggleList,
  toggleMark,
  toggleNumbers,
  toggleQuote,
  toggleTasks,
} from '../../web/src/ui/markdown-text.ts'

type Tool = (text: string, start: number, end: number) => Edit

/** Parses a text whose selection is between ‹ and ›, and whose caret is |. */
function parseSelection(marked: string) {
  const [before = '', selected = '', after = ''] = marked.replace('|', '‹›').split(/[‹›]/)
  const start = before.length
  return { text: before + selected + after, start, end: start + selected.length }
}

/** Returns the edited text with its selection marked. */
function apply(text: string, { from, to, text: inserted, select: [start, end] }: Edit): string {
  const changed = text.slice(0, from) + inserted + text.slice(to)
  const selected = changed.slice(start, end)
  return changed.slice(0, start) + (start === end ? '|' : `‹${selected}›`) + changed.slice(end)
}

interface ToolCase {
  readonly name: string
  readonly tool: Tool
  /** The texts after the edit by the texts before it. */
  readonly edits: Readonly<Record<string, string>>
}

const toolCases: readonly ToolCase[] = [
  {
    name: 'Bold',
    tool: toggleMark('**'),
    edits: {
      'a ‹b› c': 'a **‹b›** c',
      'a ‹ b › c': 'a  **‹b›**  c',
      'a **‹b›** c': 'a ‹b› c',
      'a ‹**b**› c': 'a ‹b› c',
      'a |': 'a **|**',
      'a **|**': 'a |',
      'a *‹b›*': 'a ***‹b›***',
      '***‹b›***': '*‹b›*',
      '‹**a** and **b**›': '**‹**a** and **b**›**',
      '‹- a\n\n2. [ ] b›': '‹- **a**\n\n2. [ ] **b**›',
    },
  },
  {
    name: 'Italic',
    tool: toggleMark('*'),
    edits: {
      '‹b›': '*‹b›*',
      '*‹b›*': '‹b›',
      '**‹b›**': '***‹b›***',
      '***‹b›***': '**‹b›**',
    },
  },
  {
    name: 'Code',
    tool: toggleCode,
    edits: {
      'a ‹b› c': 'a `‹b›` c',
      'a `‹b›` c': 'a ‹b› c',
      'x\na ‹b\nc› d\ny': 'x\n‹```\na b\nc d\n```›\ny',
    },
  },
  {
    name: 'Link',
    tool: insertLink('text'),
    edits: {
      'a | c': 'a [‹text›](https://) c',
      'a ‹b c› d': 'a [b c](‹https://›) d',
      '‹https://a.example/x›': '[‹text›](https://a.example/x)',
    },
  },
  {
    name: 'List',
    tool: toggleList,
    edits: {
      'x\na ‹b\n\nc› d\ny': 'x\n‹- a b\n\n- c d›\ny',
      '‹- a\n  - b›': '‹a\n  b›',
      '‹- a\nb›': '‹- a\n- b›',
      '1. [x] a|': '- a|',
      '|': '- |',
      'x‹\na\n›b': '‹- x\n- a›\nb',
    },
  },
  {
    name: 'Numbered list',
    tool: toggleNumbers,
    edits: { '‹a\n\n- b\nc›': '‹1. a\n\n2. b\n3. c›', '‹1. a\n2. b›': '‹a\nb›' },
  },
  { name: 'Heading', tool: toggleHeading, edits: { 'a|': '## a|', '# a|': 'a|' } },
  {
    name: 'Task list',
    tool: toggleTasks,
    edits: {
      '  - a|': '  - [ ] a|',
      '‹- [x] a\n- [ ] b›': '‹a\nb›',
      '‹- [x] a\nb›': '‹- [ ] a\n- [ ] b›',
    },
  },
  {
    name: 'Quote',
    tool: toggleQuote,
    edits: { '‹a\n\n> b›': '‹> a\n> \n> > b›', '> - a|': '- a|' },
  },
]

describe('The tools of a text field', () => {
  for (const { name, tool, edits } of toolCases)
    for (const [before, after] of Object.entries(edits))
      test(`${name} changes ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
        const { text, start, end } = parseSelection(before)
        assert.equal(apply(text, tool(text, start, end)), after)
      })
})

describe('Enter', () => {
  const continuedLines = {
    '- a|': '- a\n- |',
    '- a| b': '- a\n- | b',
    'x\n  * [x] a|\ny': 'x\n  * [x] a\n  * [ ] |\ny',
    '9) a|': '9) a\n10) |',
    '> - a|': '> - a\n> - |',
    '> a|': '> a\n> |',
    '- a\n- |': '- a\n|',
    '- a\n  - [ ] |\nb': '- a\n|\nb',
    '> |': '|',
    '- |a': '- \n- |a',
  }
  for (const [before, after] of Object.entries(continuedLines))
    test(`continues or ends a list: ${JSON.stringify(before)}`, () => {
      const { text, start } = parseSelection(before)
      const edit = continueLine(text, start)
      assert.ok(edit)
      assert.equal(apply(text, edit), after)
    })

  for (const line of ['-| a', 'a|', '-a|', '**a**|', '|'])
    test(`is left to the browser: ${JSON.stringify(line)}`, () => {
      const { text, start } = parseSelection(line)
      assert.equal(continueLine(text, start), undefined)
    })
})

describe('A quoted text', () => {
  const plainTexts = {
    '## What happens\n\n- [x] **First** `step`\n1. Then': 'What happens\n\nFirst step\nThen',
    '> See [the form](https://example.com/a_b) and ![a picture](/file)': 'See the form and a picture',
    '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay':
      '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay',
    '': '',
  }
  for (const [markdown, text] of Object.entries(plainTexts))
    test(`is ${JSON.stringify(markdown)} without marks`, () => assert.equal(plainText(markdown), text))

  test('is parsed quickly, whatever it contains', () => {
    const cpuBefore = process.threadCpuUsage()
    for (const part of ['[', '**', '`', '> ', '- [ ] ', '![](', '__a']) plainText(part.repeat(20_000))
    const cpuMilliseconds = process.threadCpuUsage(cpuBefore).user / 1000
    assert.ok(cpuMilliseconds < 1000, `${cpuMilliseconds} ms`)
  })
})
