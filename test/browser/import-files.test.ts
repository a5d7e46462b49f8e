import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DateOrder,
  dateOrderOf,
  guessColumns,
  hasAmbiguousDates,
  itemOfRow,
  parseDay,
  parseHours,
} from '../../web/src/screens/import/cells.ts'
import {
  guessMatching,
  hasUnmatchedPeople,
  itemsOf,
  type Matching,
} from '../../web/src/screens/import/matching.ts'
import { idOf, labelIdOf, planImport } from '../../web/src/screens/import/plan-import.ts'
import {
  decodeText,
  type ImportedItem,
  parseCsv,
  parseTrello,
} from '../../web/src/screens/import/read-file.ts'
import { columns } from '../../web/src/screens/project/list/list-columns.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { setLanguage, t } from '../../web/src/texts/text.ts'

const runId = '0b5f7c9e-3a4d-4f6b-9c8d-112233445566'
const targets = {
  stages: [
    { id: 'backlog', name: 'Backlog' },
    { id: 'done', name: 'Done' },
  ],
  types: [{ id: 'feature', name: 'Feature' }],
  people: [
    { id: 'ann', name: 'Ann Lee', login: 'ann@example.com' },
    { id: 'bob', name: 'Bob' },
  ],
  ownId: 'bob',
}

const item = (values: Partial<ImportedItem>): ImportedItem => ({
  line: 2,
  reference: '',
  name: 'Mast',
  description: '',
  stage: '',
  type: '',
  priority: '',
  start: '',
  end: '',
  estimate: '',
  people: [],
  labels: [],
  comments: [],
  work: [],
  ...values,
})

const matchingOf = (items: readonly ImportedItem[], remembered: Partial<Matching> = {}) =>
  guessMatching({ kind: 'items', items, skippedCount: 0 }, targets, remembered, 'day')

interface Existing {
  /** The ids of labels by their names in lower case. */
  readonly labels?: Readonly<Record<string, string>>
  readonly keys?: readonly string[]
}

const plan = (items: readonly ImportedItem[], { labels = {}, keys }: Existing = {}) =>
  planImport(items, matchingOf(items), {
    projectId: 'p',
    runId,
    defaultDay: '2026-03-10',
    caller: { id: 'bob', isAdministrator: false },
    labels: new Map(Object.entries(labels)),
    existingKeys: new Set(keys),
  })

const problemsOf = (values: Partial<ImportedItem>) => plan([item(values)]).rows[0]?.problems

describe('A table', () => {
  const cellsOf = (text: string) => parseCsv(text).map(({ cells }) => cells)

  test('is read with quotes, lines in cells, and other separators', () => {
    assert.deepEqual(cellsOf('a,b\r\n"1, ""x""","two\nlines"\r\n'), [
      ['a', 'b'],
      ['1, "x"', 'two\nlines'],
    ])
    assert.deepEqual(cellsOf('\uFEFFa;b;c\n1;2;'), [
      ['a', 'b', 'c'],
      ['1', '2', ''],
    ])
    assert.deepEqual(cellsOf('a\tb\r1\t2\r\r'), [
      ['a', 'b'],
      ['1', '2'],
    ])
    assert.deepEqual(cellsOf(''), [])
  })

  test('has rows with the right line numbers', () => {
    assert.deepEqual(
      parseCsv('a\n"x\ny\nz"\n\nlast').map(({ line }) => line),
      [1, 2, 6],
    )
  })

  test('is read as UTF-8, or as Windows-1252 if it is not valid UTF-8', () => {
    const bytes = (values: readonly number[]) => new Uint8Array(values).buffer
    assert.equal(decodeText(bytes([0xc3, 0xa9])), 'é')
    assert.equal(decodeText(bytes([0xe9, 0x2c])), 'é,')
  })
})

