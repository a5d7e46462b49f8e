import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorOf, TrackerError } from '#tracker-client'
import { reports } from '../../src/features/reports/parse-report-query.ts'
import { csvHeader, csvLine } from '../../src/http/csv.ts'
import { assignment } from '../../src/resources/assignment.ts'
import { createRequestSharing } from '../../web/src/api/api.ts'
import { translateError } from '../../web/src/api/problems.ts'
import { placeholders } from '../../web/src/data/planned.ts'
import { choosableStages, stagesOf } from '../../web/src/data/project-stages.ts'
import { matchPath } from '../../web/src/router/router.ts'
import { describeUserAgent } from '../../web/src/screens/account/describe-user-agent.ts'
import { columnLabel, hoursCsvFormat, localizeCsv } from '../../web/src/screens/reports/localized-csv.ts'
import {
  hoursByAssignment,
  hoursByProject,
  hoursByWeek,
  type ReportData,
} from '../../web/src/screens/reports/report.ts'
import { groupings } from '../../web/src/screens/reports/sums.ts'
import { ticksFor } from '../../web/src/screens/reports/ticks.ts'
import { signInStateOf } from '../../web/src/screens/sign-in/sign-in-state.ts'
import { createToasts, type Toasts } from '../../web/src/services/toasts.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { inOneLine, isolate, setLanguage, shorten, t } from '../../web/src/texts/text.ts'
import {
  addDays,
  endTimestampOf,
  formatDay,
  mondayOf,
  parseWeek,
  timestampOf,
} from '../../web/src/time/days.ts'
import { formatAgo } from '../../web/src/time/format-timestamp.ts'
import { plannedHours, sumHours } from '../../web/src/time/hours.ts'
import { quoteText } from '../../web/src/ui/csv.ts'
import { valuesOf } from '../support/assertions.ts'

describe('Errors', () => {
  const errorIn = async (body: string, init: ResponseInit) =>
    translateError(await errorOf(new Response(body, init)))

  test('are shown in the language of the user, whoever answers', async (context) => {
    setLanguage('pt-BR', ptBrCatalogue)
    context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
    const rejected = { message: 'Busy.', errors: { name: ['Name is required.'] } }
    const headers = { 'retry-after': '7' }
    const { status, errors, retryAfterSeconds } = await errorIn(JSON.stringify(rejected), {
      status: 429,
      headers,
    })
    assert.deepEqual([status, retryAfterSeconds], [429, 7])
    assert.deepEqual(errors, { name: ['Name: preenchimento obrigatório.'] })
    assert.equal(
      (await errorIn('<h1>Bad gateway</h1>', { status: 502 })).message,
      'O servidor respondeu 502.',
    )
    const inUse = 'Assignment cannot be removed while it has active appointments and assignment impediments.'
    assert.equal(
      (await errorIn(JSON.stringify({ message: inUse }), { status: 409 })).message,
      'Não é possível remover (tarefa) enquanto houver apontamentos e impedimentos.',
    )
    assert.match(
      translateError(new TrackerError(0, 'The server did not answer.')).message,
      /^Não foi possível/,
    )
  })
})

test('The placeholders of the history are those that the assignment declares', () =>
  assert.deepEqual(placeholders, assignment.placeholders))

