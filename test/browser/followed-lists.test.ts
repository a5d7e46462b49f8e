import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type PageWindow, windowAfter, windowAround } from '../../web/src/api/live.ts'
import { rowsMax } from '../../web/src/api/load-all.ts'

describe('A followed list', () => {
  /** Returns a page of a list in which only the first `unchangedCount` rows were never changed. */
  const pageOf = (unchangedCount: number, totalCount: number, { pageNumber, pageSize }: PageWindow) => {
    const first = (pageNumber - 1) * pageSize
    const length = Math.max(0, Math.min(pageSize, totalCount - first))
    const data = Array.from({ length }, (_, index) => ({
      id: String(first + index),
      updatedAt: first + index < unchangedCount ? null : '2026-01-01T00:00:00.000Z',
    }))
    return { data, pageNumber, pageSize, totalCount, totalPages: Math.ceil(totalCount / pageSize) }
  }

  test('has a page that will contain the next change', () => {
    for (let unchanged = 0; unchanged <= 10_000; unchanged += 1) {
      for (const totalCount of [unchanged, unchanged + 1, unchanged + 500]) {
        // One page contains the whole list.
        if (totalCount <= rowsMax) continue
        const page = pageOf(unchanged, totalCount, windowAround(unchanged))
        assert.equal(windowAfter(page), undefined, `${unchanged} of ${totalCount}`)
        // The change moves a row to the boundary, so the page must contain it.
        const changed = pageOf(Math.max(0, unchanged - 1), totalCount, page)
        assert.ok(
          changed.data.some(({ updatedAt }) => updatedAt),
          `${unchanged} of ${totalCount}`,
        )
      }
    }
  })

  test('requests another page if the boundary of changed rows is not on the current one', () => {
    assert.equal(windowAfter(pageOf(300, 1000, { pageNumber: 1, pageSize: 100 })), 'elsewhere')
    assert.equal(windowAfter(pageOf(300, 1000, { pageNumber: 9, pageSize: 100 })), 'elsewhere')
    assert.equal(windowAfter(pageOf(300, 300, { pageNumber: 9, pageSize: 100 })), 'elsewhere')
  })

  test('requests the page around the boundary if that has reached the edge of the current one', () => {
    const next = windowAfter(pageOf(305, 1000, { pageNumber: 4, pageSize: 100 }))
    assert.deepEqual(next, windowAround(305))
  })
})