describe('Values of a file', () => {
  interface DayCase {
    readonly text: string
    readonly order: DateOrder
    readonly day: string | undefined
  }
  const days: readonly DayCase[] = [
    { text: '2026-01-31', order: 'day', day: '2026-01-31' },
    { text: '2026-01-31 10:22', order: 'day', day: '2026-01-31' },
    { text: '2026/1/3', order: 'day', day: '2026-01-03' },
    { text: '2026-02-30', order: 'day', day: undefined },
    { text: '3/4/2026', order: 'day', day: '2026-04-03' },
    { text: '3/4/2026', order: 'month', day: '2026-03-04' },
    // Dates with dots always have the day first.
    { text: '3.4.26', order: 'month', day: '2026-04-03' },
    { text: '03/Jan/25 10:22 AM', order: 'day', day: '2025-01-03' },
    { text: '31 de janeiro de 2026', order: 'day', day: '2026-01-31' },
    { text: 'Jan 31, 2026', order: 'day', day: '2026-01-31' },
    { text: '5 Sept 2026', order: 'day', day: '2026-09-05' },
    { text: 'soon', order: 'day', day: undefined },
    { text: '13/13/2026', order: 'day', day: undefined },
    { text: '', order: 'day', day: undefined },
  ]
  for (const { text, order, day } of days)
    test(`“${text}” with the ${order} first is ${day ?? 'no date'}`, () =>
      assert.equal(parseDay(text, order), day))

  test('show whether dates have the day or the month first', () => {
    assert.equal(dateOrderOf(['1/2/2026', '13/2/2026']), 'day')
    assert.equal(dateOrderOf(['1/2/2026', '2/13/2026']), 'month')
    assert.equal(hasAmbiguousDates(['1/2/2026', '2026-01-01']), true)
    assert.equal(hasAmbiguousDates(['31/2/2026', '1/2/2026']), false)
    assert.equal(hasAmbiguousDates(['2026-01-01']), false)
  })

  const hoursByText = {
    '4': 4,
    '4,5': 4.5,
    '1h30': 1.5,
    '1h 30m': 1.5,
    '90m': 1.5,
    '90 min': 1.5,
    '2d': 16,
    '1d 4h': 12,
    '1d 4': 12,
    '1d 30m': 8.5,
    '1,5d 30m': 12.5,
    '1d 1h 30m': 9.5,
    '2.5m': undefined,
    '': undefined,
    much: undefined,
  }
  for (const [text, hours] of Object.entries(hoursByText))
    test(`“${text}” is ${hours ?? 'no number of'} hours`, () => assert.equal(parseHours(text), hours))
})

test('The columns of a Jira export are recognized by their headers', () => {
  const exported = [
    { header: 'Summary', column: 'name', cell: 'Mast' },
    { header: 'Issue key', column: 'reference', cell: 'MOON-7' },
    { header: 'Issue Type', column: 'type', cell: 'Story' },
    { header: 'Status', column: 'stage', cell: 'To Do' },
    { header: 'Assignee', column: 'responsible', cell: 'ann' },
    { header: 'Created', column: 'start', cell: '03/Jan/25 10:22 AM' },
    { header: 'Due Date', column: 'end', cell: '' },
    { header: 'Labels', column: 'labels', cell: 'red' },
    { header: 'Labels', column: 'labels', cell: 'tall' },
    { header: 'Original Estimate', column: 'estimateSeconds', cell: '5400' },
    { header: 'Comment', column: 'comment', cell: '04/Jan/25 9:00 AM;ann;Looks; good' },
    { header: 'Comment', column: 'comment', cell: '' },
    { header: 'Log Work', column: 'worklog', cell: 'Drew it;05/Jan/25 9:00 AM;bob;1800' },
    { header: 'Status Category', column: undefined, cell: 'x' },
  ]
  const columns = guessColumns(exported.map(({ header }) => header))
  assert.deepEqual(
    columns,
    exported.map(({ column }) => column),
  )
  const cells = exported.map(({ cell }) => cell)
  assert.deepEqual(itemOfRow({ line: 2, cells }, columns), {
    line: 2,
    reference: 'MOON-7',
    name: 'Mast',
    description: '(MOON-7)',
    stage: 'To Do',
    type: 'Story',
    priority: '',
    start: '03/Jan/25 10:22 AM',
    end: '',
    estimate: '1.5',
    people: ['ann'],
    labels: ['red', 'tall'],
    comments: [{ author: 'ann', date: '04/Jan/25 9:00 AM', text: 'Looks; good' }],
    work: [{ person: 'bob', date: '05/Jan/25 9:00 AM', hours: '0.5', text: 'Drew it' }],
  })
})

