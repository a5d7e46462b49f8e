import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { daysBetween, today } from '../../../web/src/time/days.ts'
import { datedProjects, monday } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

const never = { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN }

export function phoneBoardJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('on a phone, a filtered board begins within 300 pixels and a line of chips, and shows the first column with matches', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Filtered on a phone')
    await make('Waits at the start', 0, 1)
    const id = await make('Almost finished', 0, 1, {
      userId: workspace.jonas.id,
      workflowId: workspace.stages.Done,
    })
    const page = await signIn('mara@example.com', `${path}?userId=${workspace.jonas.id}`, phone)
    const card = page.locator(`[data-row="${id}"]`)
    await card.waitFor()
    const leftOf = async () => (await card.boundingBox())?.x ?? Number.NaN
    for (let turn = 0; turn < 50 && (await leftOf()) > 60; turn += 1) await page.waitForTimeout(100)
    assert.ok((await leftOf()) < 60, `the card begins at ${await leftOf()}`)
    const top = (await card.boundingBox())?.y ?? Number.NaN
    assert.ok(top <= 352, `the first card begins at ${top}`)
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.project-filters :is(button, input)')].filter((element) => element.checkVisibility()).map((element) => Math.round(element.getBoundingClientRect().height))`,
    )
    assert.deepEqual(
      heights.filter((height) => height < 44),
      [],
    )
    await assertAccessible(page, 'a filtered board on a phone')
    await page.getByRole('button', { name: 'Remove the filter Person' }).click()
    await page.getByRole('link', { name: 'Waits at the start' }).waitFor()
  })

  for (const [size, options] of Object.entries({ 'a desktop': {}, 'a phone': phone }))
    test(`the outline of a list has its header and the height of its rows, and that of a panel its title, on ${size}`, async () => {
      const { signIn } = stage()
      const { path, make } = await makeProject(`Outlined on ${size}`)
      const id = await make('Loads slowly', 0, 1)
      const page = await signIn('mara@example.com', `${path}?view=list`, options)
      const boxesOf = (selector: string) =>
        page.evaluate<[top: number, height: number][]>(
          `[...document.querySelectorAll('${selector}')].slice(0, 2).map((element) => element.getBoundingClientRect()).map(({ top, height }) => [Math.round(top), Math.round(height)])`,
        )
      await page.locator('.list-row').waitFor()
      const real = await boxesOf('.list-line')
      await hold(page)
      await page.reload()
      // The outline is drawn again with the name of the project.
      await page.locator('.filter-button').waitFor()
      await page.locator('.shape-check').first().waitFor()
      const outlined = await boxesOf('.skeleton-row')
      assert.deepEqual(
        outlined.map(([, height]) => height),
        real.map(([, height]) => height),
      )
      const [first, outlinedFirst] = [real[0]?.[0] ?? 0, outlined[0]?.[0] ?? 0]
      assert.ok(Math.abs(first - outlinedFirst) < 30, `${outlinedFirst} and ${first}`)
      await page.goto(`${new URL(page.url()).origin}${path}/assignments/${id}`)
      await page.locator('.panel .panel-name-bar').waitFor()
      assert.equal(await page.locator('.panel .shape-value').count(), 10)
    })

  test('on a phone, days and menus open as sheets at the bottom, over the whole width', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('Sheets')
    const id = await make('Opens sheets', 0, 1)
    const page = await signIn('mara@example.com', `${path}/assignments/${id}`, phone)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const assertSheet = async (selector: string) => {
      const { x, y, width, height } = (await page.locator(selector).boundingBox()) ?? never
      assert.deepEqual([x, width, Math.round(y + height)], [0, 390, 844], selector)
    }
    await page.getByRole('button', { name: 'Choose: End' }).tap()
    await assertSheet('.day-layer:popover-open')
    await page.keyboard.press('Escape')
    await page.locator('.day-layer:popover-open').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close' }).tap()
    for (const name of ['Order of the cards', 'More pages of the project', 'Account of Mara Lindqvist']) {
      await page.getByRole('button', { name }).tap()
      await assertSheet('.menu:popover-open')
      await assertAccessible(page, `${name}, on a phone`)
      await page.keyboard.press('Escape')
    }
  })

  test('on a phone, a list can be grouped in the filters, and the button that clears them is never cut off', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Grouped on a phone')
    await make('Waits at the start', 0, 1)
    const query = `view=list&stages=${workspace.stages.Backlog}&userId=${workspace.mara.id}`
    const page = await signIn('mara@example.com', `${path}?${query}`, phone)
    await page.getByRole('button', { name: 'Filter (2)' }).tap()
    await page.getByRole('option', { name: 'Group by' }).tap()
    await page.getByRole('option', { name: 'Stage' }).tap()
    await page.keyboard.press('Escape')
    await page.locator('.list-group').getByText('Backlog').waitFor()
    const heightOf = async (selector: string) =>
      ((await page.locator(selector).first().boundingBox()) ?? never).height
    // Heads are low, but their targets are not, and rows leave out the stage that the head has.
    assert.deepEqual([await heightOf('.list-head'), await heightOf('.list-group')], [40, 40])
    for (const target of ['.group-fold', '.list-group .button', '.list-sort'])
      assert.ok((await heightOf(target)) >= 44, target)
    assert.ok((await heightOf('.list-row')) <= 56)
    assert.equal(await page.locator('.list-row').getByText('Backlog').count(), 0)
    await assertAccessible(page, 'a grouped list on a phone')
    await page.getByRole('button', { name: 'Sorted by End' }).tap()
    await page.getByRole('menuitem', { name: 'Priority' }).tap()
    await page.getByRole('button', { name: 'Sorted by Priority' }).waitFor()
    const { x, width } = (await page.getByRole('button', { name: 'Clear filters' }).boundingBox()) ?? never
    assert.ok(x + width <= 390, `the button ends at ${x + width}`)
    assert.ok(((await page.getByRole('searchbox').boundingBox()) ?? never).width > 100)
    // The whole row is a link.
    await page.locator('.list-row').tap({ position: { x: 250, y: 45 } })
    await page.getByRole('complementary', { name: 'Waits at the start' }).waitFor()
  })

  test('the agenda of a phone begins at today, with earlier days above, and headings that stay in view', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('Agenda')
    const month = today().slice(0, 7)
    const sinceMonday = daysBetween(monday, today())
    for (let day = 1; day < Number(today().slice(8)); day += 1)
      await make(`Before ${day}`, sinceMonday - day, sinceMonday - day)
    await make('Due today', sinceMonday, sinceMonday)
    for (let day = 1; day < 9; day += 1) await make(`After ${day}`, sinceMonday, sinceMonday + day)
    const page = await signIn('mara@example.com', `${path}?view=calendar&month=${month}`, phone)
    const top = async (selector: string) => ((await page.locator(selector).boundingBox()) ?? never).y
    await page.getByRole('link', { name: 'Due today' }).waitFor()
    const distance = async () => (await top('.agenda h2.today')) - (await top('.agenda'))
    assert.ok((await distance()) >= 0 && (await distance()) < 60, `${await distance()} pixels`)
    await page.locator('.agenda h2.today').getByText('Today', { exact: true }).waitFor()
    // While rows of the day scroll, its heading does not.
    await page.locator('.agenda').evaluate((agenda) => agenda.scrollBy(0, 20))
    assert.equal(Math.round(await distance()), 1)
    await page.getByRole('link', { name: 'After 1' }).waitFor()
    const steps = (await page.getByRole('button', { name: 'Next month' }).boundingBox()) ?? never
    assert.equal(await top('.subscribe'), steps.y)
    await page.getByRole('button', { name: 'Subscribe' }).tap()
    await page.getByRole('dialog').waitFor()
  })

  for (const width of [320, 390, 768])
    test(`on a touch screen of ${width} pixels, cards show the whole key and the due day, however many values they have`, async () => {
      const { signIn } = stage()
      const { path, make } = await makeProject(`Keys at ${width}`)
      await make('Has every fact', 0, 0, { priority: 4, amountHours: 40 })
      const page = await signIn('mara@example.com', path, { ...phone, viewport: { width, height: 844 } })
      const facts = page.locator('.card-facts')
      const { x, y, width: room, height } = (await facts.boundingBox()) ?? never
      for (const fact of ['.card-key', '.due']) {
        const box = (await facts.locator(fact).boundingBox()) ?? never
        assert.ok(box.x >= x && box.x + box.width <= x + room && box.y < y + height / 2, fact)
      }
    })

  const hold = (page: Page) => page.route(/\/assignments\?/, () => undefined)
}