describe('Lists that several parts of a screen ask for', () => {
  const setUp = () => {
    const asked: { path: string; signal: AbortSignal | undefined; answer: (text: string) => void }[] = []
    const together = createRequestSharing()
    const send = (path: string) => (signal: AbortSignal) =>
      new Promise<string>((answer, reject) => {
        asked.push({ path, signal, answer })
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const ask = (path: string, signal?: AbortSignal) => together(path, send(path), signal)
    return { ask, asked }
  }

  test('at the same time are requested once, and a little later again', async () => {
    const { ask, asked } = setUp()
    const answers = [ask('/a'), ask('/b'), ask('/a')]
    await Promise.resolve()
    answers.push(ask('/a'))
    assert.deepEqual(valuesOf(asked, 'path'), ['/a', '/b', '/a'])
    for (const [index, { answer }] of asked.entries()) answer(String(index))
    assert.deepEqual(await Promise.all(answers), ['0', '1', '0', '2'])
  })

  test('are given up when the last of them has left, and not before', async () => {
    const { ask, asked } = setUp()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [ask('/a', one.signal), ask('/a', other.signal)]
    one.abort()
    await assert.rejects(answers[0] as Promise<string>, { name: 'AbortError' })
    assert.equal(asked[0]?.signal?.aborted, false)
    other.abort()
    await assert.rejects(answers[1] as Promise<string>, { name: 'AbortError' })
    assert.equal(asked[0]?.signal?.aborted, true)
    await assert.rejects(ask('/a', one.signal), { name: 'AbortError' })
    assert.equal(asked.length, 1)
  })
})

describe('Paths of screens', () => {
  const cases = [
    ['/projects', '/projects/', {}],
    ['/projects/:id', '/projects/4711', { id: '4711' }],
    ['/projects/:id', '/projects/a%20b', { id: 'a b' }],
    ['/projects/:id', '/projects/%E0%A4%A', { id: '%E0%A4%A' }],
    ['/week/:day?', '/week', {}],
    ['/projects/:id', '/projects', undefined],
    ['/projects', '/projects/4711', undefined],
    ['/projects/:id/board', '/projects/1/list', undefined],
  ] as const
  for (const [pattern, path, parameters] of cases)
    test(`${pattern} and ${path}`, () => assert.deepEqual(matchPath(pattern, path), parameters))
})

describe('Names in a text', () => {
  test('are kept apart from it where one of both is written from right to left', () => {
    assert.equal(t('{name} was created.', { name: 'Mara' }), 'Mara was created.')
    assert.equal(t('{name} was created.', { name: 'רציף 12' }), '\u2068רציף 12\u2069 was created.')
    assert.equal(isolate('Mara', 'נוצר'), '\u2068Mara\u2069')
    // A name does not reorder the rest of a sentence.
    assert.equal(isolate('\u202Eevil'), '\u2068\u202Eevil\u2069')
    assert.equal(inOneLine('ليلى', undefined, false, '', 'Pier'), '\u2068ليلى\u2069 · Pier')
  })

  test('are shortened without halving a character', () => {
    assert.equal(shorten('Pier 😀😀', 6), 'Pier 😀…')
    assert.equal(shorten('Pier 😀', 6), 'Pier 😀')
  })
})

describe('Days', () => {
  test('are counted over the ends of months, years and summer time', () => {
    assert.equal(addDays('2026-12-31', 1), '2027-01-01')
    assert.equal(addDays('2028-02-28', 1), '2028-02-29')
    assert.equal(addDays('2026-03-28', 2), '2026-03-30')
    assert.equal(addDays('nonsense', 1), 'nonsense')
  })

  test('that did not change keep the time of day that is stored', () => {
    assert.equal(timestampOf('2026-11-16', '2026-11-16T09:30:00Z'), '2026-11-16T09:30:00Z')
    assert.equal(timestampOf('2026-11-17', '2026-11-16T09:30:00Z'), '2026-11-17')
    assert.equal(timestampOf('2026-11-17', undefined), '2026-11-17')
  })

  test('on which something ends are not before the time at which it starts', () => {
    const start = '2026-11-16T09:30:00.000Z'
    assert.equal(endTimestampOf('2026-11-16', '2026-11-18T00:00:00.000Z', start), start)
    assert.equal(endTimestampOf('2026-11-16', '2026-11-16T17:00:00.000Z', start), '2026-11-16T17:00:00.000Z')
    assert.equal(endTimestampOf('2026-11-17', undefined, start), '2026-11-17')
    // What is wrong by days is not made right unseen.
    assert.equal(endTimestampOf('2026-11-15', undefined, start), '2026-11-15')
  })

  test('of another year are shown with it', () => {
    assert.match(formatDay('1999-05-04'), /^4 May 1999$/)
  })
})

describe('Messages of changes', () => {
  const log: string[] = []
  const change = (text: string) => ({ kind: 'done', text, undo: () => void log.push(text) }) as const
  const texts = (toasts: Toasts) => toasts.all.value.map(({ text }) => text)

  test('share one line, which undoes all of them, the newest first', async () => {
    const toasts = createToasts()
    for (const text of ['Moved.', 'Named.', 'Assigned.']) toasts.show(change(text))
    toasts.show({ kind: 'problem', text: 'Refused.' })
    assert.deepEqual(texts(toasts), ['3 changes saved', 'Refused.'])
    const [line] = toasts.all.value
    assert.ok(line)
    log.length = 0
    await toasts.undoAll(line)
    assert.deepEqual(log, ['Assigned.', 'Named.', 'Moved.'])
    assert.deepEqual(texts(toasts), ['Refused.'])
    assert.equal(toasts.undoLast(), false)
  })

  test('are undone one by one with keys, also when the line is gone', () => {
    const toasts = createToasts()
    for (const text of ['Moved.', 'Named.']) toasts.show(change(text))
    log.length = 0
    assert.equal(toasts.undoLast(), true)
    assert.deepEqual(texts(toasts), ['Moved.'])
    toasts.dismiss(toasts.all.value[0]?.id ?? 0)
    assert.equal(toasts.undoLast(), true)
    assert.deepEqual(log, ['Named.', 'Moved.'])
    assert.equal(toasts.undoLast(), false)
  })

  test('keep their end when a dialog opens, and get another one when they were held', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 0 })
    const toasts = createToasts()
    toasts.show(change('Moved.'))
    const endOf = () => toasts.all.value[0]?.until
    context.mock.timers.tick(4_000)
    toasts.addLayer(Symbol('dialog'))()
    assert.equal(endOf(), 10_000)
    toasts.extend(toasts.all.value[0]?.id ?? 0)
    assert.equal(endOf(), 14_000)
  })

  test('end with their screen, problems do not', () => {
    const toasts = createToasts()
    toasts.show(change('Moved.'))
    toasts.show({ kind: 'done', text: 'Copied.' })
    toasts.show({ kind: 'problem', text: 'Refused.' })
    toasts.leaveScreen()
    assert.deepEqual(texts(toasts), ['Refused.'])
    assert.equal(toasts.undoLast(), false)
  })
})

