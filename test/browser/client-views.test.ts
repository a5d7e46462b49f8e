import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Assignment } from '#tracker-client'
import { guessableProblem } from '../../src/accounts/passwords.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import { capitalize } from '../../src/model/field.ts'
import { passwordProblems } from '../../src/model/field-kinds.ts'
import { timeoutAdvice } from '../../src/records/list.ts'
import type { ListQuery } from '../../src/records/list-query.ts'
import { resources } from '../../src/resources/all.ts'
import { elapsedSeconds, toRecordedHours } from '../../web/src/assignment/timer.ts'
import { groupBlockers, startsTooEarly } from '../../web/src/data/use-project-dependencies.ts'
import { groupLabels } from '../../web/src/data/use-project-labels.ts'
import { mergeLinks } from '../../web/src/data/use-project-links.ts'
import {
  columns,
  linesOf,
  parseColumns,
  parseGrouping,
  parseOrder,
  sortRows,
  toggleColumn,
  toggleSort,
} from '../../web/src/screens/project/list/list-columns.ts'
import { loadLevelOf, plannedHoursByDay } from '../../web/src/screens/project/timeline/workload.ts'
import { parsePeriod, presets } from '../../web/src/screens/reports/periods.ts'
import { sumRowsOf } from '../../web/src/screens/reports/sums.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { translateSentence as inWordsOf } from '../../web/src/texts/text.ts'
import { valuesOf } from '../support/assertions.ts'
import { nodesIn, parseSource, placeholdersOf, type SyntaxNode, textOf } from '../support/syntax.ts'

/** The views read these fields; one that is added later need not be here. */
const assignment = (id: string, startDate: string, endDate: string, more = {}) =>
  ({
    id,
    name: id,
    description: null,
    startDate: `${startDate}T00:00:00.000Z`,
    endDate: `${endDate}T00:00:00.000Z`,
    amountHours: 8,
    projectId: 'p',
    workflowId: 's1',
    userId: 'u',
    assignmentTypeId: 't',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: null,
    deletedAt: null,
    active: true,
    ...more,
  }) as Assignment

describe('Dependencies of a project', () => {
  const link = (assignmentId: string, blockedById: string) => ({ assignmentId, blockedById })
  const assignments = new Map(
    [
      assignment('late', '2026-01-05', '2026-01-09'),
      assignment('early', '2026-01-05', '2026-01-06'),
      assignment('over', '2026-01-05', '2026-01-06', { workflowId: 'done' }),
    ].map((one) => [one.id, one]),
  )

  test('count while what they wait for is known and not done, the earliest first', () => {
    const links = [link('a', 'late'), link('a', 'early'), link('a', 'unknown'), link('b', 'over')]
    const found = groupBlockers(links, assignments, new Set(['done']))
    assert.deepEqual(
      [...found].map(([id, blockers]) => [id, blockers.map((one) => one.id)]),
      [['a', ['early', 'late']]],
    )
  })

  test('allow a start on the day on which what they wait for ends', () => {
    const waiting = (day: string) => assignment('a', day, '2026-01-20')
    const blocker = assignment('late', '2026-01-05', '2026-01-09')
    const days = ['2026-01-08', '2026-01-09', '2026-01-10']
    assert.deepEqual(
      days.map((day) => startsTooEarly(waiting(day), blocker)),
      [true, false, false],
    )
  })
})

describe('Labels of a project', () => {
  const stamps = { updatedAt: null, deletedAt: null, active: true }
  const link = (second: number) => ({
    ...stamps,
    id: `l${second}`,
    assignmentId: 'a',
    labelId: second % 2 === 0 ? 'even' : 'odd',
    createdAt: new Date(second * 1000).toISOString(),
  })
  const links = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => link(from - index))

  test('are kept from later pages, and a link that the first page lacks is gone', () => {
    const known = links(150, 1)
    assert.deepEqual(mergeLinks(links(151, 52), known), links(151, 1))
    const withoutOne = [...links(150, 141), ...links(139, 50)]
    assert.deepEqual(mergeLinks(withoutOne, known), [...withoutOne, ...links(49, 1)])
    assert.deepEqual(mergeLinks(links(2, 1), known), links(2, 1))
  })

  test('come in their own order, without those that are not known yet', () => {
    const label = (id: string) =>
      ({ ...stamps, id, name: id, color: 'red', description: null, projectId: 'p', createdAt: '' }) as const
    const idsOf = (...labels: string[]) =>
      groupLabels(labels.map(label), links(2, 1))
        .get('a')
        ?.map(({ id }) => id)
    assert.deepEqual(idsOf('odd', 'even'), ['odd', 'even'])
    assert.deepEqual(idsOf('even'), ['even'])
  })
})

