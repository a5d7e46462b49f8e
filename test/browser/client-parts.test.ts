import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { errorOf, TrackerError } from '#tracker-client'
import { reports } from '../../src/features/reports/parse-report-query.ts'
import { csvHeader, csvLine } from '../../src/http/csv.ts'
import { resources } from '../../src/resources/all.ts'
import { assignment } from '../../src/resources/assignment.ts'
import { createRequestSharing } from '../../web/src/api/api.ts'
import { translateError } from '../../web/src/api/problems.ts'
import { placeholders, splitAtKeys } from '../../web/src/data/assignments.ts'
import { impedimentStarts } from '../../web/src/data/project-links.ts'
import { matchPath } from '../../web/src/router/router.ts'
import { describeUserAgent } from '../../web/src/screens/account/describe-user-agent.ts'
import { endTextOf } from '../../web/src/screens/inbox/group-notifications.ts'
import { columnLabel, groupings, hoursCsvFormat, localizeCsv } from '../../web/src/screens/reports/sums.ts'
import { signInStateOf } from '../../web/src/screens/sign-in/sign-in-state.ts'
import { capitalize, nounOf } from '../../web/src/texts/declared-names.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { inOneLine, isolate, setLanguage, shorten, t } from '../../web/src/texts/text.ts'
import {
  addDays,
  endTimestampOf,
  formatAgo,
  formatDay,
  mondayOf,
  parseWeek,
  timestampOf,
  today,
} from '../../web/src/time/days.ts'
import { plannedHours, sumHours } from '../../web/src/time/hours.ts'
import { quoteText } from '../../web/src/ui/csv.ts'
import { rememberLast } from '../../web/src/ui/fuzzy.ts'
import { valuesOf } from '../support/assertions.ts'