describe('A table that is exported', () => {
  const format = { labelOf: columnLabel, isNumber: (column: string) => column === 'hours' }

  test('has the heads of the page, and below them what the server wrote, however many rows', () => {
    const rows = csvLine(['1', '=cmd, "x"', 2.5]).repeat(100_000)
    const begin = performance.now()
    const taken = localizeCsv(`${csvHeader(['projectId', 'project', 'hours'])}${rows}`, {
      ...format,
      decimalSeparator: '.',
    })
    assert.equal(taken, `\uFEFF"Project (id)","Project","Hours"\r\n${rows}`)
    assert.ok(performance.now() - begin < 5000)
  })

  test('opens where a comma is the decimal mark, with formulas that stay text', () => {
    const names = ['=1+1', 'a;=1+1', 'a,b', 'line\r\nline', '"', '1.5', '']
    const table = csvHeader(['project', 'hours']) + names.map((name) => csvLine([name, 1.25])).join('')
    const taken = localizeCsv(table, {
      labelOf: (name) => `${name}; "x"`,
      isNumber: format.isNumber,
      decimalSeparator: ',',
    })
    assert.equal(
      taken,
      [
        '\uFEFF"project; ""x""";"hours; ""x"""',
        '"\'=1+1";1,25',
        '"a;\'=1+1";1,25',
        '"a,b";1,25',
        '"line\r\nline";1,25',
        '"""";1,25',
        '"1.5";1,25',
        '"";1,25',
        '',
      ].join('\r\n'),
    )
  })

  test('calls every column as people do that the page can ask for', () => {
    const measures = reports.find(({ name }) => name === 'hours')?.measures ?? []
    const columns = groupings.flatMap(({ name, isTime }) => (isTime ? [name] : [name, `${name}Id`]))
    const still = [...columns, ...measures.map(({ name }) => name)].filter((one) => columnLabel(one) === one)
    assert.deepEqual(still, [])
    assert.equal(columnLabel('somethingNew'), 'somethingNew')
    assert.equal(hoursCsvFormat().decimalSeparator, '.')
  })
})

const planned = (startDate: string, endDate: string, amountHours: number) => ({
  startDate,
  endDate,
  amountHours,
})