describe('The load of a day', () => {
  test('spreads estimates over working days, and over all days of a period without any', () => {
    const rows = [
      // Friday and Monday.
      assignment('a', '2026-11-20', '2026-11-23', { amountHours: 10 }),
      assignment('b', '2026-11-21', '2026-11-22', { amountHours: 6 }),
      assignment('c', '2026-11-01', '2026-11-02', { amountHours: 99 }),
    ]
    assert.deepEqual(plannedHoursByDay(rows, '2026-11-20', 4), [5, 3, 3, 5])
  })

  test('is shown in four steps', () => {
    const steps = [0, 8, 8.5, 12, 12.5].map((hours) => loadLevelOf(hours, 8))
    assert.deepEqual(steps, ['free', 'fits', 'over', 'over', 'far-over'])
  })
})

describe('The list', () => {
  const names = {
    types: [],
    stageOf: (id: string) => id,
    lookOf: () => undefined,
    typeOf: (id: string) => id,
    personOf: (id: string) => id,
    labelsOf: () => [],
    keyOf: () => '',
    blockedOf: () => '',
  }
  const stagePositions = new Map([
    ['s1', 0],
    ['s2', 1],
  ])
  const doneIds = new Set(['s2'])

  test('orders by its columns, equal ones by name with numbers as numbers', () => {
    const rows = [
      assignment('Task 10', '2026-11-16', '2026-11-17'),
      assignment('Task 9', '2026-11-16', '2026-11-17'),
      assignment('Task 1', '2026-11-16', '2026-11-18'),
    ]
    const order = (query: string) => parseOrder(new URLSearchParams(query))
    const ids = (query: string) =>
      sortRows(rows, order(query), { names, stagePositions, doneIds }).map(({ id }) => id)
    assert.deepEqual(ids(''), ['Task 9', 'Task 10', 'Task 1'])
    assert.deepEqual(ids('sort=-end'), ['Task 1', 'Task 9', 'Task 10'])
    assert.deepEqual(ids('sort=nonsense'), ids(''))
    rows.push(assignment('Done', '2026-11-01', '2026-11-02', { workflowId: 's2' }))
    assert.deepEqual(ids(''), ['Task 9', 'Task 10', 'Task 1', 'Done'])
    assert.deepEqual(ids('sort=start'), ['Done', 'Task 1', 'Task 9', 'Task 10'])
    assert.equal(toggleSort(order('sort=hours'), 'hours'), '-hours')
    assert.equal(toggleSort(order('sort=-hours'), 'hours'), 'hours')
    assert.equal(toggleSort(order('sort=hours'), 'end'), '')
  })

  test('groups by stages in the order of the workflow', () => {
    const rows = [
      assignment('a', '2026-11-16', '2026-11-17', { workflowId: 's2' }),
      assignment('b', '2026-11-16', '2026-11-17'),
    ]
    const stage = parseGrouping(new URLSearchParams('group=stage'), { extensions: false })
    const lines = linesOf(rows, stage, { names, stagePositions, doneIds })
    assert.deepEqual(valuesOf(lines, 'id'), ['group-s1', 'b', 'group-s2', 'a'])
  })

  test('keeps the usual columns out of the address, and has those of extensions only where there are any', () => {
    const type = columns.find(({ name }) => name === 'type')
    assert.ok(type)
    for (const configuration of [{ extensions: true }, { extensions: false }]) {
      const usual = parseColumns(new URLSearchParams(), configuration)
      const without = toggleColumn(usual, type, configuration)
      const shown = parseColumns(new URLSearchParams({ columns: without }), configuration)
      assert.deepEqual([/type/.test(without), toggleColumn(shown, type, configuration)], [false, ''])
    }
    const query = new URLSearchParams({ columns: 'key,labels,stage' })
    const shown = (extensions: boolean) => valuesOf(parseColumns(query, { extensions }), 'name').join()
    assert.deepEqual([true, false].map(shown), ['key,name,stage,labels', 'name,stage'])
  })
})