test('The columns of an exported list are recognized in both languages', (context) => {
  const derived = ['blocked', 'changed']
  const unrecognizedColumns = () => {
    const known = guessColumns(columns.map(({ label }) => t(label)))
    return columns.filter((_, index) => known[index] === undefined).map(({ name }) => name)
  }
  assert.deepEqual(unrecognizedColumns(), derived)
  assert.deepEqual(guessColumns([t('Planned')]), ['estimate'])
  setLanguage('pt-BR', ptBrCatalogue)
  context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
  assert.deepEqual(unrecognizedColumns(), derived)
  assert.deepEqual(guessColumns([t('Planned')]), ['estimate'])
})

test('Users are matched by name and by login', () => {
  const isUnmatched = (values: Partial<ImportedItem>) =>
    hasUnmatchedPeople(item(values), matchingOf([item(values)]))
  for (const people of [['Ann Lee'], ['ANN@example.com'], []]) assert.equal(isUnmatched({ people }), false)
  assert.equal(isUnmatched({ people: ['Bob', 'Stranger'] }), true)
  assert.equal(isUnmatched({ comments: [{ author: 'Stranger', date: '', text: 'Hello' }] }), true)
  assert.equal(isUnmatched({ comments: [{ author: '', date: '', text: 'Hello' }] }), false)
})

test('The start date of a table takes precedence over the date of creation', () =>
  assert.deepEqual(guessColumns(['Created', 'Title', 'Start date']), [undefined, 'name', 'start']))

test('The open cards of a Trello board are imported in the order of the board', () => {
  const board = {
    lists: [
      { id: 'l1', name: 'Todo' },
      { id: 'l2', name: 'Old', closed: true },
    ],
    members: [{ id: 'm', fullName: 'Ann Lee' }],
    labels: [{ id: 'r', name: '', color: 'red' }],
    cards: [
      { id: 'c2', name: 'Second', idList: 'l1', pos: 2 },
      {
        id: 'c1',
        name: 'First',
        desc: 'Do it',
        idList: 'l1',
        pos: 1,
        idMembers: ['m'],
        idLabels: ['r'],
        due: 'D',
      },
      { id: 'c3', name: 'Archived', idList: 'l1', closed: true },
      { id: 'c4', name: 'In an archived list', idList: 'l2' },
    ],
    checklists: [
      {
        idCard: 'c1',
        name: 'Steps',
        checkItems: [
          { name: 'a', state: 'complete' },
          { name: 'b', state: 'x' },
        ],
      },
    ],
    actions: [
      {
        type: 'commentCard',
        date: '2',
        data: { text: 'later', card: { id: 'c1' } },
        memberCreator: { username: 'u' },
      },
      { type: 'commentCard', date: '1', data: { text: 'sooner', card: { id: 'c1' } } },
      { type: 'updateCard', data: { card: { id: 'c1' } } },
    ],
  }
  const source = parseTrello(board)
  assert.ok(source?.kind === 'items')
  assert.equal(source.skippedCount, 2)
  assert.deepEqual(
    source.items.map(({ name }) => name),
    ['First', 'Second'],
  )
  assert.partialDeepStrictEqual(source.items[0], {
    description: 'Do it\n\n**Steps**\n\n- [x] a\n- [ ] b',
    stage: 'Todo',
    people: ['Ann Lee'],
    labels: ['red'],
    end: 'D',
    comments: [
      { author: '', date: '1', text: 'sooner' },
      { author: 'u', date: '2', text: 'later' },
    ],
  })
  assert.equal(parseTrello({ some: 'thing' }), undefined)
})

