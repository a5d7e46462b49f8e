import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, formatDay } from '../../web/src/time/days.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { listCellJourneys } from './journeys/list-cells.ts'
import { listExportJourneys } from './journeys/list-export.ts'
import { panelViewJourneys } from './journeys/panel-view.ts'
import { periodJourneys } from './journeys/periods.ts'
import { timerJourneys } from './journeys/timers.ts'
import type { BrowserSetup } from './support/browser-setup.ts'
import { bar, datedProjects, monday } from './support/dated-projects.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

/** Presses a key repeatedly, and asserts which bars take the focus. */
async function pressToBars(page: Page, key: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.keyboard.press(key)
    await bar(page, name).and(page.locator(':focus')).waitFor()
  }
}

async function assertUncovered(page: Page, head: string): Promise<void> {
  const [focused, above] = await Promise.all([':focus', head].map((part) => page.locator(part).boundingBox()))
  assert.ok(focused && above && focused.y >= above.y + above.height, JSON.stringify({ focused, above }))
}

/** Records which cells take the focus, and whether a frame is drawn while nothing has it. */
function recordFocus(): void {
  const places: string[] = []
  Object.assign(window, { focusedPlaces: places })
  addEventListener('focusin', ({ target }) => {
    const row = target instanceof Element ? target.closest('.list-row') : null
    places.push(row?.getAttribute('aria-rowindex') ?? 'elsewhere')
  })
  const look = () => {
    if (document.activeElement === document.body && places.length > 0) places.push('nowhere')
    requestAnimationFrame(look)
  }
  look()
}

const namesIn = (page: Page) => page.locator('.list-link').allTextContents()

