import type { Page } from 'playwright-core'

export interface Shift {
  readonly value: number
  /** Milliseconds since the page was opened. */
  readonly at: number
  /** The beginnings of the markup of the elements that moved. */
  readonly elements: readonly string[]
}

/** A script that records layout shifts. It has to run before the scripts of the page. */
export const recordShifts = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries())
      if (!hadRecentInput)
        shifts.push({ value, at: Math.round(startTime), elements: sources.map(({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML.slice(0, 90)) })
  }).observe({ type: 'layout-shift', buffered: true })`

export const shiftsOf = (page: Page) => page.evaluate<readonly Shift[]>('shifts')

/** Returns how much moved, as browsers count it: 1 means that the whole page moved by its whole height. */
export const sumOf = (shifts: readonly Shift[]): number => shifts.reduce((sum, { value }) => sum + value, 0)
