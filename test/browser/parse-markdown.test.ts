import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { limits } from '#tracker-client'
import {
  type Block,
  createTick,
  type Inline,
  type Item,
  type List,
  parseMarkdown,
  tasksIn,
} from '../../web/src/ui/parse-markdown.ts'

const paragraph = (...content: Inline[]): Block => ({ kind: 'paragraph', lines: [content] })
const strong = (...content: Inline[]): Inline => ({ kind: 'strong', content })
const em = (...content: Inline[]): Inline => ({ kind: 'em', content })
const del = (...content: Inline[]): Inline => ({ kind: 'del', content })
const code = (text: string): Inline => ({ kind: 'code', text })
const id = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'
const file = (kind: 'file' | 'image', label: string): Inline => ({ kind, attachmentId: id, label })
const item = (text: string, ...lists: List[]): Item => ({ task: undefined, content: [text], lists })
const task = (source: string, isDone: boolean, at: number): Item => ({
  ...item(source),
  task: { isDone, at, source },
})
const list = (...items: Item[]): List => ({ kind: 'list', isNumbered: false, items })
const link = (href: string, label = href): Inline => ({ kind: 'link', href, label })

const lines: Readonly<Record<string, readonly Inline[]>> = {
  plain: ['plain'],
  'a **b** c': ['a ', strong('b'), ' c'],
  '__b__ *i* _j_': [strong('b'), ' ', em('i'), ' ', em('j')],
  '**a *b* `c`**': [strong('a ', em('b'), ' ', code('c'))],
  '__a **b *c _d_* e** f__': [strong('a ', strong('b ', em('c ', em('d')), ' e'), ' f')],
  '~~a **b**~~ ~c~ ~~': [del('a ', strong('b')), ' ~c~ ~~'],
  '`**not bold**`': [code('**not bold**')],
  '2 * 3 * 4, snake_case_name, _ x': ['2 * 3 * 4, snake_case_name, _ x'],
  '** and ``, *, _ and [': ['** and ``, *, _ and ['],
  '[a [b](https://a.example/x_y)': [link('https://a.example/x_y', 'a [b')],
  '[a](javascript:alert(1)) [b](mailto:a@b.example)': ['a', ') ', link('mailto:a@b.example', 'b')],
  '[a] (b) [](c) [d](e f)': ['[a] (b) [](c) [d](e f)'],
  'see https://a.example/p?q=1.': ['see ', link('https://a.example/p?q=1'), '.'],
  [`![a b](attachment:${id}) [c.pdf](attachment:${id})`]: [file('image', 'a b'), ' ', file('file', 'c.pdf')],
  '![a](https://a.example/x.png) ![b](attachment:x)!': [
    '!',
    link('https://a.example/x.png', 'a'),
    ' !',
    'b',
    '!',
  ],
  '<b>&amp; http:// x': ['<b>&amp; http:// x'],
}

describe('Markdown', () => {
  for (const [text, content] of Object.entries(lines))
    test(`is parsed in a line: ${text}`, () => assert.deepEqual(parseMarkdown(text), [paragraph(...content)]))

  test('has tables with as many cells as their header', () => {
    const text = 'Sizes:\n| a | **b** |\n|---|:-:|\n| 1 | 2 | 3 |\n4 | 5\nafter'
    assert.deepEqual(parseMarkdown(text), [
      paragraph('Sizes:'),
      {
        kind: 'table',
        head: [['a'], [{ kind: 'strong', content: ['b'] }]],
        rows: [
          [['1'], ['2']],
          [['4'], ['5']],
        ],
      },
      paragraph('after'),
    ])
    assert.deepEqual(parseMarkdown('a | b\n--- and'), [
      { kind: 'paragraph', lines: [['a | b'], ['--- and']] },
    ])
    assert.deepEqual(parseMarkdown('### T'), [{ kind: 'title', level: 3, content: ['T'] }])
  })

  test('has headings, lists, tasks, quotes and code', () => {
    const text =
      '# T\n- a\n- [ ] b\n* [x] c\n1. d\n2) e\n> q\n> - r\n\nend\nof it\n```js\n**x**\n\n> y\n```\nafter'
    assert.deepEqual(parseMarkdown(text), [
      { kind: 'title', level: 1, content: ['T'] },
      list(item('a'), task('b', false, 11), task('c', true, 19)),
      { ...list(item('d'), item('e')), isNumbered: true },
      { kind: 'quote', blocks: [paragraph('q'), list(item('r'))] },
      { kind: 'paragraph', lines: [['end'], ['of it']] },
      { kind: 'code', text: '**x**\n\n> y' },
      paragraph('after'),
    ])
    assert.deepEqual(parseMarkdown('```\nnever closed'), [{ kind: 'code', text: 'never closed' }])
  })

  test('nests lists by two spaces or more, up to eight levels', () => {
    assert.deepEqual(parseMarkdown('- a\n  1. b\n    - [ ] c\n  2. d\n - e\n- f'), [
      list(
        item('a', { ...list(item('b', list(task('c', false, 18))), item('d')), isNumbered: true }),
        item('e'),
        item('f'),
      ),
    ])
    const deep = Array.from({ length: 12 }, (_, level) => `${'  '.repeat(level)}- x`).join('\n')
    assert.equal(depthOf(parseMarkdown(deep)), 8)
    assert.equal(tasksIn(parseMarkdown(deep.replaceAll('- x', '- [ ] x'))).length, 12)
  })

  test('nests up to eight quotes', () => {
    assert.equal(depthOf(parseMarkdown(`${'> '.repeat(8)}x`)), 8)
    const [deepest] = innermost(parseMarkdown('>'.repeat(1999)))
    assert.deepEqual(deepest, paragraph('>'.repeat(1991)))
  })
})