describe('Periods of reports', () => {
  const periodOf = (name: string, day: string) => {
    const { from, to } = presets.find((one) => one.name === name)?.period(day) ?? { from: '', to: '' }
    return `${from} ${to}`
  }

  test('begin and end with their week, month, quarter and year, across the turn of a year', () => {
    assert.equal(periodOf('last-week', '2027-01-02'), '2026-12-21 2026-12-27')
    assert.equal(periodOf('last-month', '2027-01-31'), '2026-12-01 2026-12-31')
    assert.equal(periodOf('month', '2028-02-29'), '2028-02-01 2028-02-29')
    assert.equal(periodOf('quarter', '2026-11-22'), '2026-10-01 2026-12-31')
    assert.equal(periodOf('last-quarter', '2026-02-01'), '2025-10-01 2025-12-31')
    assert.equal(periodOf('last-year', '2026-02-01'), '2025-01-01 2025-12-31')
  })

  test('may be two days of one’s own, in any order; what is no day is left aside', () => {
    const { from, to, preset } = parsePeriod(new URLSearchParams('from=2026-03-05&to=2026-03-01'))
    assert.deepEqual([from, to, preset], ['2026-03-01', '2026-03-05', ''])
    assert.equal(parsePeriod(new URLSearchParams('from=2026-13-05&to=x')).preset, 'month')
  })
})

describe('Sums', () => {
  const person = (id: string) => ({ person: { id, name: id } })

  test('are next to everything recorded and planned; groups without hours only on request', () => {
    const inPeriod = [{ ...person('ann'), hours: 2, appointments: 1 }]
    const whole = {
      hours: [{ ...person('ann'), hours: 5, appointments: 3 }],
      assignments: [
        { ...person('ann'), assignments: 1, plannedHours: 8 },
        { ...person('bob'), assignments: 1, plannedHours: 4 },
      ],
    }
    const rows = (hasAll: boolean) =>
      sumRowsOf({ by: 'person', thenBy: undefined }, inPeriod, whole, hasAll).map(
        ({ id, hours, recorded, planned }) => [id, hours, recorded, planned],
      )
    assert.deepEqual(rows(false), [['ann', 2, 5, 8]])
    assert.deepEqual(rows(true), [
      ['ann', 2, 5, 8],
      ['bob', 0, 0, 4],
    ])
  })
})

describe('A timer', () => {
  test('counts seconds, and becomes hundredths of an hour, at least one', () => {
    const running = {
      assignmentId: 'a',
      projectId: 'p',
      name: 'n',
      userId: 'u',
      since: '2026-11-22T10:00:00.000Z',
    }
    assert.equal(elapsedSeconds(running, Date.parse('2026-11-22T11:30:00.000Z')), 5400)
    assert.equal(elapsedSeconds(running, Date.parse('2026-11-22T09:00:00.000Z')), 0)
    assert.deepEqual([toRecordedHours(5400), toRecordedHours(54), toRecordedHours(0)], [1.5, 0.02, 0.01])
  })
})

const folder = join(import.meta.dirname, '..', '..', 'src')

