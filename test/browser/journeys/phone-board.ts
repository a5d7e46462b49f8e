import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

export function phoneBoardJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('on a phone, a filtered board begins within 300 pixels, and shows the first column with matches', async () => {
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
    assert.ok(top <= 300, `the first card begins at ${top}`)
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.project-filters :is(button, input)')].filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().height))`,
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
    test(`the outline of a list has its head and the height of its rows, that of a panel its title, on ${size}`, async () => {
      const { signIn } = stage()
      const { path, make } = await makeProject(`Outlined on ${size}`)
      const id = await make('Loads slowly', 0, 1)
      const page = await signIn('mara@example.com', `${path}?view=list`, options)
      const boxesOf = (selector: string) =>
        page.evaluate<[top: number, height: number][]>(
          `[...document.querySelectorAll('${selector}')].slice(0, 2).map((one) => one.getBoundingClientRect()).map(({ top, height }) => [Math.round(top), Math.round(height)])`,
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

  const hold = (page: Page) => page.route(/\/assignments\?/, () => undefined)
}
