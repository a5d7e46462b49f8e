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
    // The line of today is below its date, in the first week.
    const marked = await page.locator('.timeline-date.today b').boundingBox()
    const line = await page.locator('.timeline-day.today').boundingBox()
    assert.ok(marked && line && Math.abs(marked.x + marked.width / 2 - line.x - line.width / 2) < 1)
    const index = await page
      .locator('.timeline-day.today')
      .evaluate((day) => [...(day.parentElement?.children ?? [])].indexOf(day))
    assert.ok(index >= 0 && index < 7)
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

  test('the timeline explains its colours and signs, draws its days behind the lanes, and marks what is overdue', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Explained')
    const id = await make('Late one', -7, -3)
    await make('In progress', 0, 1, { workflowId: workspace.stages.Doing })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    await bar(page, 'In progress').waitFor()
    const height = (await bar(page, 'In progress').boundingBox())?.height ?? 0
    assert.ok(Math.abs(height - 28) < 1, String(height))
    await page.getByRole('button', { name: 'Legend' }).click()
    const legend = page.getByRole('dialog', { name: 'Legend' })
    for (const text of ['Doing', 'Overdue', 'Waits for another assignment', 'Up to 8 h a day'])
      await legend.getByText(text).waitFor()
    assert.equal(await legend.getByText('Done', { exact: true }).count(), 0)
    await assertAccessible(page, 'legend of the timeline')
    await page.keyboard.press('Escape')
    await legend.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Legend' }).and(page.locator(':focus')).waitFor()
    // What is below a bar is that bar, then its lane: the days are behind both.
    const stack = await bar(page, 'In progress').evaluate((one) => {
      const { x, y } = one.getBoundingClientRect()
      return document.elementsFromPoint(x + 20, y + 8).map(({ classList }) => classList[0] ?? '')
    })
    assert.ok(stack.indexOf('bar') < stack.indexOf('person-lane'), stack.join())
    assert.ok(!stack.slice(0, stack.indexOf('person-lane')).includes('timeline-day'), stack.join())
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.getByRole('link', { name: /^Late one [\s\S]*Overdue/ }).waitFor()
    await page.locator(`#card-${id}.late`).waitFor()
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
    const heights = await page
      .locator('.calendar-week')
      .evaluateAll((weeks) => weeks.map((week) => Math.round(week.getBoundingClientRect().height)))
    assert.ok(Math.max(...heights) - Math.min(...heights) <= 1, heights.join())
    // Each bar shows its type.
    assert.equal(
      await page.locator('.calendar .bar .type-shape').count(),
      await page.locator('.calendar .bar').count(),
    )
    // All assignments of a day are a step away, and the calendar stays where it is.
    await page.locator('.calendar-more').first().click()
    const layer = page.getByRole('dialog')
    await layer.getByRole('link', { name: 'Of Jonas 6' }).waitFor()
    await assertAccessible(page, 'the rest of a day')
    await page.keyboard.press('Escape')
    await layer.waitFor({ state: 'detached' })
    await page.locator('.calendar-more:focus').waitFor()
    await page.locator('.calendar-more').first().click()
    await layer.getByRole('link', { name: 'Of Jonas 6' }).click()
    await page.getByRole('complementary', { name: 'Of Jonas 6' }).waitFor()
  })

  test('other calendars subscribe to a project from its calendar', async () => {
    const { signIn } = stage()
    const { path, projectId, make } = await makeProject('Subscribed')
    await make('Seen elsewhere', 0, 1)
    const page = await signIn('mara@example.com', `${path}?view=calendar`)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('button', { name: 'Create address' }).click()
    const address = page.getByRole('dialog', { name: 'Your calendar address' }).getByLabel('Address')
    const calendar = new URL(await address.inputValue())
    assert.equal(calendar.searchParams.get('projectId'), projectId)
    const answer = await fetch(calendar)
    assert.match(await answer.text(), /SUMMARY:Seen elsewhere/)
  })
}