describe('The sign-in page', () => {
  const stateOf = (query: string) => signInStateOf(new URLSearchParams(query))

  test('counts down to the end of a lockout only if the provider has sent its time', () => {
    const locked = 'authRequest=1&error=locked'
    const secondsOf = (query: string) => {
      const state = stateOf(query)
      assert.ok(state.kind === 'form' && state.error === 'locked')
      return state.retryAfterSeconds
    }
    assert.equal(secondsOf(`${locked}&retryAfter=90`), 90)
    for (const unusable of ['', '&retryAfter=', '&retryAfter=0', '&retryAfter=-5', '&retryAfter=soon'])
      assert.equal(secondsOf(locked + unusable), undefined)
  })

  test('starts a request, shows the form, or the problem of a request', () => {
    assert.deepEqual(stateOf(''), { kind: 'start', returnPath: undefined })
    assert.deepEqual(stateOf('again'), { kind: 'start', returnPath: '/signed-in/' })
    assert.equal(stateOf('authRequest=1').kind, 'form')
    assert.deepEqual(stateOf('errorId=7&authRequest=1'), { kind: 'problem', errorId: '7' })
    assert.deepEqual(stateOf('error=invalid'), { kind: 'problem', errorId: null })
  })
})

describe('Planned hours', () => {
  test('are spread over the working days of the period, whatever the time of day it begins', () => {
    const work = planned('2026-11-19T15:00:00Z', '2026-11-25T08:00:00Z', 10)
    assert.equal(plannedHours(work, '2026-11-16', '2026-11-23'), 4)
    assert.equal(plannedHours(work, '2026-11-23', '2026-11-30'), 6)
    assert.equal(plannedHours(work, '2026-11-21', '2026-11-23'), 0)
  })

  test('beyond the period are none', () => {
    const work = planned('2026-11-19', '2026-11-25', 10)
    assert.equal(plannedHours(work, '2026-11-26', '2026-12-30'), 0)
    assert.equal(plannedHours(work, '2026-10-01', '2026-11-19'), 0)
  })

  test('of a weekend are spread over its days', () => {
    assert.equal(plannedHours(planned('2026-11-21', '2026-11-22', 6), '2026-11-22', '2026-11-23'), 3)
  })

  test('of a period that ends before it starts are none', () => {
    const work = planned('2026-11-25', '2026-11-23', 8)
    assert.equal(plannedHours(work, '2026-11-01', '2026-12-01'), 0)
  })

  test('of a period of centuries are counted at once', () => {
    const hours = plannedHours(planned('1000-01-01', '2999-12-31', 1000), '1000-01-01', '3000-01-01')
    assert.equal(hours, 1000)
  })
})

describe('Weeks', () => {
  test('begin on Monday, also across years', () => {
    assert.equal(mondayOf('2026-11-22'), '2026-11-16')
    assert.equal(mondayOf('2026-11-16'), '2026-11-16')
    assert.equal(mondayOf('2027-01-01'), '2026-12-28')
  })

  test('in an address may be any day of it, and whatever is no day means this week', () => {
    assert.equal(parseWeek('2026-11-18'), '2026-11-16')
    for (const text of [null, '', 'x', '2026-13-01', '2026-11-18T00:00'])
      assert.match(parseWeek(text), /^\d{4}-\d\d-\d\d$/)
  })
})

test('Sums of hours do not drift', () => {
  assert.equal(sumHours(Array.from({ length: 10 }, () => ({ amountHours: 0.1 }))), 1)
})

test('Lines of a chart are at round numbers, and the last covers everything', () => {
  for (const [greatest, lines] of [
    [0, [0, 0.5, 1]],
    [7, [0, 2, 4, 6, 8]],
    [53.3, [0, 20, 40, 60]],
    [400, [0, 100, 200, 300, 400]],
  ] as const)
    assert.deepEqual(ticksFor(greatest), lines, String(greatest))
})

