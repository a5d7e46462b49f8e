import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readEvents } from '../../web/src/api/read-events.ts'
import { matchPath } from '../../web/src/router/match-path.ts'
import { addDays, momentOf, showDay } from '../../web/src/time/days.ts'

async function eventsOf(chunks: readonly string[]) {
  const bytes = chunks.map((chunk) => Uint8Array.from(Buffer.from(chunk, 'latin1')))
  const events: unknown[] = []
  let heard = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of bytes) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const event of readEvents(body, () => {
    heard += 1
  }))
    events.push(event)
  return { events, heard }
}

const latin = (text: string) => Buffer.from(text).toString('latin1')

describe('Events of a stream', () => {
  test('are read however the network cuts them, characters included', async () => {
    const text = latin('event: listing\nid: 7\ndata: {"name":"Übung"}\n\n')
    for (let cut = 1; cut < text.length; cut += 1) {
      const { events } = await eventsOf([text.slice(0, cut), text.slice(cut)])
      assert.deepEqual(events, [{ id: '7', data: '{"name":"Übung"}' }], `cut at ${cut}`)
    }
  })

  test('may end their lines like Windows, and have several lines of data', async () => {
    const { events } = await eventsOf(['id: 1\r\ndata: a\r', '\ndata: b\r\n\r\nid: 2\r\ndata: c\r\n\r\n'])
    assert.deepEqual(events, [
      { id: '1', data: 'a\nb' },
      { id: '2', data: 'c' },
    ])
  })

  test('are not made of heartbeats, which are heard all the same', async () => {
    const { events, heard } = await eventsOf([': still here\n\n', ': still here\n\n'])
    assert.deepEqual(events, [])
    assert.equal(heard, 2)
  })

  test('that were cut off are dropped', async () => {
    const { events } = await eventsOf(['id: 1\ndata: a\n\nid: 2\ndata: b'])
    assert.deepEqual(events, [{ id: '1', data: 'a' }])
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

  test('of another year are shown with it', () => {
    assert.match(showDay('1999-05-04'), /^4 May 1999$/)
  })
})
