import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorOf, TrackerError } from '#tracker-client'
import { askTogether } from '../../web/src/api/api.ts'
import { inUsersWords } from '../../web/src/api/problems.ts'
import { matchPath } from '../../web/src/router/router.ts'
import { ptBrSpeech } from '../../web/src/texts/pt-br.ts'
import { inOneLine, isolated, speak, t } from '../../web/src/texts/text.ts'
import { addDays, endMomentOf, momentOf, showDay } from '../../web/src/time/days.ts'

describe('Errors', () => {
  const errorIn = async (body: string, init: ResponseInit) =>
    inUsersWords(await errorOf(new Response(body, init)))

  test('are shown in the language of the user, whoever answers', async (context) => {
    speak('pt-BR', ptBrSpeech)
    context.after(() => speak('en-GB', { texts: {} as never, refusals: {}, things: {} }))
    const refused = { message: 'Busy.', errors: { name: ['Name is required.'] } }
    const headers = { 'retry-after': '7' }
    const { status, errors, retryAfterSeconds } = await errorIn(JSON.stringify(refused), {
      status: 429,
      headers,
    })
    assert.deepEqual([status, retryAfterSeconds], [429, 7])
    assert.deepEqual(errors, { name: ['Name: preenchimento obrigatório.'] })
    assert.equal(
      (await errorIn('<h1>Bad gateway</h1>', { status: 502 })).message,
      'O servidor respondeu 502.',
    )
    assert.match(inUsersWords(new TrackerError(0, 'The server did not answer.')).message, /^Não foi possível/)
  })
})

describe('Lists that several parts of a screen ask for', () => {
  const setUp = () => {
    const asked: { path: string; signal: AbortSignal | undefined; answer: (text: string) => void }[] = []
    const together = askTogether()
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
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/a', '/b', '/a'],
    )
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
    assert.equal(isolated('Mara', 'נוצר'), '\u2068Mara\u2069')
    // A name does not reorder the rest of a sentence.
    assert.equal(isolated('\u202Eevil'), '\u2068\u202Eevil\u2069')
    assert.equal(inOneLine('ليلى', undefined, false, '', 'Pier'), '\u2068ليلى\u2069 · Pier')
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
    assert.equal(momentOf('2026-11-16', '2026-11-16T09:30:00Z'), '2026-11-16T09:30:00Z')
    assert.equal(momentOf('2026-11-17', '2026-11-16T09:30:00Z'), '2026-11-17')
    assert.equal(momentOf('2026-11-17', undefined), '2026-11-17')
  })

  test('on which something ends are not before the time at which it starts', () => {
    const start = '2026-11-16T09:30:00.000Z'
    assert.equal(endMomentOf('2026-11-16', '2026-11-18T00:00:00.000Z', start), start)
    assert.equal(endMomentOf('2026-11-16', '2026-11-16T17:00:00.000Z', start), '2026-11-16T17:00:00.000Z')
    assert.equal(endMomentOf('2026-11-17', undefined, start), '2026-11-17')
    // What is wrong by days is not made right unseen.
    assert.equal(endMomentOf('2026-11-15', undefined, start), '2026-11-15')
  })

  test('of another year are shown with it', () => {
    assert.match(showDay('1999-05-04'), /^4 May 1999$/)
  })
})