describe('A matching', () => {
  test('finds users by name and login, stages also by synonyms', () => {
    const matching = matchingOf([item({ stage: 'closed', people: ['ANN@example.com', 'Bob'] })])
    assert.deepEqual(matching.people, { 'ann@example.com': 'ann', bob: 'bob' })
    assert.deepEqual(matching.stages, { closed: 'done' })
    assert.equal(matching.defaultStage, 'backlog')
    assert.equal(matching.defaultPerson, '')
  })

  test('has the remembered choices that still exist', () => {
    const remembered = { people: { stranger: 'ann' }, types: { bug: 'no longer there' } }
    const matching = matchingOf([item({ type: 'Bug', people: ['Stranger'] })], remembered)
    assert.deepEqual(matching.people, { stranger: 'ann' })
    assert.deepEqual(matching.types, { bug: '' })
  })

  test('applies the synonyms of stages to stages only', () => {
    const typeTargets = { ...targets, types: [{ id: 'review', name: 'Review' }] }
    const source = { kind: 'items', items: [item({ type: 'Testing' })], skippedCount: 0 } as const
    assert.deepEqual(guessMatching(source, typeTargets, {}, 'day').types, { testing: '' })
  })

  test('has no user for the blank author of a comment', () => {
    const row = { line: 2, cells: ['03/Jan/25 10:22 AM;  ;Text', 'Text;03/Jan/25 10:22 AM; ;3600'] }
    const imported = itemOfRow(row, ['comment', 'worklog'])
    assert.deepEqual(matchingOf([imported]).people, {})
    assert.equal(imported.comments[0]?.author, '')
    assert.equal(imported.work[0]?.person, '')
    assert.deepEqual(matchingOf([item({ people: ['  '] })]).people, {})
  })

  test('applies the columns of the last import to a table with the same headers', () => {
    const source = { kind: 'table', header: ['a', 'b'], rows: [{ line: 2, cells: ['Mast', 'x'] }] } as const
    const columns = ['name', undefined] as const
    const columnsAfter = (header: readonly string[] | undefined) =>
      guessMatching(source, targets, { columns, header }, 'day').columns
    assert.deepEqual(columnsAfter(['A ', 'b']), columns)
    const unknown = [undefined, undefined]
    for (const header of [['a', 'c'], ['a'], undefined]) assert.deepEqual(columnsAfter(header), unknown)
    assert.equal(itemsOf(source, columns)[0]?.name, 'Mast')
  })
})

