import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Assignment } from '#tracker-client'
import { whyGuessable } from '../../src/accounts/passwords.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import { capitalize } from '../../src/model/field.ts'
import { passwordProblems } from '../../src/model/field-kinds.ts'
import { timeoutAdvice } from '../../src/records/list.ts'
import type { ListQuery } from '../../src/records/list-query.ts'
import { resources } from '../../src/resources/all.ts'
import { faceAttributesOf } from '../../web/src/api/people.ts'
import { elapsedSeconds, toRecordedHours } from '../../web/src/assignment/timer.ts'
import { groupBlockers, groupLabels, mergeLinks, startsTooEarly } from '../../web/src/data/project-links.ts'
import {
  columns,
  parseColumns,
  parseOrder,
  sortRows,
  toggleColumn,
  toggleSort,
} from '../../web/src/screens/project/list/list-columns.ts'
import { linesOf, parseGrouping } from '../../web/src/screens/project/list/list-lines.ts'
import { balancesOf, parsePeriod, presets, sumRowsOf } from '../../web/src/screens/reports/sums.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { translateSentence as translateWith } from '../../web/src/texts/text.ts'
import { splitHours } from '../../web/src/time/hours.ts'
import { valuesOf } from '../support/assertions.ts'
import { nodesIn, parseSource, placeholdersOf, type SyntaxNode, textOf } from '../support/syntax.ts'

