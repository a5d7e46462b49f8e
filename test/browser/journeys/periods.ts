import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { addDays, daysBetween, today } from '../../../web/src/time/days.ts'
import { valuesOf } from '../../support/assertions.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { bar, datedProjects, monday } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'
import { layoutFaultsOf } from './widths.ts'

/** Measures the space between a bar and what is next to it: its name, or the icon before the name. */
const nameGapOf = (page: Page, id: string): Promise<number> =>
  page.locator(`#card-${id}`).evaluate((element) => {
    const content = document.createRange()
    const name = element.querySelector('.bar-name') ?? element
    content.selectNodeContents(name)
    content.setEndBefore(name.querySelector('.visually-hidden') ?? element)
    const [ofBar, ofName] = [element.getBoundingClientRect(), content.getBoundingClientRect()]
    return Math.round(Math.max(ofName.left - ofBar.right, ofBar.left - ofName.right))
  })

/**
 * Asserts that a phone shows this week and the next, so that what comes is in view on any day, with the letters of
 * weekdays, also after a step and the way back.
 */
async function assertTwoWeeks(page: Page): Promise<void> {
  const index = daysBetween(monday, today())
  const todayMark = page.locator(`.timeline-day:nth-child(${index + 1}):nth-last-child(${14 - index}).today`)
  await todayMark.waitFor()
  assert.equal((await page.locator('.timeline-date > small').allTextContents()).join(''), 'MTWTFSSMTWTFSS')
  // The pill of today is within its column, which may be the last one.
  const column = await page.locator('.timeline-date.today').boundingBox()
  const pill = await page.locator('.timeline-date.today > b').boundingBox()
  assert.ok(column && pill && pill.x >= column.x && pill.x + pill.width <= column.x + column.width)
  await page.getByRole('button', { name: 'Later' }).click()
  await page.waitForURL((url) => url.searchParams.get('from') === addDays(monday, 7))
  await todayMark.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Today' }).click()
  await todayMark.waitFor()
}