describe('A plan', () => {
  test('creates labels once, then each assignment with all that belongs to it', () => {
    const { batches, rows } = plan(
      [
        item({
          labels: ['Red', 'red', 'Old'],
          people: ['Ann Lee', 'Bob'],
          comments: [{ author: 'X', date: '3.1.26', text: 'Hi' }],
        }),
        item({ name: 'Keel', labels: ['RED'], work: [{ person: '', date: '', hours: '2', text: 'cut' }] }),
      ],
      { labels: { old: 'label-old' } },
    )
    const [labels, assignments] = batches
    const red = labelIdOf(runId, 0)
    assert.deepEqual(
      labels?.requests.map(({ body }) => body),
      [{ id: red, name: 'Red', color: 'gray', projectId: 'p' }],
    )
    assert.deepEqual(
      assignments?.requests.map(({ resource, body }) => ({ resource, id: body.id })),
      [
        { resource: 'assignment', id: idOf(runId, 0) },
        { resource: 'userAssignment', id: idOf(runId, 0, 1) },
        { resource: 'assignmentLabel', id: idOf(runId, 0, 2) },
        { resource: 'assignmentLabel', id: idOf(runId, 0, 3) },
        { resource: 'comment', id: idOf(runId, 0, 4) },
        { resource: 'assignment', id: idOf(runId, 1) },
        { resource: 'assignmentLabel', id: idOf(runId, 1, 1) },
        { resource: 'appointment', id: idOf(runId, 1, 2) },
      ],
    )
    assert.partialDeepStrictEqual(assignments.requests[0]?.body, {
      userId: 'ann',
      startDate: '2026-03-10',
      endDate: '2026-03-10',
      amountHours: 0,
      workflowId: 'backlog',
    })
    assert.equal(assignments.requests[2]?.body.labelId, red)
    assert.equal(assignments.requests[3]?.body.labelId, 'label-old')
    assert.equal(assignments.requests[4]?.body.text, '**X, 2026-01-03:**\n\nHi')
    assert.deepEqual(rows[1]?.appointmentPositions, [2])
  })

  test('stays the same when a part of it is done', () => {
    const items = [item({ labels: ['Red', 'Blue'] })]
    const again = plan(items, { labels: { red: labelIdOf(runId, 0), blue: labelIdOf(runId, 1) } })
    assert.deepEqual(again.batches, plan(items).batches)
  })

  test('names every reason why a row cannot be imported', () => {
    assert.deepEqual(problemsOf({ name: ' ', start: 'soon', end: '31/12/2025', estimate: 'much' }), [
      'The name is missing.',
      '“soon” is not a date.',
      '“much” is not a number of hours.',
    ])
    assert.deepEqual(problemsOf({ start: '2026-03-02', end: '2026-03-01' }), ['The end is before the start.'])
    assert.deepEqual(plan([item({ reference: 'moon-7' })], { keys: ['MOON-7'] }).rows[0]?.problems, [
      'MOON-7 is in this project. To import it again, leave out the column with the keys.',
    ])
    assert.deepEqual(problemsOf({ name: 'x'.repeat(201) }), ['The name is longer than 200 characters.'])
    assert.deepEqual(problemsOf({ labels: ['x'.repeat(51)] }), [
      `The label “${'x'.repeat(51)}” is too long, or the project has too many labels.`,
    ])
    assert.deepEqual(problemsOf({ labels: Array.from({ length: 21 }, (_, index) => `l${index}`) }), [
      'The row has more than 20 labels.',
    ])
    const work = [{ person: 'Ann Lee', date: '', hours: '0', text: '' }]
    assert.deepEqual(problemsOf({ work }), [
      'Only administrators can record hours for others.',
      'Recorded hours must be more than 0.',
    ])
    const workOf = (hours: string) => [{ person: '', date: '', hours, text: '' }]
    assert.deepEqual(problemsOf({ work: workOf('abc') }), ['“abc” is not a number of hours.'])
    assert.deepEqual(problemsOf({ work: workOf('1000001') }), ['“1000001” is more than 1,000,000 hours.'])
  })

  test('has only the batch of labels if no row can be imported', () => {
    assert.deepEqual(
      plan([item({ name: '' })]).batches.map(({ requests }) => requests.length),
      [0],
    )
  })

  test('fills in a missing start or end', () => {
    const datesOf = (values: Partial<ImportedItem>) => {
      const { startDate, endDate } = plan([item(values)]).rows[0]?.values ?? {}
      return { startDate, endDate }
    }
    assert.deepEqual(datesOf({ end: '2025-01-01' }), { startDate: '2025-01-01', endDate: '2025-01-01' })
    assert.deepEqual(datesOf({ end: '2027-01-01' }), { startDate: '2026-03-10', endDate: '2027-01-01' })
    assert.deepEqual(datesOf({ start: '2027-01-01' }), { startDate: '2027-01-01', endDate: '2027-01-01' })
  })

  test('continues a long description in comments', () => {
    const line = 'x'.repeat(1500)
    const requests = plan([item({ description: `${line}\n${line}` })]).batches[1]?.requests
    assert.deepEqual(
      requests?.map(({ body }) => body.description ?? body.text),
      [line, line],
    )
  })

  test('continues a long text of recorded hours in comments that say whose it is', () => {
    const line = 'x'.repeat(1500)
    const work = [{ person: 'Bob', date: '3.1.26', hours: '2', text: `${line}\n${line}` }]
    const [row] = plan([item({ work })]).rows
    assert.deepEqual(
      row?.requests.slice(1).map(({ body }) => body.description ?? body.text),
      [line, `**Bob, 2026-01-03:**\n\n${line}`],
    )
    assert.deepEqual(row?.appointmentPositions, [1])
  })

  test('has at most 500 writes in a batch', () => {
    const comments = (count: number) =>
      Array.from({ length: count }, () => ({ author: '', date: '', text: 'x' }))
    const sizesOf = (counts: readonly number[]) =>
      plan(counts.map((count) => item({ comments: comments(count) }))).batches.map(
        ({ requests }) => requests.length,
      )
    // The first batch has the labels, of which there are none.
    assert.deepEqual(sizesOf([299, 199, 1]), [0, 500, 2])
    assert.deepEqual(sizesOf([700]), [0, 500, 201])
  })
})
