import type { CDPSession, Page } from 'playwright-core'

/** A script that runs before all others of a page, and records how long the page takes to respond. */
export const recordMeasures = `
  globalThis.measured = { events: [], frames: [], firstRow: undefined }
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries()) if (interactionId) measured.events.push({ duration, name })
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
  new MutationObserver((_, observer) => {
    if (document.querySelector('.card, .list-row, .bar') === null) return
    observer.disconnect()
    // The second frame begins when the first frame, which contains the row, has been drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => { measured.firstRow = performance.now() }))
  }).observe(document, { childList: true, subtree: true })`

/** Slows the CPU down by this factor; 1 is full speed. */
export async function slowDown(page: Page, factor: number): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: factor })
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

/** Waits until the page is idle and everything is drawn. */
export const settle = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    requestIdleCallback(() => requestAnimationFrame(() => requestIdleCallback(resolve, { timeout: 5000 })), { timeout: 5000 })
  })`)

/**
 * Measures the time from an action until the next frame is drawn. The browser counts in steps of 8 ms, and
 * reports at least 16 ms.
 */
export async function millisecondsToPaint(page: Page, act: () => Promise<void>): Promise<number> {
  await settle(page)
  await page.evaluate('measured.events.length = 0')
  await act()
  await page.waitForTimeout(afterwardsMilliseconds)
  return page.evaluate<number>('Math.max(16, ...measured.events.map(({ duration }) => duration))')
}

/** Allows for entries to arrive, which come after the frame that they describe. */
const afterwardsMilliseconds = 500

/** Returns the duration of each frame during an action. */
export async function framesDuring(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await settle(page)
  await page.evaluate(`(() => {
    measured.frames = []
    let last = performance.now()
    const next = (now) => {
      measured.frames?.push(now - last)
      last = now
      if (measured.isOver) measured.isOver = false
      else requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })()`)
  await act()
  return page.evaluate<readonly number[]>('(measured.isOver = true, measured.frames.slice(1))')
}

/**
 * Returns the CPU milliseconds of the page's scripts, styles and layout so far, at the slowed-down speed.
 * Unlike the time until the next frame, this hardly depends on other work on the machine.
 */
export async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  const parts = metrics.filter(({ name }) => /^(Script|Layout|RecalcStyle)Duration$/.test(name))
  return parts.reduce((sum, { value }) => sum + value * 1000, 0)
}
