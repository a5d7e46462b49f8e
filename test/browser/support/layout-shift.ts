import type { Page } from 'playwright-core'

export interface Shift {
  readonly value: number
  /** Milliseconds since the page was opened. */
  readonly at: number
  /** What moved. */
  readonly of: readonly string[]
}

/** Runs before anything else of a page: records layout shifts. */
export const recordShifts = `
  globalThis.noted = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries())
      if (!hadRecentInput)
        noted.push({ value, at: Math.round(startTime), of: sources.map(({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML.slice(0, 90)) })
  }).observe({ type: 'layout-shift', buffered: true })`

export const shiftsOf = (page: Page) => page.evaluate<readonly Shift[]>('noted')

/** How much of the page moved, as browsers count it: 1 is the whole page over its whole height. */
export const sumOf = (shifts: readonly Shift[]): number => shifts.reduce((sum, { value }) => sum + value, 0)