test('A report counts each hour once, by week, assignment and project', () => {
  const assignment = (id: string, projectId: string, amountHours: number) => ({
    id,
    projectId,
    name: id,
    ...planned('2026-11-16', '2026-11-27', amountHours),
  })
  const entry = (assignmentId: string, keepDate: string, amountHours: number) => ({
    assignmentId,
    keepDate,
    amountHours,
  })
  const given = {
    mondays: ['2026-11-16', '2026-11-23'],
    assignments: [assignment('a', 'p', 10), assignment('b', 'p', 20), assignment('c', 'q', 4)],
    appointments: [
      entry('a', '2026-11-22T23:00:00Z', 1),
      entry('b', '2026-11-23', 2),
      entry('c', '2026-11-16', 4.5),
    ],
  } as unknown as ReportData
  const short = (rows: ReturnType<typeof hoursByWeek>) =>
    rows.map((row) => [row.name, row.recorded, row.planned])
  assert.deepEqual(short(hoursByWeek(given)), [
    ['2026-11-16', 5.5, 17],
    ['2026-11-23', 2, 17],
  ])
  assert.deepEqual(short(hoursByAssignment(given)), [
    ['b', 2, 20],
    ['a', 1, 10],
    ['c', 4.5, 4],
  ])
  assert.deepEqual(short(hoursByProject(given, new Map([['p', { name: 'P' }]]))), [
    ['P', 3, 30],
    ['Project', 4.5, 4],
  ])
})

test('Texts in a table of the client are kept from being formulas as the server does', () => {
  const starts = [
    '=',
    '+',
    '-',
    '@',
    '\uFF1D',
    '\u2212',
    'a',
    '"',
    "'",
    ' ',
    '\u200B=',
    '\u00A0@',
    '\t=',
    'a\n=',
    'a,=',
    'a;+',
    'a b',
  ]
  for (const start of starts) assert.equal(`${quoteText(`${start}1`)}\r\n`, csvLine([`${start}1`]), start)
})

test('A browser is named as its users know it, though its user agent names others too', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36'
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
  const names = {
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/128.0.0.0`]: 'Edge 128 on Windows',
    [`${mac} ${chrome} OPR/115.0.0.0`]: 'Opera 115 on macOS',
    [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome}`]: 'Chrome 129 on Android',
    'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0': 'Firefox 130 on Linux',
    [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15`]: 'Safari 17 on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1':
      'Safari 17 on iPhone',
    'curl/8.5.0': 'curl/8.5.0',
  }
  for (const [userAgent, name] of Object.entries(names)) assert.equal(describeUserAgent(userAgent), name)
})

describe('Stages of a project', () => {
  const workflow = (id: string, isDone = false, color?: 'pink') => ({
    ...{ id, name: id, order: 1, isDone, createdAt: '', updatedAt: null, deletedAt: null, active: true },
    ...(color && { color }),
  })
  const all = [workflow('a'), workflow('b', false, 'pink'), workflow('c', true), workflow('d')]
  const shown = (choices: Parameters<typeof stagesOf>[1]) =>
    stagesOf(all, choices).map(({ id, color, isUsed }) => `${id} ${color}${isUsed ? '' : ' unused'}`)
  const choice = (workflowId: string, order: number, color: 'teal' | null = null) => ({
    ...{ workflowId, order, color },
  })

  test('are all stages in their order; a color is that of the stage, else green if it means done, else by position', () => {
    assert.deepEqual(shown([]), ['a gray', 'b pink', 'c green', 'd purple'])
  })

  test('are those it has chosen, in its order and colors, then the others', () => {
    assert.deepEqual(shown([choice('d', 0), choice('b', 2, 'teal'), choice('c', 1)]), [
      ...['d purple', 'c green', 'b teal', 'a gray unused'],
    ])
  })

  test('are all of them where the chosen ones are gone', () => {
    assert.deepEqual(shown([choice('gone', 0)]), ['a gray', 'b pink', 'c green', 'd purple'])
  })

  test('can be chosen for an assignment if they are used, or its own', () => {
    const stages = stagesOf(all, [choice('d', 0)])
    const ids = (current?: string) => choosableStages(stages, current).map(({ id }) => id)
    assert.deepEqual([ids(), ids('a')], [['d'], ['d', 'a']])
  })
})

describe('Times of the past', () => {
  for (const [seconds, text] of [
    [-5, 'now'],
    [59, 'now'],
    [60, '1 min ago'],
    [3599, '59 min ago'],
    [3600, '1 hr ago'],
    [86_399, '23 hr ago'],
    [86_400, 'yesterday'],
    [29 * 86_400, '29 days ago'],
    [40 * 86_400, 'last mo'],
    [400 * 86_400, 'last yr'],
  ] as const)
    test(`of ${seconds} seconds ago are shown as ${text}`, () =>
      assert.equal(formatAgo(new Date(1e12 - seconds * 1000).toISOString(), 1e12), text))
})