export function periodJourneys(setup: () => BrowserSetup): void {
  const { makeProject, dayOf } = datedProjects(setup)

  test('the timeline begins with this week and can be zoomed', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Zoomed')
    const id = await make('Short', 1, 1)
    const longId = await make('Long enough '.repeat(16), 0, 30)
    const nearEndId = await make('It has too little room for its name after it', 31, 35)
    const lastId = await make('Named before it', 41, 41)
    const mostlyId = await make('Most of this name fits in it', 0, 5)
    const partlyId = await make('Hardly half of this name fits into the bar', 10, 14)
    const namedId = await make('Named in it', 7, 12)
    const twoDaysId = await make('Its name does not fit into two days', 3, 4)
    for (const assignmentId of [id, twoDaysId])
      await workspace.make('assignmentImpediment', { assignmentId, impedimentId: workspace.impedimentId })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    // The line that marks today is below the date, in the first week.
    const middleOf = async (part: string) => {
      const { x = Number.NaN, width = 0 } = (await page.locator(part).boundingBox()) ?? {}
      return x + width / 2
    }
    const todayOffset = async () =>
      (await middleOf('.timeline-date.today b')) - (await middleOf('.timeline-day.today'))
    assert.ok(Math.abs(await todayOffset()) < 1)
    const index = await page
      .locator('.timeline-day.today')
      .evaluate((day) => [...(day.parentElement?.children ?? [])].indexOf(day))
    assert.ok(index >= 0 && index < 7)
    await bar(page, 'Short')
      .and(page.getByRole('link', { name: /Blocked since today/ }))
      .waitFor()
    // A name is equally far from its bar on either side, and the icon is within the bar if it fits.
    for (const place of [`${id}.name-after`, `${twoDaysId}.name-after`, `${lastId}.name-before`])
      await page.locator(`#card-${place}`).waitFor()
    for (const barId of [id, twoDaysId, lastId]) assert.equal(await nameGapOf(page, barId), 6)
    // A name that fits nowhere is cut in its bar. Others that do not fit into it are next to it as a whole, on the side
    // with enough room.
    const isCut = (name: Locator) =>
      name.evaluate(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
    for (const [barId, place, shouldBeCut] of [
      [mostlyId, '.name-after', false],
      [longId, ':not(.name-after, .name-before)', true],
      [partlyId, '.name-after', false],
      [nearEndId, '.name-before', false],
    ] as const)
      assert.equal(await isCut(page.locator(`#card-${barId}${place} > .bar-name`)), shouldBeCut, barId)
    await page.locator(`#card-${twoDaysId}.name-after > .bar-icons`).waitFor()
    await page.locator(`#card-${id}.name-after > .bar-name > .bar-icons`).waitFor()
    // A bar has an arrow at a side where it continues.
    await page.getByRole('button', { name: 'Later' }).click()
    await page.locator(`#card-${longId}.begins-before > .directed`).waitFor()
    await page.getByRole('button', { name: 'Today' }).click()
    await page.locator(`#card-${longId}:not(.begins-before, :has(> .directed))`).waitFor()
    await page.keyboard.press('-')
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'quarter')
    await page.getByRole('button', { name: 'Quarter', pressed: true }).waitFor()
    await page.locator(`#card-${id}.name-after`).waitFor()
    // Until the other weeks are loaded, the view is faint.
    await page.locator('.timeline[aria-busy=false]').waitFor()
    await assertAccessible(page, 'timeline of a quarter')
    // The date of today is wider than its column, and stands above the middle of the line.
    assert.ok(Math.abs(await todayOffset()) < 1)
    // The number of a Monday begins after its line.
    const lastDate = page.locator('.only-mondays > .timeline-date:not(.today)').last()
    const numberStart = await lastDate.evaluate((date) => {
      const text = document.createRange()
      text.selectNodeContents(date)
      return text.getBoundingClientRect().left - date.getBoundingClientRect().left
    })
    assert.equal(Math.round(numberStart), 3)
    await resize(page, 390, 800)
    await bar(page, 'Short').waitFor()
    assert.deepEqual(await layoutFaultsOf(page), [])
    // On a phone, the zoom is next to the buttons that step through the periods.
    const zoom = page.getByRole('combobox', { name: 'Zoom' })
    assert.equal(
      (await zoom.boundingBox())?.y,
      (await page.getByRole('button', { name: 'Earlier' }).boundingBox())?.y,
    )
    // A phone shows two weeks by default, so the address does not name them.
    assert.deepEqual(await zoom.getByRole('option').allTextContents(), ['2 weeks', '3 weeks', '8 weeks'])
    await zoom.selectOption('2 weeks')
    await page.waitForURL((url) => !url.searchParams.has('zoom'))
    await assertTwoWeeks(page)
    await page.locator(`#card-${id}`).waitFor()
    // Each assignment has a separate line, with the name above its bar.
    const [shortBar, name, longBar, longName, head] = await Promise.all(
      [id, namedId]
        .flatMap((barId) => [`#card-${barId}`, `#card-${barId} > .bar-name`])
        .concat('.person-head')
        .map((selector) => page.locator(selector).first().boundingBox()),
    )
    assert.ok(shortBar && name && longBar && longName && head)
    assert.deepEqual([shortBar.height, longBar.height, head.height], [16, 16, 28])
    const gaps = [shortBar.y - name.y - name.height, longBar.y - longName.y - longName.height]
    assert.deepEqual(gaps.map(Math.round), [1, 1])
    // The name of the period has room, an arrow marks where a bar continues, a lane without bars is only a head
    // that says so, other heads have the hours, and the avatar is in the middle of its line.
    const [period, avatar, emptyLane] = await Promise.all(
      ['.week-range', '.person-head .avatar', `[data-person="${workspace.jonas.id}"]`].map((selector) =>
        page.locator(selector).first().boundingBox(),
      ),
    )
    assert.ok(period && avatar && emptyLane && period.width > 60)
    await page.locator(`#card-${longId} > .directed`).waitFor()
    assert.equal(emptyLane.height, 29)
    const sumOf = (personId: string) => page.locator(`[data-person="${personId}"] .lane-sum`).textContent()
    assert.equal(await sumOf(workspace.jonas.id), 'Nothing planned')
    assert.match(String(await sumOf(workspace.mara.id)), /^\d+(\.\d)? h/)
    assert.ok(Math.abs(avatar.y + avatar.height / 2 - (head.y + head.height / 2)) < 0.5)
    await zoom.selectOption('8 weeks')
    // The shortest bar can still be seen, and a period of two years needs one line.
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'quarter')
    await until(async () => (await page.locator(`#card-${id}`).boundingBox())?.width === 8, 'a short bar')
    await page.goto(`${setup().hosts.web}${path}?view=timeline&zoom=quarter&from=2026-12-07`)
    await page.getByText('7 Dec – 31 Jan', { exact: true }).waitFor()
    await page.goBack()
    await page.locator(`#card-${id}`).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    // In a text field, the keys are typed as text.
    await page.getByLabel('Search assignments').pressSequentially('+-')
    await page.getByLabel('Search assignments').fill('')
    assert.equal(new URL(page.url()).searchParams.get('zoom'), 'quarter')
    await page.locator('.timeline').focus()
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'week')
    await page.locator(`#card-${partlyId}:not(.name-after)`).waitFor()
    // The next week is in view at any width, because on a Sunday nothing of this week is left.
    await resize(page, 1024, 768)
    await page.locator(`#card-${namedId}`).waitFor()
    assert.equal(await page.locator('.timeline-day').count(), 14)
    await page.reload()
    await page.getByRole('button', { name: 'Week', pressed: true }).waitFor()
  })

  test('the calendar shows a month, or a week in which no assignment is hidden', async () => {
    const { path, make } = await makeProject('Week by week')
    const names = Array.from({ length: 14 }, (_, index) => `Part ${index + 1} of the week`)
    for (const name of names) await make(name, 0, 0)
    await make('Next week only', 7, 7)
    const longId = await make('Continues', -3, 8)
    const page = await setup().signIn('mara@example.com', `${path}?view=calendar`)
    await page.getByRole('button', { name: /^\d+ more/ }).waitFor()
    await page.getByRole('button', { name: 'Week', pressed: false, exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('zoom') === 'week')
    for (const name of names) await bar(page, name).waitFor()
    assert.equal(await page.locator('.calendar-week').count(), 1)
    assert.equal(await page.getByRole('button', { name: /^\d+ more/ }).count(), 0)
    assert.equal(await bar(page, 'Next week only').count(), 0)
    // A bar has a second line, which begins with the key.
    await page.locator('.bar .card-key').first().waitFor()
    await assertAccessible(page, 'a week of the calendar')
    await page.getByRole('button', { name: 'Next week' }).click()
    await bar(page, 'Next week only').waitFor()
    // A bar that continues in the next week is marked at its open side.
    await page.locator(`#card-${longId} > .directed:first-child`).waitFor()
    assert.equal(await page.locator(`#card-${longId} > .directed`).count(), 1)
    await page.reload()
    await bar(page, 'Next week only').waitFor()
    await page.getByRole('button', { name: 'This week' }).click()
    await bar(page, 'Part 1 of the week').waitFor()
    await page.getByRole('button', { name: 'Month', pressed: false }).click()
    await page.waitForURL((url) => !url.searchParams.has('zoom') && !url.searchParams.has('from'))
    await page.getByRole('button', { name: /^\d+ more/ }).waitFor()
    // Only the bar of its first week has the avatar.
    await page.locator('.bar.continued').first().waitFor()
    assert.equal(await page.locator('.bar.continued .avatar').count(), 0)
    assert.equal(await page.locator(`#card-${longId} .avatar`).count(), 1)
  })

  test('the timeline has a legend, draws days behind the lanes, and marks overdue assignments', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Explained')
    const id = await make('Late one', -7, -3)
    await make('In progress', 0, 1, { workflowId: workspace.stages.Doing })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    await bar(page, 'In progress').waitFor()
    const height = (await bar(page, 'In progress').boundingBox())?.height ?? 0
    assert.ok(Math.abs(height - 26) < 1, String(height))
    await page.getByRole('button', { name: 'Legend' }).click()
    const legend = page.getByRole('dialog', { name: 'Legend' })
    const hours = ['More than 8 h a day or 40 h a week', 'More than 12 h a day or 60 h a week']
    for (const text of ['Doing', 'Finished', 'Overdue', 'Blocked', 'Waits for another assignment', ...hours])
      await legend.getByText(text, { exact: true }).waitFor()
    // Its marks are those of the bars: the tint of a stage, and an icon in the middle of the line of its text.
    const colorOf = (element: Locator) => element.evaluate((found) => getComputedStyle(found).backgroundColor)
    const doing = legend.getByRole('listitem').filter({ hasText: 'Doing' })
    assert.equal(await colorOf(doing.locator('.legend-bar')), await colorOf(bar(page, 'In progress')))
    const overdue = legend.getByRole('listitem').filter({ hasText: 'Overdue' })
    const [clock, line] = [await overdue.locator('.icon').boundingBox(), await overdue.boundingBox()]
    assert.ok(clock && line && Math.abs(clock.y + clock.height / 2 - line.y - line.height / 2) < 1)
    assert.equal(await legend.getByText('Done', { exact: true }).count(), 0)
    await assertAccessible(page, 'legend of the timeline')
    await page.keyboard.press('Escape')
    await legend.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Legend' }).and(page.locator(':focus')).waitFor()
    // The bar is in front of its lane, and the days are behind both.
    const stack = await bar(page, 'In progress').evaluate((element) => {
      const { x, y } = element.getBoundingClientRect()
      return document.elementsFromPoint(x + 20, y + 8).map(({ classList }) => classList[0] ?? '')
    })
    assert.ok(stack.indexOf('bar') < stack.indexOf('person-lane'), stack.join())
    assert.ok(!stack.slice(0, stack.indexOf('person-lane')).includes('timeline-day'), stack.join())
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.getByRole('link', { name: /^Late one [\s\S]*Overdue/ }).waitFor()
    await page.locator(`#card-${id}.late`).waitFor()
  })

  test('the calendar fits the window', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('By month, mine first')
    for (let number = 1; number <= 40; number += 1)
      await make(`Of Jonas ${number}`, 0, 6, { userId: workspace.jonas.id })
    await make('Of mine', 3, 4)
    await make('Done by me', 3, 4, { workflowId: workspace.stages.Done })
    const page = await signIn('mara@example.com', `${path}?view=calendar`, {
      viewport: { width: 1280, height: 900 },
    })
    // The user's own assignments come first, also when they are done.
    await bar(page, 'Of mine').waitFor()
    await bar(page, 'Done by me').waitFor()
    await page.locator('.calendar-more').first().waitFor()
    const shownCount = await bar(page, 'Of Jonas \\d').count()
    assert.ok(shownCount > 2 && shownCount < 40, `${shownCount} shown`)
    // Numbers begin where their weekdays do.
    const starts = await page.locator('time:not([aria-current]) > .calendar-number').evaluateAll((numbers) =>
      numbers.map((number) => {
        const text = document.createRange()
        text.selectNodeContents(number)
        const day = number.closest('.calendar-day')
        const dayStart = (day?.getBoundingClientRect().left ?? 0) + (day?.clientLeft ?? 0)
        return Math.round(text.getBoundingClientRect().left - dayStart)
      }),
    )
    assert.deepEqual([...new Set(starts)], [8])
    const overflow = await page
      .locator('.calendar')
      .evaluate((element) => element.scrollHeight - element.clientHeight)
    assert.equal(overflow, 0)
    // The week with the most assignments is the highest.
    const weeks = await page.locator('.calendar-week').evaluateAll((elements) =>
      elements.map((week) => ({
        barCount: week.querySelectorAll('.bar').length,
        height: week.clientHeight,
      })),
    )
    const heightMax = Math.max(...valuesOf(weeks, 'height'))
    const highest = weeks.find(({ height }) => height === heightMax)
    assert.equal(highest?.barCount, Math.max(...valuesOf(weeks, 'barCount')))
    // Each bar shows its type.
    assert.equal(
      await page.locator('.calendar .bar .type-shape').count(),
      await page.locator('.calendar .bar').count(),
    )
    // A click shows all assignments of a day. Closing them returns the focus.
    await page.locator('.calendar-more').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('link', { name: 'Of Jonas 40' }).waitFor()
    await assertAccessible(page, 'the rest of a day')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.calendar-more:focus').waitFor()
    await page.locator('.calendar-more').first().click()
    await dialog.getByRole('link', { name: 'Of Jonas 40' }).click()
    await page.getByRole('complementary', { name: 'Of Jonas 40' }).waitFor()
  })

  test('the calendar creates an assignment for a day by its button or a double click', async () => {
    const { signIn } = setup()
    const { path } = await makeProject('Created by day')
    const page = await signIn('mara@example.com', `${path}?view=calendar`)
    const day = page.locator('.calendar-day').filter({ has: page.locator('[aria-current=date]') })
    await day.hover()
    await day.getByRole('button', { name: /^New assignment on / }).click()
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name').fill('On this day')
    await page.keyboard.press('Enter')
    await page.getByText('On this day was created.').waitFor()
    const id = await bar(page, 'On this day').evaluate((link) => link.id.slice('card-'.length))
    assert.equal(await dayOf(id, 'startDate'), today())
    assert.equal(await dayOf(id, 'endDate'), today())
    // No other element covers the space between the number of a day and its button.
    await day.dblclick({ position: { x: 60, y: 12 } })
    await dialog.getByLabel('Name').waitFor()
  })

  test('other calendars can subscribe to the calendar of a project', async () => {
    const { signIn } = setup()
    const { path, projectId, make } = await makeProject('Subscribed')
    await make('Seen elsewhere', 0, 1)
    const page = await signIn('mara@example.com', `${path}?view=calendar`)
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await page.getByRole('button', { name: 'Create address' }).click()
    const address = page.getByRole('dialog', { name: 'Your calendar address' }).getByLabel('Address')
    const calendar = new URL(await address.inputValue())
    assert.equal(calendar.searchParams.get('projectId'), projectId)
    const answer = await fetch(calendar)
    assert.match(await answer.text(), /SUMMARY:Seen elsewhere/)
  })
}
