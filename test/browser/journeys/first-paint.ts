import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { recordShifts, shiftsOf, sumOf } from '../support/layout-shift.ts'
import type { Stage } from '../support/stage.ts'

export function firstPaintJourneys(stage: () => Stage): void {
  for (const [chosen, system] of [
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const)
    test(`a page in the ${chosen} theme never begins ${system}, whatever the system prefers and however late scripts and styles arrive`, async () => {
      const page = await stage().visit('/icon.svg', { colorScheme: system })
      await page.evaluate(`localStorage.setItem('tracker.theme', '${chosen}')`)
      const late = await holdBack(page, /\/assets\/.*\.(js|css)$/)
      await page.goto(`${stage().hosts.web}/projects`, { waitUntil: 'commit' })
      await late.asked
      // The color of the canvas before any style sheet is known.
      assert.equal(await page.locator('meta[name=color-scheme]').getAttribute('content'), chosen)
      late.release('.css')
      await page.waitForFunction(`getComputedStyle(document.body).marginTop === '0px'`)
      assert.equal((await lightnessOf(page)) < 0.5, chosen === 'dark')
      late.release('.js')
    })

  test('texts are in the font of the client, and nothing moves when it arrives late', async () => {
    const { hosts, signIn, workspace } = stage()
    await workspace.assignment('Drawn in another font first')
    const { login } = await workspace.join('Fiona Font')
    const page = await signIn(login, '/account')
    await page.addInitScript(recordShifts)
    const late = await holdBack(page, /\.woff2$/)
    // The font is loaded ahead, so the page counts as loaded only with it.
    await page.goto(`${hosts.web}/projects/${workspace.projectId}`, { waitUntil: 'commit' })
    await page.getByText('Drawn in another font first').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const before = sumOf(await shiftsOf(page))
    late.release('.woff2')
    await page.waitForFunction(`document.fonts.status === 'loaded' && document.fonts.check('500 14px Inter')`)
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    const shifts = await shiftsOf(page)
    assert.ok(sumOf(shifts) - before < shiftMax, JSON.stringify(shifts))
  })
}

/** As much as a browser calls good for a whole visit is 0.1. */
const shiftMax = 0.02

/** Requests for these files wait until the end of their name is released. */
async function holdBack(page: Page, files: RegExp) {
  const held: Route[] = []
  const asked = Promise.withResolvers<void>()
  let released: readonly string[] = []
  const isReleased = (route: Route) => released.some((end) => route.request().url().endsWith(end))
  await page.route(files, (route) => {
    asked.resolve()
    if (isReleased(route)) void route.continue()
    else held.push(route)
  })
  return {
    asked: asked.promise,
    release(end: string) {
      released = [...released, end]
      for (const route of held.splice(0)) {
        if (isReleased(route)) void route.continue()
        else held.push(route)
      }
    },
  }
}

/** The lightness of the background, from 0 to 1. */
const lightnessOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const context = document.createElement('canvas').getContext('2d')
    context.fillStyle = getComputedStyle(document.documentElement).backgroundColor
    context.fillRect(0, 0, 1, 1)
    return context.getImageData(0, 0, 1, 1).data[1] / 255
  })()`)