/** Returns an assignment with the fields that the views read. */
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
      assignment('finished', '2026-01-05', '2026-01-06', { workflowId: 'done' }),
    ].map((row) => [row.id, row]),
  )

  test('are listed while the blocking assignment is known and not done', () => {
    const links = [link('a', 'late'), link('a', 'early'), link('a', 'unknown'), link('b', 'finished')]
    const found = groupBlockers(links, assignments, new Set(['done']))
    assert.deepEqual(
      [...found].map(([id, blockers]) => [id, blockers.map((blocker) => blocker.id)]),
      [['a', ['early', 'late']]],
    )
  })

  test('allow a start on the last day of the blocking assignment', () => {
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
  const linkMadeAt = (second: number) => ({
    ...stamps,
    id: `l${second}`,
    assignmentId: 'a',
    labelId: second % 2 === 0 ? 'even' : 'odd',
    createdAt: new Date(second * 1000).toISOString(),
  })
  /** Returns links in the order of lists, the newest first. */
  const links = (newest: number, oldest: number) =>
    Array.from({ length: newest - oldest + 1 }, (_, index) => linkMadeAt(newest - index))

  test('keep links of later pages when the first page is read again, and lose links that were removed from it', () => {
    const known = links(150, 1)
    assert.deepEqual(mergeLinks(links(151, 52), known), links(151, 1))
    const withoutOne = [...links(150, 141), ...links(139, 50)]
    assert.deepEqual(mergeLinks(withoutOne, known), [...withoutOne, ...links(49, 1)])
    assert.deepEqual(mergeLinks(links(2, 1), known), links(2, 1))
  })

  test('are shown in the order of the project', () => {
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

test('The first nine people have different hues, the first 36 different faces, and each keeps it', () => {
  const ids = Array.from({ length: 36 }, (_, number) => `person ${number}`)
  const faces = ids.map(faceAttributesOf)
  assert.equal(new Set(faces.slice(0, 9).map(({ style }) => style['--hue'])).size, 9)
  assert.equal(new Set(faces.map((face) => JSON.stringify(face))).size, 36)
  assert.deepEqual(ids.map(faceAttributesOf), faces)
})

describe('The list', () => {
  const names = {
    types: [],
    stageOf: (id: string) => id,
    stageLookOf: () => undefined,
    typeOf: (id: string) => id,
    personOf: (id: string) => id,
    labelsOf: () => [],
    keyOf: () => '',
    blockReasonOf: () => undefined,
  }
  const stagePositions = new Map([
    ['s1', 0],
    ['s2', 1],
  ])
  const doneStageIds = new Set(['s2'])

  test('is sorted by a column, and equal rows by name, with numbers in numeric order', () => {
    const rows = [
      assignment('Task 10', '2026-11-16', '2026-11-17'),
      assignment('Task 9', '2026-11-16', '2026-11-17'),
      assignment('Task 1', '2026-11-16', '2026-11-18'),
    ]
    const order = (query: string) => parseOrder(new URLSearchParams(query))
    const ids = (query: string) =>
      sortRows(rows, order(query), { names, stagePositions, doneStageIds }).map(({ id }) => id)
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
    const lines = linesOf(rows, stage, { names, stagePositions, doneStageIds })
    assert.deepEqual(valuesOf(lines, 'id'), ['group-s1', 'b', 'group-s2', 'a'])
  })

  test('omits the default columns from the address', () => {
    const type = columns.find(({ name }) => name === 'type')
    assert.ok(type)
    for (const configuration of [{ extensions: true }, { extensions: false }]) {
      const defaults = parseColumns(new URLSearchParams(), configuration)
      const withoutType = toggleColumn(defaults, type, configuration)
      assert.doesNotMatch(withoutType, /type/)
      const shown = parseColumns(new URLSearchParams({ columns: withoutType }), configuration)
      assert.equal(toggleColumn(shown, type, configuration), '')
    }
    const query = new URLSearchParams({ columns: 'key,labels,stage' })
    const shownWith = (extensions: boolean) => valuesOf(parseColumns(query, { extensions }), 'name')
    assert.deepEqual(shownWith(true), ['key', 'name', 'stage', 'labels'])
    assert.deepEqual(shownWith(false), ['name', 'stage'])
  })
})

describe('Periods of reports', () => {
  const periodOf = (name: string, day: string) => {
    const { from, to } = presets.find((preset) => preset.name === name)?.period(day) ?? { from: '', to: '' }
    return `${from} to ${to}`
  }

  test('begin and end with their week, month, quarter or year', () => {
    assert.equal(periodOf('last-week', '2027-01-02'), '2026-12-21 to 2026-12-27')
    assert.equal(periodOf('last-month', '2027-01-31'), '2026-12-01 to 2026-12-31')
    assert.equal(periodOf('month', '2028-02-29'), '2028-02-01 to 2028-02-29')
    assert.equal(periodOf('quarter', '2026-11-22'), '2026-10-01 to 2026-12-31')
    assert.equal(periodOf('last-quarter', '2026-02-01'), '2025-10-01 to 2025-12-31')
    assert.equal(periodOf('last-year', '2026-02-01'), '2025-01-01 to 2025-12-31')
  })

  test('may be any two days in any order', () => {
    const { from, to, preset } = parsePeriod(new URLSearchParams('from=2026-03-05&to=2026-03-01'))
    assert.deepEqual({ from, to, preset }, { from: '2026-03-01', to: '2026-03-05', preset: '' })
    assert.equal(parsePeriod(new URLSearchParams('from=2026-13-05&to=x')).preset, 'month')
  })
})

describe('Sums', () => {
  const person = (id: string) => ({ person: { id, name: id } })

  test('are shown next to all recorded and planned hours', () => {
    const inPeriod = [{ ...person('ann'), hours: 2, appointments: 1 }]
    const whole = {
      hours: [{ ...person('ann'), hours: 5, appointments: 3 }],
      assignments: [
        { ...person('ann'), assignments: 1, plannedHours: 8 },
        { ...person('bob'), assignments: 1, plannedHours: 4 },
      ],
    }
    const rows = (includeEmpty: boolean) =>
      sumRowsOf({ by: 'person', thenBy: undefined }, inPeriod, whole, includeEmpty).map(
        ({ id, hours, recorded, planned, left, over }) => ({ id, hours, recorded, planned, left, over }),
      )
    const ann = { id: 'ann', hours: 2, recorded: 5, planned: 8, left: 3, over: 0 }
    const bob = { id: 'bob', hours: 0, recorded: 0, planned: 4, left: 4, over: 0 }
    assert.deepEqual(rows(false), [ann])
    assert.deepEqual(rows(true), [ann, bob])
  })

  test('of what is left and over are those of the assignments, and nothing is left of done ones', () => {
    const part = (id: string, workflowId: string, plannedHours: number) => ({
      ...person('ann'),
      workflow: { id: workflowId, name: workflowId },
      assignment: { id, name: id },
      assignments: 1,
      plannedHours,
    })
    const planned = [part('open', 'doing', 8), part('over', 'doing', 2), part('done', 'ready', 6)]
    const recorded = ['open', 'over', 'done'].map((id) => ({
      assignment: { id, name: id },
      hours: 3,
      appointments: 1,
    }))
    assert.deepEqual(
      [...balancesOf('person', planned, recorded, new Set(['ready']))],
      [['ann', { left: 5, over: 1 }]],
    )
  })

  test('are split into those within the plan and the excess', () => {
    assert.deepEqual(splitHours({ recorded: 10, over: 2 }), { within: 8, over: 2 })
    assert.deepEqual(splitHours({ recorded: 1, over: 3 }), { within: 0, over: 1 })
  })
})

describe('A timer', () => {
  test('counts seconds, and records hundredths of an hour, at least one', () => {
    const running = {
      assignmentId: 'a',
      projectId: 'p',
      name: 'n',
      userId: 'u',
      since: '2026-11-22T10:00:00.000Z',
    }
    assert.equal(elapsedSeconds(running, Date.parse('2026-11-22T11:30:00.000Z')), 5400)
    assert.equal(elapsedSeconds(running, Date.parse('2026-11-22T09:00:00.000Z')), 0)
    assert.deepEqual([5400, 54, 0].map(toRecordedHours), [1.5, 0.02, 0.01])
  })
})

const folder = join(import.meta.dirname, '..', '..', 'src')

/** Source files whose messages the web client never receives, with the readers of the messages. */
const notForClient: readonly { readonly files: RegExp; readonly readers: string }[] = [
  { files: /^(cli|config|observability)\b/, readers: 'operators' },
  {
    files: /^db\/(embedded|sharded|history-chain|limited-reads|migrate|standbys)/,
    readers: 'operators, in the log',
  },
  { files: /^hosts\/rest\/(extension-)?routes\.ts/, readers: 'readers of the API documents' },
  { files: /^features\/mcp\.ts/, readers: 'MCP clients' },
  { files: /^features\/calendar\.ts/, readers: 'users who set up a calendar app' },
  { files: /^http\/(log|host-metrics|event-stream)/, readers: 'operators, and developers of stream clients' },
  { files: /^http\/(health|broken-requests)/, readers: 'operators, and developers of HTTP clients' },
  {
    files: /^(model\/field|resources\/(check-declarations|define-resource|all|derived))\.ts/,
    readers: 'developers, at startup',
  },
  {
    files: /openapi|schemas\.ts$|(describe|document|refusal-examples|discovery|factor-operations)/,
    readers: 'readers of the API documents',
  },
  { files: /^hosts\/(bank|commands)\//, readers: 'other clients' },
  { files: /^db\/poolers/, readers: 'operators, at startup' },
  {
    files: /^hosts\/identity\/(?!endpoints\/(factors|passkeys)|factors\/)/,
    readers: 'other clients, and users of the identity pages, which have their own texts',
  },
  { files: /^features\/mail\//, readers: 'recipients of mails' },
  // Errors in bodies, queries and ids that the client never sends.
  {
    files:
      /^(records\/(batch|query|get|list-query)|features\/(changes\/(?!streams)|webhooks\/deliveries)|http\/url)\b/,
    readers: 'developers of clients',
  },
  { files: /^features\/reports\/parse-report-query/, readers: 'developers of clients' },
  { files: /^features\/(exports|queries)\.ts/, readers: 'developers of clients' },
]
/** Messages of other files that the web client never receives. */
const messagesForOthers: ReadonlySet<string> = new Set([
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
  // Shown by the command line.
  '{} is the last administrator. Make another account an administrator first.',
])
const sources = globSync('**/*.ts', { cwd: folder })
  .filter(
    (file) => !/\.test\.ts$|testing\//.test(file) && !notForClient.some(({ files }) => files.test(file)),
  )
  .sort()

/** Returns whether texts in the node are for documents or logs. */
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

/** Returns the sentences of a file that may be in a response. */
function rejectionsOf(file: string): string[] {
  return [...nodesIn(parseSource(readFileSync(join(folder, file), 'utf8'), 'ts'))].flatMap(
    ({ node, ancestors }) => {
      const text = textOf(node)
      if (text === undefined || !/^[\p{Lu}{].* .*\.$/u.test(text)) return []
      return ancestors.some(isForOthers) ? [] : [text]
    },
  )
}

const translateSentence = (sentence: string) => translateWith(sentence, ptBrCatalogue)
const patterns = Object.keys(ptBrCatalogue.errors)
const withoutNames = (text: string) => text.replaceAll(/\{\w+\}/g, '{}')

describe('The Portuguese translation of error messages', () => {
  const untranslated = (sentences: readonly string[]) =>
    sentences.filter((message) => translateSentence(message) === message)

  test('contains every sentence of the sources that may be in a response', () => {
    const messages = sources.flatMap(rejectionsOf)
    assert.ok(messages.length > 80, messages.join('\n'))
    const filled = (text: string) =>
      text.replaceAll('{}{}', '{}').replace(/^\{\}/, 'Name').replaceAll('{}', '7')
    const unknown = messages.filter(
      (text) =>
        // These messages consist of parts. The next test checks the parts.
        !/^(\w+|\{\}) \{\}\.$|^\{\} must be \{\}\.$/.test(text) &&
        !messagesForOthers.has(text) &&
        translateSentence(filled(text)) === filled(text),
    )
    assert.deepEqual([...new Set(unknown)], [])
    const possibleMessages = new Set(messages.map(withoutNames))
    const stale = patterns.filter(
      (pattern) =>
        !messages.some((text) => matchesPattern(pattern, filled(text))) &&
        !possibleMessages.has(withoutNames(pattern)) &&
        !isComposed(pattern),
    )
    assert.deepEqual(stale, [])
  })

  test('contains all messages about fields of resources and about passwords', () => {
    const wrong = [5, 'x'.repeat(20_000), 'x\0', -1, 0, 1e9, 0.001, {}, '', 'short', Number.NaN]
    const found = Object.values(resources).flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([name, field]) =>
        wrong.flatMap((input) => {
          const result = field.parse(input, capitalize(name))
          return 'problems' in result ? result.problems : []
        }),
      ),
    )
    assert.ok(new Set(found).size > 30, found.join())
    const passwords = ['', '\u0007', 'x'.repeat(300)].flatMap((text) => passwordProblems(text, 'NewPassword'))
    const guessable = ['Password1!', 'ada@example.com'].map(
      (text) => `NewPassword ${whyGuessable(text, 'ada@example.com')}.`,
    )
    assert.deepEqual(untranslated([...found, ...passwords, ...guessable]), [])
  })

  test('contains all messages about the address of a webhook', async () => {
    const receivers = allowedReceivers([])
    const addresses = ['http://example.com/', 'https://10.0.0.1/', 'https://[::1]/']
    const found = addresses.map((address) => String(receivers.problemOf(new URL(address))))
    const resolved = await new Promise<string>((resolve) =>
      receivers.lookupFor(new URL('https://localhost/'))('localhost', {}, (error) =>
        resolve(String(error?.message)),
      ),
    )
    const messages = [resolved, ...found.flatMap((address) => [`Url ${address}`, `The address ${address}`])]
    assert.deepEqual(untranslated(messages), [])
    assert.equal(
      translateSentence(`Deliveries failed for three days. The last attempt: ${messages[2]}`),
      'As entregas falharam por três dias. A última tentativa: O endereço precisa começar com https.',
    )
  })

  test('contains the messages about lists that took too long', () => {
    const advised = Object.values(resources).flatMap((resource) =>
      [undefined, 'text'].map((search) => timeoutAdvice(resource, { search } as ListQuery)),
    )
    const messages = advised.map(
      ({ subject, advice }) => `${subject} took longer than 5 seconds and was stopped. ${advice}`,
    )
    const stillEnglish = messages.filter((text) =>
      /\b(the|took|Narrow|Search)\b/i.test(translateSentence(text)),
    )
    assert.deepEqual(stillEnglish, [])
  })

  test('excludes only files that exist', () => {
    const existing = globSync('**/*.ts', { cwd: folder })
    const stale = notForClient.filter(({ files }) => !existing.some((file) => files.test(file)))
    assert.deepEqual(stale, [])
  })

  test('contains the names of all kinds of records', () => {
    const named = Object.values(resources).flatMap(({ title, noun, pluralNoun }) => [title, noun, pluralNoun])
    const stillEnglish = named.filter(
      (text) => translateSentence(`${text} was not found.`) === `Não encontrado: ${text}.`,
    )
    assert.deepEqual(stillEnglish, [], 'Add them to ptBrNouns in web/src/texts/pt-br.ts.')
  })

  test('begins with the field if the English message does', () => {
    for (const [pattern, translation] of Object.entries(ptBrCatalogue.errors)) {
      if (pattern.startsWith('{field}')) assert.ok(translation.startsWith('{field}: '), translation)
      const known = placeholdersOf(pattern)
      for (const name of placeholdersOf(translation)) assert.ok(known.includes(name), translation)
    }
    const literal = translateWith('A (b) [c] + d * e ^ $f \\\\ g | 1.', {
      errors: { 'A (b) [c] + d * e ^ $f \\\\ g | {name}.': 'Z {name}.' },
      nouns: {},
    })
    assert.equal(literal, 'Z 1.')
    assert.equal(translateSentence('Name must be at most 200 characters.'), 'Name: no máximo 200 caracteres.')
    assert.equal(translateSentence('Nobody has translated this (yet).'), 'Nobody has translated this (yet).')
  })
})

/** Returns whether the message is composed at run time. */
const isComposed = (pattern: string): boolean =>
  /^\{field\} (must|is) |\{(list|does)\}|^(Url|The address) (must|is not) |[^.]$/.test(pattern)

const matchesPattern = (pattern: string, sentence: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.?:/()-]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`).test(sentence)