function viewJourneys(setup: () => BrowserSetup): void {
  const { makeProject, dayOf } = datedProjects(setup)

  test('show assignments sorted, grouped and with the chosen columns', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Listed')
    await make('Beta', 0, 3, { amountHours: 2 })
    await make('Alpha', 0, 4, { amountHours: 9, workflowId: workspace.stages.Doing })
    await make('Gamma', 0, 2, { amountHours: 5, userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', path)
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.getByRole('link', { name: 'Gamma' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    await page.getByRole('columnheader', { name: 'Hours' }).getByRole('button').click()
    assert.deepEqual(await namesIn(page), ['Beta', 'Gamma', 'Alpha'])
    await page.getByRole('columnheader', { name: 'Hours' }).getByRole('button').click()
    await page.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Hours' }).waitFor()
    // The list begins right below the filter bar. The bar has the Display button and counts the rows.
    await page.getByText('3 assignments · 16 h').waitFor()
    const { y } = (await page.locator('.list-scroll').boundingBox()) ?? { y: Number.NaN }
    assert.ok(y <= 155, `the list begins at ${y}`)
    await page.getByRole('button', { name: 'Display' }).press('Enter')
    await page.getByLabel('Group by').selectOption('Stage')
    await page.getByRole('rowheader', { name: 'Doing' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    await page.getByRole('dialog', { name: 'Display' }).getByRole('button', { name: 'Type' }).click()
    await assertAccessible(page, 'the display of a list')
    await page.keyboard.press('Escape')
    await page.locator('.display-button:focus').waitFor()
    await page.reload()
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    assert.equal(await page.getByRole('columnheader', { name: 'Type' }).count(), 0)
    assert.equal(await page.getByRole('columnheader', { name: 'Responsible' }).count(), 1)
    // An assignment that another user creates appears.
    await make('Delta', 1, 1)
    await page.getByRole('link', { name: 'Delta' }).waitFor()
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).click()
    await page.getByRole('link', { name: 'Delta' }).waitFor({ state: 'detached' })
    assert.deepEqual(await namesIn(page), ['Gamma'])
  })

  test('offer to create an assignment in an empty project', async () => {
    const { signIn } = setup()
    const { path } = await makeProject('Empty at first')
    const page = await signIn('mara@example.com', `${path}?view=list`)
    const main = page.getByRole('main')
    await main.getByText('No assignments yet').waitFor()
    await main.locator('.empty').getByRole('button', { name: 'New assignment' }).click()
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name', { exact: true }).fill('Not empty now')
    await page.keyboard.press('Enter')
    // The list may show the row before the dialog closes, which has the focus until then.
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Not empty now' }).waitFor()
    await page.getByLabel('Search assignments').fill('nothing like it')
    await main.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Not empty now' }).waitFor()
  })

  test('show the stage named Done as done while no stage is marked as done', async () => {
    const { signIn, workspace } = setup()
    const { path } = await makeProject('Nothing marked')
    const stored = await workspace.call('GET', `/ext/workflow?id=${workspace.stages.Done}`)
    assert.equal(stored.workflow.isDone, false)
    const page = await signIn('mara@example.com', path)
    await page
      .locator('[data-color=green]')
      .and(page.getByRole('region', { name: 'Done' }))
      .waitFor()
  })

  test('are loaded after another view could not be loaded', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Loaded later')
    await make('In a later view', 0, 1)
    const page = await signIn('mara@example.com', '/account')
    const script = /\/assets\/later-.*\.js$/
    await page.route(script, (route) => route.abort())
    await page.goto(`${setup().hosts.web}${path}?view=list`)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute(script)
    await page.getByRole('link', { name: 'Calendar', exact: true }).click()
    await bar(page, 'In a later view').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('render more rows of a long list after the window has grown', async () => {
    const { path, make } = await makeProject('Long')
    for (let number = 1; number <= 45; number += 1) await make(`Number ${number}`, 0, 1)
    const page = await setup().signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1280, height: 400 },
    })
    await page.getByRole('link', { name: 'Number 1', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Number 40', exact: true }).count(), 0)
    await page.evaluate(recordFocus)
    const press = async (key: string, row: number | string, column = 'name') => {
      await page.keyboard.press(key)
      await page
        .locator(`[aria-rowindex="${row}"] > [data-column=${column}]:is(:focus, :has(:focus))`)
        .waitFor()
    }
    await page.getByRole('link', { name: 'Number 1', exact: true }).focus()
    await press('End', 46)
    await press('End', 46)
    await press('Home', 2)
    await press('ArrowRight', 2, 'blocked')
    await press('Control+End', 46, 'blocked')
    const upwards = [45, 44, 43, 42, 41, 40, 39, 38, 37, 36]
    for (const row of upwards) {
      await press('ArrowUp', row, 'blocked')
      await assertUncovered(page, '.list-head')
    }
    await press('Home', 2, 'blocked')
    await press('PageDown', 9, 'blocked')
    await press('PageDown', 16, 'blocked')
    await press('PageUp', 9, 'blocked')
    // Neither the page nor another row takes the focus on the way, although rows are removed.
    assert.equal(
      await page.evaluate('focusedPlaces.join()'),
      [2, 46, 2, 2, 46, ...upwards, 2, 9, 16, 9].join(),
    )
    await page.setViewportSize({ width: 1280, height: 2200 })
    await page.getByRole('link', { name: 'Number 40', exact: true }).waitFor()
  })

  test('change many assignments at once, with Undo', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Changed at once')
    const first = await make('One', 0, 1)
    const second = await make('Two', 0, 2)
    const third = await make('Three', 0, 3)
    const page = await signIn('mara@example.com', `${path}?view=list`)
    await page.getByLabel('Select One').check()
    await page.getByLabel('Select Three').click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await assertAccessible(page, 'list with a selection')
    await page.getByRole('button', { name: 'Stage of all selected' }).click()
    await page.getByRole('menuitem', { name: 'Doing' }).click()
    await page.getByText('3 assignments: Doing.').waitFor()
    for (const id of [first, second, third])
      assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    // Concurrent changes of another user are kept.
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', second)),
      name: 'Two, renamed',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText('One assignment was not changed. It was changed or removed in the meantime.')
      .waitFor()
    assert.equal((await workspace.get('assignment', first)).workflowId, workspace.stages.Backlog)
    assert.equal((await workspace.get('assignment', third)).workflowId, workspace.stages.Backlog)
    assert.equal((await workspace.get('assignment', second)).workflowId, workspace.stages.Doing)
    assert.equal((await workspace.get('assignment', second)).name, 'Two, renamed')
    // Select two rows by keys, and move them by a week and to another user.
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.getByRole('link', { name: 'One', exact: true }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText('2 selected').waitFor()
    // The box that selects a row leaves letters to the keys of the selection.
    await page.getByLabel('Select One').focus()
    await page.keyboard.press('s')
    await page.getByRole('group', { name: '2 assignments' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[aria-label="Select One"]:focus').waitFor()
    await page.getByRole('button', { name: 'Dates of all selected' }).click()
    await page.getByRole('menuitem', { name: 'One week later' }).click()
    await page.getByText('2 assignments: One week later.').waitFor()
    assert.equal(await dayOf(first, 'startDate'), addDays(monday, 7))
    await page.getByRole('button', { name: 'Responsible of all selected' }).click()
    await page.getByRole('menuitem', { name: 'Jonas Weber' }).click()
    await page.getByRole('gridcell', { name: 'Jonas Weber' }).nth(1).waitFor()
    assert.equal((await workspace.get('assignment', first)).userId, workspace.jonas.id)
    // An assignment with recorded time is not removed, but the others are.
    const entry = { userId: workspace.mara.id, keepDate: monday, amountHours: 1 }
    await workspace.make('appointment', { assignmentId: second, ...entry })
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('One assignment was not removed.').waitFor()
    // A message stays while the pointer is on it.
    const removal = page.locator('.toast', { hasText: 'One assignment was removed.' })
    await removal.hover()
    await page.getByRole('link', { name: 'One', exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await namesIn(page), ['Three', 'Two, renamed'])
    await removal.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'One', exact: true }).waitFor()
  })

  test('show a month by days, and reschedule assignments by dragging and by keys', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('By month')
    const id = await make('Moved about', 1, 2)
    // This assignment covers the day on which another assignment is dropped.
    await make('In the way', 0, 0)
    const page = await signIn('mara@example.com', `${path}?view=calendar`)
    await bar(page, 'Moved about').waitFor()
    await bar(page, 'Moved about').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('Moved about is now from').waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 2))
    await page.locator(`#card-${id}:focus`).waitFor()
    await pressToBars(page, 'ArrowLeft', ['In the way'])
    await pressToBars(page, 'ArrowRight', ['Moved about'])
    const target = await bar(page, 'In the way').boundingBox()
    assert.ok(target)
    await bar(page, 'Moved about').hover({ position: { x: 8, y: 8 } })
    await page.mouse.down()
    await page.mouse.move(target.x + 8, target.y + 8, { steps: 5 })
    await page.mouse.up()
    const tuesday = addDays(monday, 1)
    await page.getByText(`Moved about is now from ${formatDay(monday)} to ${formatDay(tuesday)}.`).waitFor()
    assert.equal(await dayOf(id, 'startDate'), monday)
    assert.equal(await dayOf(id, 'endDate'), tuesday)
    await page.keyboard.press('Control+z')
    await page.getByRole('link', { name: `Moved about ${formatDay(addDays(monday, 2))}` }).waitFor()
    await assertAccessible(page, 'calendar')
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByRole('button', { name: 'This month' }).click()
    await bar(page, 'Moved about').click()
    await page.getByRole('complementary', { name: 'Moved about' }).waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.keyboard.press('Escape')
    await page.locator('.agenda').getByRole('link', { name: 'Moved about' }).waitFor()
    await assertAccessible(page, 'calendar on a phone')
  })
}

function timelineJourneys(setup: () => BrowserSetup): void {
  const { makeProject, dayOf } = datedProjects(setup)

  test('highlights overloaded days, and moves bars to other days and users by keys and by dragging', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('By person')
    const id = await make('Handed over', 0, 1, { amountHours: 24 })
    await make('Fits', 3, 3, { amountHours: 8 })
    await make('Too much', 8, 11, { amountHours: 44, userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    const lane = (name: string) => page.getByRole('region', { name })
    await lane('Mara Lindqvist')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    // A line and a tint mark only days with too many hours.
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-load.over').count(), 2)
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-load').count(), 2)
    // A week with too many hours is marked as a whole, and its sum is at its start, even if its work begins later.
    const [mark, weekSum, ...days] = await Promise.all(
      [
        lane('Jonas Weber').locator('.timeline-load.of-week'),
        lane('Jonas Weber').locator('.week-sum.over'),
        ...[7, 13].map((index) => page.locator('.timeline-day').nth(index)),
      ].map((part) => part.boundingBox()),
    )
    const [start, end] = days
    assert.ok(mark && weekSum && start && end)
    const edges = [mark.x - start.x, mark.x + mark.width - (end.x + end.width), weekSum.x - mark.x]
    assert.ok(
      edges.every((distance) => Math.abs(distance) < 2),
      JSON.stringify(edges),
    )
    await assertAccessible(page, 'timeline')
    await bar(page, 'Handed over').focus()
    await page.keyboard.press('Shift+Alt+ArrowRight')
    await page.getByText('Handed over is now from').waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 2))
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-load.over').count(), 0)
    await page.keyboard.press('Shift+ArrowUp')
    await lane('Jonas Weber')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    // The hours of a week are aligned with its first day of work.
    const [sum, firstBar] = await Promise.all(
      ['.week-sum', '.bar'].map((part) => lane('Mara Lindqvist').locator(part).first().boundingBox()),
    )
    assert.ok(sum && firstBar && Math.abs(sum.x - firstBar.x) < 4, JSON.stringify({ sum, firstBar }))
    // Drag it back to Mara, and to a start two days later.
    const box = await bar(page, 'Handed over').boundingBox()
    const day = await page.locator('.timeline-day').first().boundingBox()
    const target = await lane('Mara Lindqvist').boundingBox()
    assert.ok(box && day && target)
    await page.mouse.move(box.x + 5, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(box.x + 5 + 2 * day.width, target.y + 20, { steps: 4 })
    await page.mouse.up()
    await lane('Mara Lindqvist')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    await page.getByText('Handed over is now for Mara Lindqvist').waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 2))
    assert.equal((await workspace.get('assignment', id)).userId, workspace.mara.id)
    // Escape cancels a drag. During the drag, a veil covers all bars, because hit-testing them costs a long
    // frame.
    const before = await bar(page, 'Handed over').boundingBox()
    assert.ok(before)
    await page.mouse.move(before.x + 5, before.y + 5)
    await page.mouse.down()
    await page.mouse.move(before.x + 5, box.y + 5, { steps: 4 })
    await page.locator('[data-person].drop', { hasText: 'Jonas Weber' }).waitFor()
    const underPointer = `document.elementFromPoint(${before.x + 5}, ${box.y + 5}).className`
    assert.equal(await page.evaluate(underPointer), 'timeline-veil')
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.drop, .dragging, .timeline-veil').count(), 0)
    await page.mouse.up()
    assert.deepEqual(await bar(page, 'Handed over').boundingBox(), before)
  })

  test('leads from bar to bar by arrow keys, on phones line by line', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('From bar to bar')
    await make('Long', 0, 13)
    await make('First', 0, 0)
    await make('Later', 10, 11)
    await make('Of another', 9, 9, { userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    await bar(page, 'Long').focus()
    await pressToBars(page, 'ArrowRight', ['First', 'Later', 'Later'])
    await pressToBars(page, 'ArrowUp', ['Long', 'Of another', 'Of another'])
    await pressToBars(page, 'ArrowDown', ['Long', 'First', 'First'])
    await pressToBars(page, 'ArrowLeft', ['Long', 'Long'])
    await page.setViewportSize({ width: 390, height: 800 })
    await page.locator('.bar.name-above').first().waitFor()
    await bar(page, 'Long').focus()
    await pressToBars(page, 'ArrowDown', ['First', 'Later', 'Later'])
    await pressToBars(page, 'ArrowUp', ['First', 'Long', 'Of another'])
    // The head covers no bar that is reached from below.
    for (let number = 1; number <= 12; number += 1) await make(`Between ${number}`, 0, 1)
    await bar(page, 'Between 12').waitFor()
    await bar(page, 'Later').focus()
    for (let step = 1; step <= 14; step += 1) {
      await page.keyboard.press('ArrowUp')
      await assertUncovered(page, '.timeline-head')
    }
    await bar(page, 'Long').and(page.locator(':focus')).waitFor()
  })

  test('reschedules a bar, or only its end, by a long touch', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('By finger')
    const id = await make('Held', 0, 1)
    const options = { viewport: { width: 1000, height: 800 }, hasTouch: true }
    const page = await signIn('mara@example.com', `${path}?view=timeline`, options)
    await bar(page, 'Held').waitFor()
    const drag = async (by: { days: number; isHeld: boolean; part?: 'middle' | 'end' }) => {
      const box = await bar(page, 'Held').boundingBox()
      const day = await page.locator('.timeline-day').first().boundingBox()
      assert.ok(box && day)
      const fromLeft = by.part === 'end' ? box.width - 4 : box.width / 2
      const from = { x: box.x + fromLeft, y: box.y + box.height / 2 }
      const to = { x: from.x + by.days * day.width, y: from.y }
      await dragWithFinger(page, from, to, { isHeld: by.isHeld })
    }
    await drag({ days: 2, isHeld: false })
    await drag({ days: 3, isHeld: true })
    const message = (first: number, last: number) =>
      `Held is now from ${formatDay(addDays(monday, first))} to ${formatDay(addDays(monday, last))}.`
    await page.getByText(message(3, 4)).waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 3))
    await drag({ days: 2, isHeld: true, part: 'end' })
    await page.getByText(message(3, 6)).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 6))
    assert.equal(new URL(page.url()).pathname, path)
  })

  test('lets neither dragging nor keys end a bar before its first day, as a message says', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Not before')
    // API clients may send a start at any time of the day.
    const id = await make('Short', 1, 3, { startDate: `${addDays(monday, 1)}T09:30:00.000Z` })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    await bar(page, 'Short').waitFor()
    const box = await bar(page, 'Short').boundingBox()
    const day = await page.locator('.timeline-day').first().boundingBox()
    assert.ok(box && day)
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width - 4, y)
    await page.mouse.down()
    await page.mouse.move(box.x - 2 * day.width, y, { steps: 4 })
    await page.locator(`#card-${id}.at-limit`).waitFor()
    const shown = await bar(page, 'Short').boundingBox()
    assert.ok(shown && Math.abs(shown.width - day.width) < 4 && Math.abs(shown.x - box.x) < 1)
    await page.mouse.up()
    const start = formatDay(addDays(monday, 1))
    const rejected = page.getByText(`Short starts on ${start} and cannot end before that.`)
    await rejected.waitFor()
    await page.getByText(`Short is now from ${start} to ${start}.`).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 1))
    // The limit applies to keys, too, and its message is shown only once.
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
    await rejected.waitFor({ state: 'detached' })
    await bar(page, 'Short').focus()
    await page.keyboard.press('Shift+Alt+ArrowLeft')
    await rejected.waitFor()
    await page.keyboard.press('Shift+Alt+ArrowLeft')
    assert.equal(await rejected.count(), 1)
    await page.keyboard.press('Shift+Alt+ArrowRight')
    await page.getByText(`Short is now from ${start} to ${formatDay(addDays(monday, 2))}.`).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 2))
  })
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Drags with a finger on a page that was opened with `hasTouch`. The finger may rest first. */
async function dragWithFinger(
  page: Page,
  from: Point,
  to: Point,
  { isHeld }: { readonly isHeld: boolean },
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', [from])
  if (isHeld) await page.locator('.bar.dragging').waitFor()
  for (let step = 1; step <= 5; step += 1)
    await send('touchMove', [
      { x: from.x + ((to.x - from.x) * step) / 5, y: from.y + ((to.y - from.y) * step) / 5 },
    ])
  await send('touchEnd', [])
  await session.detach()
}

describeInBrowser('In the views of a project', {
  'the list and the calendar': viewJourneys,
  'the timeline': timelineJourneys,
  'the timer': timerJourneys,
  'with dated assignments': periodJourneys,
  'the cells of the list': listCellJourneys,
  'the export of the list': listExportJourneys,
  'with a panel over a view': panelViewJourneys,
})