/** Of all sources those that say nothing to the web client, and to whom they do. */
const elsewhere: readonly (readonly [files: RegExp, read: string])[] = [
  [/^(cli|config|observability)\b/, 'operators'],
  [/^db\/(embedded|sharded|history-chain|limited-reads|migrate|standbys)/, 'operators, in the log'],
  [/^hosts\/rest\/(extension-)?routes\.ts/, 'readers of the documents'],
  [/^features\/mcp\.ts/, 'programs around language models'],
  [/^features\/calendar\.ts/, 'those who set up a calendar program'],
  [/^http\/(log|host-metrics|event-stream)/, 'operators, and those who look at a stream'],
  [/^http\/(health|broken-requests)/, 'operators, and those who program what speaks HTTP'],
  [/^(model\/field|resources\/(check-declarations|define-resource|all|derived))\.ts/, 'us, at start'],
  [
    /openapi|schemas\.ts$|(describe|document|refusal-examples|discovery|factor-operations)/,
    'readers of the documents',
  ],
  [/^hosts\/(bank|commands)\//, 'programs'],
  [/^db\/(poolers|store-advice)/, 'operators, at start'],
  [
    /^hosts\/identity\/(?!endpoints\/(factors|passkeys)|factors\/)/,
    'programs, and people on pages that have texts of their own',
  ],
  [/^features\/mail\//, 'people in mails'],
  // Bodies, queries, ids and how they are written: the client writes them rightly.
  [
    /^(records\/(batch|query|get|list-query|read-guards)|features\/(changes\/(?!stream-limits)|webhooks\/deliveries)|http\/url)\b/,
    'those who program a client',
  ],
  [/^features\/reports\/parse-report-query/, 'those who program a client'],
  [/^features\/(exports|queries)\.ts/, 'those who program a client'],
]
/** The same of single sentences. */
const sentencesForPrograms: ReadonlySet<string> = new Set([
  'Not ready.',
  'Not ready: {}.',
  'Ids must contain 1 to {} ids of sessions.',
  'Ids must contain 1 to {} ids of tokens.',
  'Ids must be 1 to {} ids of accounts, separated by commas.',
  'Resource is required, or a ProjectId.',
  'Id is required, or a ProjectId.',
  'Id, ProjectId and AssignmentId exclude each other.',
  'Kind must be an array of {}.',
  '{} must be an array of {}.',
  'IsWatching must be true, false or null.',
  'The file has {} bytes, and the range has none of them.',
  'Resource must be one of {}.',
  '{} must be given once.',
  'The character set of the body must be UTF-8.',
  'The store did not answer in time.',
  'Choose instants that are closer together.',
  'There are more than {} changes between From and To. Read the feed.',
  '{} is required, once.',
  'To must be on or after From.',
  'IdempotencyKey must be 1 to {} visible ASCII characters, without spaces.',
  'The body is not valid UTF-8.',
  'The body must be a JSON object.',
  'The body is not valid JSON.',
  'The headers are too large.',
  // Of the command line.
  '{} is the last administrator. Make another account an administrator first.',
])
const sources = globSync('**/*.ts', { cwd: folder })
  .filter((file) => !/\.test\.ts$|testing\//.test(file) && !elsewhere.some(([files]) => files.test(file)))
  .sort()

/** Documents are made of these, and the log. */
const isForOthers = ({ type, key, callee }: SyntaxNode): boolean => {
  const nameOf = (value: unknown): string => {
    const { name, property } = (value ?? {}) as { readonly name?: string; readonly property?: unknown }
    return property === undefined ? String(name) : nameOf(property)
  }
  if (type === 'Property') return /^(description|summary|about|example)$/.test(nameOf(key))
  return /^(info|warn|error|debug|Error|WrongIssuerError|Gauge|Counter|Histogram|field|required|optional|object|uris|sentences|resultSchema|createLog)$/.test(
    nameOf(callee),
  )
}

/** The sentences of a file, but for those that are no answer. */
function rejectionsOf(file: string): string[] {
  return [...nodesIn(parseSource(readFileSync(join(folder, file), 'utf8'), 'ts'))].flatMap(
    ([node, around]) => {
      const text = textOf(node)
      if (text === undefined || !/^[\p{Lu}{].* .*\.$/u.test(text)) return []
      return around.some(isForOthers) ? [] : [text]
    },
  )
}

const translateSentence = (sentence: string) => inWordsOf(sentence, ptBrCatalogue)
const patterns = Object.keys(ptBrCatalogue.errors)
const bare = (text: string) => text.replaceAll(/\{\w+\}/g, '{}')

describe('What the server rejects, in Portuguese,', () => {
  const untranslated = (sentences: readonly string[]) =>
    sentences.filter((one) => translateSentence(one) === one)

  test('is known for every sentence of the sources that can be an answer', () => {
    const said = sources.flatMap(rejectionsOf)
    assert.ok(said.length > 80, said.join('\n'))
    const filled = (text: string) =>
      text.replaceAll('{}{}', '{}').replace(/^\{\}/, 'Name').replaceAll('{}', '7')
    const unknown = said.filter(
      (text) =>
        // Put together from parts, which the next test goes through.
        !/^(\w+|\{\}) \{\}\.$|^\{\} must be \{\}\.$/.test(text) &&
        !sentencesForPrograms.has(text) &&
        translateSentence(filled(text)) === filled(text),
    )
    assert.deepEqual([...new Set(unknown)], [])
    const sayable = new Set(said.map(bare))
    const stale = patterns.filter(
      (pattern) =>
        !said.some((text) => inOwnWordsBy(pattern, filled(text))) &&
        !sayable.has(bare(pattern)) &&
        !isOfParts(pattern),
    )
    assert.deepEqual(stale, [])
  })

  test('is known for whatever a field of any resource finds wrong, and a password', () => {
    const wrong = [5, 'x'.repeat(20_000), 'x\0', -1, 0, 1e9, 0.001, {}, '', 'short', Number.NaN]
    const found = Object.values(resources).flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([name, field]) =>
        wrong.flatMap((input) => {
          const reading = field.parse(input, capitalize(name))
          return 'problems' in reading ? reading.problems : []
        }),
      ),
    )
    assert.ok(new Set(found).size > 30, found.join())
    const passwords = ['', '\u0007', 'x'.repeat(300)].flatMap((one) => passwordProblems(one, 'NewPassword'))
    const guessable = ['Password1!', 'ada@example.com'].map(
      (one) => `NewPassword ${guessableProblem(one, 'ada@example.com')}.`,
    )
    assert.deepEqual(untranslated([...found, ...passwords, ...guessable]), [])
  })

  test('is known for whatever is wrong with the address of a webhook', async () => {
    const receivers = allowedReceivers([])
    const addresses = ['http://example.com/', 'https://10.0.0.1/', 'https://[::1]/']
    const found = addresses.map((one) => String(receivers.problemOf(new URL(one))))
    const resolved = await new Promise<string>((resolve) =>
      receivers.lookupFor(new URL('https://localhost/'))('localhost', {}, (error) =>
        resolve(String(error?.message)),
      ),
    )
    const said = [resolved, ...found.flatMap((one) => [`Url ${one}`, `The address ${one}`])]
    assert.deepEqual(untranslated(said), [])
    const why = `Deliveries failed for three days. The last attempt: ${said[2]}`
    assert.equal(
      translateSentence(why),
      'As entregas falharam por três dias. A última tentativa: O endereço precisa começar com https.',
    )
  })

  test('is known for lists that took too long, with what can be done about it', () => {
    const advised = Object.values(resources).flatMap((one) =>
      [undefined, 'text'].map((search) => timeoutAdvice(one, { search } as ListQuery)),
    )
    const said = advised.map(
      ({ subject: what, advice }) => `${what} took longer than 5 seconds and was stopped. ${advice}`,
    )
    const still = said.filter((one) => /\b(the|took|Narrow|Search)\b/i.test(translateSentence(one)))
    assert.deepEqual(still, [])
  })

  test('leaves out only files that there are', () => {
    const files = globSync('**/*.ts', { cwd: folder })
    const gone = elsewhere.filter(([pattern]) => !files.some((file) => pattern.test(file)))
    assert.deepEqual(gone, [])
  })

  test('names every kind of record in Portuguese', () => {
    const named = Object.values(resources).flatMap(({ title, noun, pluralNoun }) => [title, noun, pluralNoun])
    const still = named.filter(
      (one) => translateSentence(`${one} was not found.`) === `Não encontrado: ${one}.`,
    )
    assert.deepEqual(still, [])
  })

  test('begins with the field where the server does, and takes no name that the server does not give', () => {
    for (const [pattern, translation] of Object.entries(ptBrCatalogue.errors)) {
      if (pattern.startsWith('{field}')) assert.ok(translation.startsWith('{field}: '), translation)
      const known = placeholdersOf(pattern)
      for (const name of placeholdersOf(translation)) assert.ok(known.includes(name), translation)
    }
    const literal = inWordsOf('A (b) [c] + d * e ^ $f \\\\ g | 1.', {
      errors: { 'A (b) [c] + d * e ^ $f \\\\ g | {name}.': 'Z {name}.' },
      nouns: {},
    })
    assert.equal(literal, 'Z 1.')
    assert.equal(translateSentence('Name must be at most 200 characters.'), 'Name: no máximo 200 caracteres.')
    assert.equal(translateSentence('Nobody has translated this (yet).'), 'Nobody has translated this (yet).')
  })
})

/** Of lists and words that the sources put together while they run. */
const isOfParts = (pattern: string): boolean =>
  /^\{field\} (must|is) |\{(list|does)\}|^(Url|The address) (must|is not) |[^.]$/.test(pattern)

const inOwnWordsBy = (pattern: string, sentence: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.?:/()-]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`).test(sentence)
