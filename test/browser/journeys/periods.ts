import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bar, datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'
import { barFaultsOf } from './widths.ts'

export function periodJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('the timeline begins with this week, zooms by buttons and keys, and puts names next to bars that are too short for them', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Zoomed')
    const id = await make('Short', 1, 1)
    await make('Long enough', 0, 30)
    await workspace.make('assignmentImpediment', { assignmentId: id, impedimentId: workspace.impedimentId })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    const startOf = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0
    const endOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0)
    }
    await page.locator('.timeline-weeks > .current:first-child').waitFor()
    await bar(page, 'Short')
      .and(page.getByRole('link', { name: /Blocked since today/ }))
      .waitFor()
    await page.keyboard.press('-')
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'quarter')
    await page.getByRole('button', { name: 'Quarter', pressed: true }).waitFor()
    await page.locator(`#card-${id}.name-after`).waitFor()
    assert.ok((await startOf(`#card-${id} .bar-name`)) >= (await endOf(`#card-${id}`)) - 1)
    await assertAccessible(page, 'timeline of a quarter')
    await page.setViewportSize({ width: 390, height: 800 })
    await bar(page, 'Short').waitFor()
    assert.deepEqual(await barFaultsOf(page), [])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('Search assignments').pressSequentially('+-')
    await page.getByLabel('Search assignments').fill('')
    assert.equal(new URL(page.url()).searchParams.get('zoom'), 'quarter')
    await page.locator('.timeline').focus()
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'week')
    await page.locator(`#card-${id}:not(.name-after)`).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Week', pressed: true }).waitFor()
  })

  test('a month of the calendar fits its window, and hides what others do before what I do', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('By month, mine first')
    for (let number = 1; number <= 6; number += 1)
      await make(`Of Jonas ${number}`, 0, 6, { userId: workspace.jonas.id })
    await make('Of mine', 3, 4)
    const page = await signIn('mara@example.com', `${path}?view=calendar`, {
      viewport: { width: 1280, height: 900 },
    })
    await bar(page, 'Of mine').waitFor()
    await page.locator('.calendar-more').first().waitFor()
    assert.ok((await bar(page, 'Of Jonas \\d').count()) < 6)
    const overflow = await page.locator('.calendar').evaluate((one) => one.scrollHeight - one.clientHeight)
    assert.equal(overflow, 0)
  })
}