describe('Errors', () => {
  const errorIn = async (body: string, init: ResponseInit) =>
    translateError(await errorOf(new Response(body, init)))

  test('are shown in the language of the user, whether the server or a proxy responds', async (context) => {
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

test('A resource or property without a label of its own is named by the nouns of the language', (context) => {
  const names = () => ['comment', 'organizationId', 'assignmentDependencies'].map((name) => nounOf(name))
  assert.deepEqual(names(), ['comment', 'organization', 'assignment dependencies'])
  assert.equal(capitalize(nounOf('costCenter')), 'Cost center')
  setLanguage('pt-BR', ptBrCatalogue)
  context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
  assert.deepEqual(names(), ['comentário', 'organização', 'dependências'])
})

test('All declared resources and properties have names in Portuguese', (context) => {
  const names = () =>
    resources.flatMap(({ name, fields }) => [
      nounOf(name),
      ...Object.keys(fields).map((property) => nounOf(property, name)),
    ])
  const english = names()
  setLanguage('pt-BR', ptBrCatalogue)
  context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
  const sameInBoth = new Set(['login', 'sha256'])
  const portuguese = names()
  assert.deepEqual(
    english.filter((name, index) => name === portuguese[index] && !sameInBoth.has(name)),
    [],
  )
})

test('The history hides the placeholders that the assignment declares', () =>
  assert.deepEqual(placeholders, assignment.placeholders))

test('A text is split at keys of assignments, not at parts of words, paths and ranges', () => {
  const keysIn = (text: string) => splitAtKeys(text).filter((_, index) => index % 2 === 1)
  assert.deepEqual(keysIn('WEB-12, (MBA2-7) and A1-3.'), ['WEB-12', 'MBA2-7', 'A1-3'])
  assert.deepEqual(keysIn('web-1 /a/WEB-1 XWEB-1x WEB-01 WEB-1-2 x.WEB-3 TOOLONGKEY-1 W-1'), [])
})

describe('A list that several parts of a screen need', () => {
  const setUp = () => {
    const requests: { path: string; signal: AbortSignal | undefined; answer: (text: string) => void }[] = []
    const shareRequest = createRequestSharing()
    const send = (path: string) => (signal: AbortSignal) =>
      new Promise<string>((answer, reject) => {
        requests.push({ path, signal, answer })
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const request = (path: string, signal?: AbortSignal) => shareRequest(path, send(path), signal)
    return { request, requests }
  }

  test('is requested once if they need it at the same time', async () => {
    const { request, requests } = setUp()
    const answers = [request('/a'), request('/b'), request('/a')]
    await Promise.resolve()
    answers.push(request('/a'))
    assert.deepEqual(valuesOf(requests, 'path'), ['/a', '/b', '/a'])
    for (const [index, { answer }] of requests.entries()) answer(String(index))
    assert.deepEqual(await Promise.all(answers), ['0', '1', '0', '2'])
  })

  test('is aborted only when no part needs it any longer', async () => {
    const { request, requests } = setUp()
    const first = new AbortController()
    const second = new AbortController()
    const answers = [request('/a', first.signal), request('/a', second.signal)]
    first.abort()
    await assert.rejects(answers[0] as Promise<string>, { name: 'AbortError' })
    assert.equal(requests[0]?.signal?.aborted, false)
    second.abort()
    await assert.rejects(answers[1] as Promise<string>, { name: 'AbortError' })
    assert.equal(requests[0]?.signal?.aborted, true)
    await assert.rejects(request('/a', first.signal), { name: 'AbortError' })
    assert.equal(requests.length, 1)
  })
})

describe('The path of a screen', () => {
  const cases = [
    { pattern: '/projects', path: '/projects/', parameters: {} },
    { pattern: '/projects/:id', path: '/projects/4711', parameters: { id: '4711' } },
    { pattern: '/projects/:id', path: '/projects/a%20b', parameters: { id: 'a b' } },
    { pattern: '/projects/:id', path: '/projects/%E0%A4%A', parameters: { id: '%E0%A4%A' } },
    { pattern: '/week/:day?', path: '/week', parameters: {} },
    { pattern: '/projects/:id', path: '/projects', parameters: undefined },
    { pattern: '/projects', path: '/projects/4711', parameters: undefined },
    { pattern: '/projects/:id/board', path: '/projects/1/list', parameters: undefined },
  ]
  for (const { pattern, path, parameters } of cases)
    test(`${pattern} ${parameters === undefined ? 'does not match' : 'matches'} ${path}`, () =>
      assert.deepEqual(matchPath(pattern, path), parameters))
})

describe('Names in a text', () => {
  test('are isolated from the text if one of them is written from right to left', () => {
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
  test('are counted across the ends of months, years and summer time', () => {
    assert.equal(addDays('2026-12-31', 1), '2027-01-01')
    assert.equal(addDays('2028-02-28', 1), '2028-02-29')
    assert.equal(addDays('2026-03-28', 2), '2026-03-30')
    assert.equal(addDays('nonsense', 1), 'nonsense')
  })

  test('keep the stored time of day if they did not change', () => {
    assert.equal(timestampOf('2026-11-16', '2026-11-16T09:30:00Z'), '2026-11-16T09:30:00Z')
    assert.equal(timestampOf('2026-11-17', '2026-11-16T09:30:00Z'), '2026-11-17')
    assert.equal(timestampOf('2026-11-17', undefined), '2026-11-17')
  })

  test('at the end of a period are never stored as a time before a start on the same day', () => {
    const start = '2026-11-16T09:30:00.000Z'
    assert.equal(endTimestampOf('2026-11-16', '2026-11-18T00:00:00.000Z', start), start)
    assert.equal(endTimestampOf('2026-11-16', '2026-11-16T17:00:00.000Z', start), '2026-11-16T17:00:00.000Z')
    assert.equal(endTimestampOf('2026-11-17', undefined, start), '2026-11-17')
    // An end on an earlier day is not corrected silently.
    assert.equal(endTimestampOf('2026-11-15', undefined, start), '2026-11-15')
  })

  test('are shown with the year if it is not the current one', () => {
    assert.match(formatDay('1999-05-04'), /^4 May 1999$/)
    assert.equal(formatDay('1999-09-04'), '4 Sep 1999')
  })
})

test('Ages are counted in days of the time zone of the user', () => {
  // A process of its own, because other threads of this one use the time zone, too.
  const script = `
    import { mock } from 'node:test'
    import { formatAge } from '${new URL('../../web/src/time/days.ts', import.meta.url)}'
    mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
    console.log(formatAge('2026-11-25T02:00:00Z'), 'and', formatAge('2026-11-25T04:00:00Z'))`
  const env = { ...process.env, TZ: 'America/Sao_Paulo' }
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env })
  assert.equal(String(output), 'for 1 day and since today\n')
})

describe('An exported table', () => {
  const format = { labelOf: columnLabel, isNumber: (column: string) => column === 'hours' }

  test('has the column headers of the page above the rows of the server, even above many rows', () => {
    const rows = csvLine(['1', '=cmd, "x"', 2.5]).repeat(100_000)
    const cpuBefore = process.threadCpuUsage()
    const localized = localizeCsv(`${csvHeader(['projectId', 'project', 'hours'])}${rows}`, {
      ...format,
      decimalSeparator: '.',
    })
    assert.equal(localized, `\uFEFF"Project (id)","Project","Hours"\r\n${rows}`)
    const cpuMilliseconds = process.threadCpuUsage(cpuBefore).user / 1000
    assert.ok(cpuMilliseconds < 5000, `${cpuMilliseconds} ms`)
  })

  test('opens correctly if a comma is the decimal mark', () => {
    const names = ['=1+1', 'a;=1+1', 'a,b', 'line\r\nline', '"', '1.5', '']
    const table = csvHeader(['project', 'hours']) + names.map((name) => csvLine([name, 1.25])).join('')
    const localized = localizeCsv(table, {
      labelOf: (name) => `${name}; "x"`,
      isNumber: format.isNumber,
      decimalSeparator: ',',
    })
    assert.equal(
      localized,
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

  test('has a readable header for every column that a page can request', () => {
    const measures = reports.find(({ name }) => name === 'hours')?.measures ?? []
    const columns = groupings.flatMap(({ name, isTime }) => (isTime ? [name] : [name, `${name}Id`]))
    const unnamed = [...columns, ...measures.map(({ name }) => name)].filter(
      (name) => columnLabel(name) === name,
    )
    assert.deepEqual(unnamed, [])
    assert.equal(columnLabel('somethingNew'), 'somethingNew')
    assert.equal(hoursCsvFormat().decimalSeparator, '.')
  })
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

  test('starts a request, shows the form, or shows the error of a request', () => {
    assert.deepEqual(stateOf(''), { kind: 'start', returnPath: undefined })
    assert.deepEqual(stateOf('again'), { kind: 'start', returnPath: '/signed-in/' })
    assert.equal(stateOf('authRequest=1').kind, 'form')
    assert.deepEqual(stateOf('errorId=7&authRequest=1'), { kind: 'problem', errorId: '7' })
    assert.deepEqual(stateOf('error=invalid'), { kind: 'problem', errorId: null })
  })
})

const planned = (startDate: string, endDate: string, amountHours: number) => ({
  startDate,
  endDate,
  amountHours,
})

describe('Planned hours', () => {
  test('are spread over the working days of the period', () => {
    const work = planned('2026-11-19T15:00:00Z', '2026-11-25T08:00:00Z', 10)
    assert.equal(plannedHours(work, '2026-11-16', '2026-11-23'), 4)
    assert.equal(plannedHours(work, '2026-11-23', '2026-11-30'), 6)
    assert.equal(plannedHours(work, '2026-11-21', '2026-11-23'), 0)
  })

  test('are zero outside of the period', () => {
    const work = planned('2026-11-19', '2026-11-25', 10)
    assert.equal(plannedHours(work, '2026-11-26', '2026-12-30'), 0)
    assert.equal(plannedHours(work, '2026-10-01', '2026-11-19'), 0)
  })

  test('are spread over all days of a period within a weekend', () => {
    assert.equal(plannedHours(planned('2026-11-21', '2026-11-22', 6), '2026-11-22', '2026-11-23'), 3)
  })

  test('are zero in a period that ends before it starts', () => {
    const work = planned('2026-11-25', '2026-11-23', 8)
    assert.equal(plannedHours(work, '2026-11-01', '2026-12-01'), 0)
  })

  test('are computed without delay for a period of centuries', () => {
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

  test('are named by any of their days in a URL, and the current week by any other value', () => {
    assert.equal(parseWeek('2026-11-18'), '2026-11-16')
    for (const text of [null, '', 'x', '2026-13-01', '2026-11-18T00:00'])
      assert.equal(parseWeek(text), mondayOf(today()))
  })
})

test('Sums of hours have no rounding errors', () => {
  assert.equal(sumHours(Array.from({ length: 10 }, () => ({ amountHours: 0.1 }))), 1)
})

test('The client quotes texts in CSV files like the server', () => {
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

test('A browser is shown with its usual name', () => {
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

describe('A past timestamp', () => {
  const now = 1e12
  for (const { seconds, text } of [
    { seconds: -5, text: 'just now' },
    { seconds: 59, text: 'just now' },
    { seconds: 60, text: '1 min ago' },
    { seconds: 3599, text: '59 min ago' },
    { seconds: 3600, text: '1 hr ago' },
    { seconds: 86_399, text: '23 hr ago' },
    { seconds: 86_400, text: 'yesterday' },
    { seconds: 29 * 86_400, text: '29 days ago' },
    { seconds: 40 * 86_400, text: 'last mo' },
    { seconds: 400 * 86_400, text: 'last yr' },
  ])
    test(`is shown as “${text}” after ${seconds} seconds`, () =>
      assert.equal(formatAgo(new Date(now - seconds * 1000).toISOString(), now), text))
})

describe('A notification about an end', () => {
  for (const { kind, days, text } of [
    { kind: 'dueTomorrow', days: 1, text: /^Ends tomorrow$/ },
    { kind: 'dueTomorrow', days: 0, text: /^Ends \d/ },
    { kind: 'dueTomorrow', days: 9, text: /^Ends \d/ },
    { kind: 'dueTomorrow', days: -1, text: /^Ended \d/ },
    { kind: 'overdue', days: -1, text: /^Ended \d/ },
    { kind: 'overdue', days: 3, text: /^Overdue$/ },
  ] as const)
    test(`says ${text.source} for “${kind}” if ${days} days are left`, () =>
      assert.match(endTextOf(kind, addDays(today(), days)), text))
})

test('A remembered function computes nothing again for the same arguments as last time', () => {
  const computed: string[] = []
  const lengthOf = rememberLast((text: string, more: string) => computed.push(text + more))
  for (const more of ['b', 'b', 'c', 'b']) lengthOf('a', more)
  assert.deepEqual(computed, ['ab', 'ac', 'ab'])
  assert.equal(lengthOf('a', 'b'), 3)
})

describe('an assignment with several impediments', () => {
  test('is blocked since the oldest of them, in whatever order they are listed', () => {
    const links = ['2026-03-02', '2026-03-01', '2026-03-03'].map((day) => ({
      assignmentId: 'a',
      createdAt: `${day}T08:00:00.000Z`,
    }))
    for (const order of [links, links.toReversed()])
      assert.equal(impedimentStarts(order).get('a'), '2026-03-01T08:00:00.000Z')
  })
})