describe('A task', () => {
  const tick = (before: string, index: number, version = before) => {
    const task = tasksIn(parseMarkdown(before))[index]
    assert.ok(task, before)
    return createTick(before, task)(version)
  }

  const ticks = [
    { before: '- [ ] a', index: 0, after: '- [x] a' },
    { before: '- [X] a\r\n- [ ] b\r\n', index: 0, after: '- [ ] a\r\n- [ ] b\r\n' },
    { before: '- [X] a\r\n- [ ] b\r\n', index: 1, after: '- [X] a\r\n- [x] b\r\n' },
    { before: '> x\n> * [ ] [ ] a\n>   + [ ] b', index: 1, after: '> x\n> * [ ] [ ] a\n>   + [x] b' },
    {
      before: '1. [ ] a\n\n```\n- [ ] b\n```\n\n\t- [ ] c',
      index: 1,
      after: '1. [ ] a\n\n```\n- [ ] b\n```\n\n\t- [x] c',
    },
    { before: '- [ ] a\n- [ ] a', index: 1, after: '- [ ] a\n- [x] a' },
  ]
  for (const { before, index, after } of ticks)
    test(`is ticked by changing one character: ${JSON.stringify(after)}`, () =>
      assert.equal(tick(before, index), after))

  test('is ticked even if other users have changed other parts of the text', () => {
    const before = '- [ ] a\n- [ ] b'
    assert.equal(tick(before, 1, 'New\n\n- [x] a\n- [ ] c\n- [ ] b'), 'New\n\n- [x] a\n- [ ] c\n- [x] b')
    assert.equal(tick(before, 1, '- [x] b'), '- [x] b')
  })

  test('is not ticked if the changed text no longer has it, or has it several times', () => {
    const before = '- [ ] a\n- [ ] b'
    assert.equal(tick(before, 1, '- [ ] a\n- [ ] B'), undefined)
    assert.equal(tick(before, 1, '- [ ] a\n- b'), undefined)
    assert.equal(tick(before, 1, '- [ ] b\n- [ ] a\n- [ ] b'), undefined)
  })
})

const depthOf = (blocks: readonly Block[]): number => Math.max(0, ...blocks.map((block) => levelsOf(block)))

function levelsOf(block: Block): number {
  if (block.kind === 'quote') return 1 + depthOf(block.blocks)
  return block.kind === 'list' ? 1 + depthOf(block.items.flatMap(({ lists }) => lists)) : 0
}

const innermost = (blocks: readonly Block[]): readonly Block[] => {
  const [first] = blocks
  return first?.kind === 'quote' ? innermost(first.blocks) : blocks
}

const inlineDepthOf = (content: readonly Inline[]): number =>
  content.reduce(
    (most, inline) =>
      typeof inline === 'object' && 'content' in inline
        ? Math.max(most, 1 + inlineDepthOf(inline.content))
        : most,
    0,
  )

const linesOf = (block: Block): readonly Inline[][] => {
  if (block.kind === 'quote') return block.blocks.flatMap(linesOf)
  if (block.kind === 'list')
    return block.items.flatMap(({ content, lists }) => [content, ...lists.flatMap(linesOf)])
  if (block.kind === 'paragraph') return block.lines
  if (block.kind === 'table') return [...block.head, ...block.rows.flat()]
  return block.kind === 'title' ? [block.content] : []
}

/** Valid and almost valid marks are composed of these pieces. */
const pieces =
  '* ** _ __ ` ``` [ ] ( ) ]( [a]( < > # - 1. \\ | |-|- ~ ! & http:// https://a mailto: attachment: ![a]( \n \n> \n- \n``` a b'
    .split(' ')
    .concat(' ', '  ', '\n  - ', '\n    1. ', '[ ] ')
const longest = Math.max(limits.description, limits.text)

const repeated = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

describe('Any text of special characters', () => {
  test('is parsed into blocks of few levels', () => {
    const hostileTexts = fc
      .array(fc.record({ piece: fc.constantFrom(...pieces), times: fc.constantFrom(1, 1, 2, 3, 50) }), {
        maxLength: 2000,
      })
      .map((parts) =>
        parts
          .map(({ piece, times }) => piece.repeat(times))
          .join('')
          .slice(0, longest),
      )
    fc.assert(
      fc.property(hostileTexts, (text) => {
        const blocks = parseMarkdown(text)
        assert.ok(depthOf(blocks) <= 16)
        for (const line of blocks.flatMap(linesOf)) assert.ok(inlineDepthOf(line) <= 4)
      }),
    )
  })

  /**
   * Returns the CPU time of this thread. Other work on the machine does not affect it. Garbage collections
   * do, so the best of several runs counts.
   */
  const millisecondsOf = (text: string) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = process.threadCpuUsage()
        parseMarkdown(text)
        const { user, system } = process.threadCpuUsage(before)
        return (user + system) / 1000
      }),
    )

  const units = [
    ...pieces,
    ...pieces.flatMap((first) => ['a', '* ', '_a', '[', '](', '`', '> '].map((second) => first + second)),
    '*a **b _c __d ',
    'http://.',
    '*_`[(<>',
    '[[[[a]',
    ' \t',
  ]

  test('is parsed in linear time', () => {
    const isSlow = (unit: string) => {
      const short = millisecondsOf(repeated(unit, longest))
      // A quadratic parser would take 64 times as long. A garbage collection takes as long as a fast parse.
      return millisecondsOf(repeated(unit, 8 * longest)) > 40 * Math.max(short, 1)
    }
    // Compilation and garbage collection are slow once, a slow parser is slow each time.
    let suspects = units
    for (let round = 1; round <= 8; round += 1) suspects = suspects.filter(isSlow)
    assert.deepEqual(suspects, [])
  })
})
