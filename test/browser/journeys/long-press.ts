import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const tablet = { viewport: { width: 1024, height: 800 }, hasTouch: true, isMobile: true }

interface Finger {
  /** Puts the finger a little below the top of an element, in the middle of its width. */
  putOn(selector: string): Promise<void>
  /** Touches the same place so shortly that no machine is too slow for it. */
  tap(selector: string): Promise<void>
  moveBy(x: number, y: number): Promise<void>
  lift(): Promise<void>
}

/** Returns a finger that can rest on the page. Playwright itself can only tap. */
async function fingerOn(page: Page): Promise<Finger> {
  const session = await page.context().newCDPSession(page)
  let x = 0
  let y = 0
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd') =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
  const placeAt = async (selector: string) => {
    const box = (await page.locator(selector).first().boundingBox()) ?? { x: 0, y: 0, width: 0 }
    x = box.x + box.width / 2
    y = box.y + 12
  }
  return {
    async putOn(selector) {
      await placeAt(selector)
      await send('touchStart')
    },
    async tap(selector) {
      await placeAt(selector)
      await Promise.all([send('touchStart'), send('touchEnd')])
    },
    async moveBy(right, down) {
      const steps = 10
      for (let step = 0; step < steps; step += 1) {
        x += right / steps
        y += down / steps
        await send('touchMove')
      }
    },
    lift: async () => void (await send('touchEnd')),
  }
}

/** Rests longer than a press takes, by the clock of the page, which may be late on a busy machine. */
const rest = (page: Page) => page.evaluate('new Promise((resolve) => setTimeout(resolve, 700))')

/** Waits until the board has scrolled to a card that was moved, because scrolling would end a press. */
async function untilStill(page: Page, selector: string): Promise<void> {
  const place = async () => JSON.stringify(await page.locator(selector).boundingBox())
  await until(async () => {
    const before = await place()
    await page.waitForTimeout(500)
    return before === (await place())
  }, 'the card to rest')
}

export function longPressJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)
  const selectionOf = (page: Page) => page.evaluate<string>('String(getSelection())')

  for (const { device, options } of [
    { device: 'a phone', options: phone },
    { device: 'a tablet', options: tablet },
  ])
    test(`opens as a sheet at the bottom of ${device} after a long press`, async () => {
      const { signIn, workspace } = setup()
      const { path, make } = await makeProject(`Held on ${device}`)
      const id = await make('Held card', 0, 1)
      const page = await signIn('mara@example.com', path, options)
      const finger = await fingerOn(page)
      await finger.putOn(`#card-${id}`)
      const sheet = page.getByRole('dialog', { name: 'Actions' })
      await sheet.getByRole('option', { name: 'Copy link' }).waitFor()
      await finger.lift()
      const userSelect = await page
        .locator(`#card-${id}`)
        .evaluate((card) => getComputedStyle(card).userSelect)
      assert.equal(await selectionOf(page), '')
      assert.equal(userSelect, 'none')
      assert.equal(new URL(page.url()).pathname, path)
      const { y, height } = (await page.locator('dialog').boundingBox()) ?? { y: 0, height: 0 }
      assert.equal(Math.round(y + height), options.viewport.height)
      // A focused field would open the on-screen keyboard over the list.
      assert.equal(await page.locator('dialog input:focus').count(), 0)
      await assertAccessible(page, `the menu of a card on ${device}`)
      await sheet.getByRole('option', { name: 'Stage' }).tap()
      await page.getByRole('dialog', { name: 'Stage' }).getByRole('option', { name: 'Doing' }).tap()
      await page.getByText('Held card is now in Doing.').waitFor()
      assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
      await untilStill(page, `#card-${id}`)
      await finger.putOn(`#card-${id}`)
      await sheet.waitFor()
      await finger.lift()
      await page.touchscreen.tap(200, 100)
      await sheet.waitFor({ state: 'detached' })
    })

  test('stays closed after short taps, which open an assignment or the choice of a stage', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Tapped briefly')
    const id = await make('Tapped card', 0, 1)
    const page = await signIn('mara@example.com', path, phone)
    /** Fails as soon as the sheet is shown. It would be shown after half a second. */
    const assertNoSheet = () =>
      assert.rejects(page.getByRole('dialog', { name: 'Actions' }).waitFor({ timeout: 900 }), /Timeout/)
    await page.getByRole('button', { name: 'Move Tapped card to…' }).tap()
    await assertNoSheet()
    await page.getByRole('menuitem', { name: 'Doing' }).tap()
    await page.getByText('Tapped card is now in Doing.').waitFor()
    await untilStill(page, `#card-${id}`)
    await page.locator(`#card-${id}`).tap()
    await page.locator('.panel').waitFor()
    await assertNoSheet()
  })

  test('stays closed when a finger scrolls or is lifted early', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Scrolled by fingers')
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => make(`Card ${index + 10}`, 0, 1)))
    const page = await signIn('mara@example.com', path, phone)
    const finger = await fingerOn(page)
    // The clock of the page stands still, so that a busy machine does not make a short touch a long one.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1000)
    await finger.putOn(`#card-${ids[3]}`)
    await finger.moveBy(0, -200)
    await until(
      () =>
        page
          .locator('.column-cards')
          .first()
          .evaluate((list) => list.scrollTop > 50 || scrollY > 50),
      'the scrolled cards',
    )
    await page.clock.runFor(700)
    // Lifted while it moves, the finger would throw the list, and the next touch would only stop that.
    await page.waitForTimeout(300)
    await finger.lift()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await finger.tap('.card-link:nth-child(1) >> nth=7')
    await page.clock.runFor(700)
    await page.clock.resume()
    await page.locator('.panel').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('opens after a long press on a row of the list or on a bar, unless the finger moves the bar', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Rows and bars')
    const id = await make('Held row', 0, 3, { userId: workspace.mara.id })
    const page = await signIn('mara@example.com', `${path}?view=list`, tablet)
    const finger = await fingerOn(page)
    const sheet = page.getByRole('dialog', { name: 'Actions' })
    const assertMenuOf = async (selector: string) => {
      await page.locator(selector).first().waitFor()
      await finger.putOn(selector)
      await rest(page)
      await finger.lift()
      await sheet.getByRole('option', { name: 'Copy link' }).waitFor()
      await sheet.getByRole('button', { name: 'Close' }).tap()
      await sheet.waitFor({ state: 'detached' })
    }
    await assertMenuOf(`.list-row[data-row="${id}"]`)
    await page.getByRole('link', { name: 'Calendar', exact: true }).tap()
    await assertMenuOf(`.calendar #card-${id}`)
    await page.getByRole('link', { name: 'Timeline', exact: true }).tap()
    await assertMenuOf(`.timeline-track #card-${id}`)
    const before = (await workspace.get('assignment', id)).startDate
    await finger.putOn(`.timeline-track #card-${id}`)
    await rest(page)
    await finger.moveBy(100, 0)
    await finger.lift()
    await until(async () => (await workspace.get('assignment', id)).startDate !== before, 'the moved bar')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })
}
