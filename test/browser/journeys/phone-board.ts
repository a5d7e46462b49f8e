import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { addMonths, daysBetween, today } from '../../../web/src/time/days.ts'
import { valuesOf } from '../../support/assertions.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { datedProjects, monday } from '../support/dated-projects.ts'
import { assertAccessible, smallControls } from './accessibility.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** Replaces the box of an invisible element. No comparison accepts it. */
const never = { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN }

const holdAssignments = (page: Page) => page.route(/\/assignments\?/, () => undefined)

/** Finds the `:hover` selectors that also apply on devices without a pointer. */
const unlimitedHovers = `(() => {
  const isLimited = (rule) => rule instanceof CSSMediaRule && /hover|pointer: fine/.test(rule.conditionText)
  const rulesIn = (rules) =>
    [...rules].flatMap((rule) => (isLimited(rule) ? [] : [rule, ...rulesIn(rule.cssRules ?? [])]))
  return [...document.styleSheets]
    .flatMap((sheet) => rulesIn(sheet.cssRules))
    .map((rule) => rule.selectorText ?? '')
    .filter((selector) => selector.replaceAll(/:not\\([^)]*\\)/g, '').includes(':hover'))
})()`

/** Returns where the title, the heading, the icon of the field and the first mark of a sheet begin. */
const startsOf = (sheet: Element): readonly number[] =>
  [
    ':is(h2, .sheet-title > strong)',
    '.palette-group',
    ':is(.palette-field, .filter-menu-field) > .icon',
    '[role=option] > :is(.palette-mark, .filter-menu-mark) > *',
  ].flatMap((selector) => {
    const element = sheet.querySelector(selector)
    if (element === null) return []
    return Math.round(
      element.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(element).paddingLeft),
    )
  })

export function phoneBoardJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('a filtered board on a phone shows the first column with matches', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Filtered on a phone')
    await make('Waits at the start', 0, 1)
    const id = await make('Almost finished', 0, 1, {
      userId: workspace.jonas.id,
      workflowId: workspace.stages.Done,
    })
    const page = await signIn('mara@example.com', `${path}?userId=${workspace.jonas.id}`, phone)
    const card = page.locator(`[data-row="${id}"]`)
    await card.waitFor()
    const boxOfCard = async () => (await card.boundingBox()) ?? never
    await until(async () => (await boxOfCard()).x < 60, 'the column of the card')
    // The line of chips takes 52 of these pixels.
    const { y: top } = await boxOfCard()
    assert.ok(top <= 185 + 52, `the first card begins at ${top}`)
    assert.deepEqual(await smallControls(page, '.project-filters :is(button, input)'), [])
    await assertAccessible(page, 'a filtered board on a phone')
    // A strip names all stages, marks the shown one, and leads to the others.
    const strip = page.getByRole('navigation', { name: 'Stages' })
    await strip.locator('[aria-current]', { hasText: 'Done' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Responsible' }).click()
    await page.getByRole('link', { name: 'Waits at the start' }).waitFor()
    await strip.getByRole('button', { name: 'Backlog 1' }).tap()
    await strip.locator('[aria-current]', { hasText: 'Backlog' }).waitFor()
    const firstCard = (await page.locator('.card').first().boundingBox()) ?? never
    assert.ok(firstCard.x > 0 && firstCard.x < 60, `the first card is at ${firstCard.x}`)
    assert.ok(firstCard.y <= 185, `the first card begins at ${firstCard.y}`)
  })

  test('a board on a phone says which stages are empty, and its strip of stages fades where it goes on', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Empty on a phone')
    await make('Waits at the start', 0, 1)
    const page = await signIn('mara@example.com', `${path}?search=start`, phone)
    const done = page.getByRole('region', { name: 'Done' })
    await done.getByText('No assignments match these filters').waitFor()
    await page.getByRole('searchbox').fill('')
    await done.getByText('No assignments', { exact: true }).waitFor()
    await assertAccessible(page, 'a board with empty stages on a phone')
    await page.setViewportSize({ width: 240, height: 844 })
    const strip = page.getByRole('navigation', { name: 'Stages' })
    const fades = () =>
      strip.evaluate((line) => {
        const style = getComputedStyle(line)
        return [
          style.maskImage.split('(')[0],
          ...['--start-fade', '--end-fade'].map((name) => style.getPropertyValue(name)),
        ]
      })
    await strip.evaluate((line) => line.scrollTo(0, 0))
    await until(async () => (await fades()).join() === 'linear-gradient,0px,48px', 'the fade at the end')
    await done.locator('.column-empty').getByRole('button', { name: 'New assignment in Done' }).tap()
    await done.getByRole('textbox').fill('The first')
    await page.keyboard.press('Enter')
    await done.getByRole('link', { name: 'The first' }).waitFor()
    assert.equal(await done.getByText('No assignments').count(), 0)
  })

  test('a moved card is above its message, also without a network', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Moved above its message')
    for (let day = 1; day < 10; day += 1)
      await make(`Before ${day}`, 0, day, { workflowId: workspace.stages.Doing })
    const id = await make('Ends last', 0, 20)
    const page = await signIn('mara@example.com', path, phone)
    const card = page.locator(`[data-row="${id}"]`)
    const bottomOf = async (selector: string) => {
      const { y, height } = (await page.locator(selector).boundingBox()) ?? never
      return y + height
    }
    const bottomOfCard = () => bottomOf(`[data-row="${id}"]`)
    // The end of a column fades while there are more cards.
    const fadesEnd = async (size: string) =>
      until(
        async () =>
          (await page
            .locator('.column-cards:has([data-row]:nth-child(5))')
            .evaluate((cards) => getComputedStyle(cards).getPropertyValue('--palette-fade'))) === size,
        `a fade of ${size}`,
      )
    await fadesEnd('40px')
    // The blue button is drawn smaller than its target, and the arrow of a card is level with its person.
    const [drawn, target, clip] = await page
      .locator('.project-header > .primary')
      .evaluate((plus: HTMLElement) => [
        plus.clientHeight,
        plus.offsetHeight,
        getComputedStyle(plus).backgroundClip,
      ])
    assert.deepEqual([drawn, target, clip], [36, 44, 'padding-box'])
    const middleOf = async (part: string) => {
      const { y, height } = (await card.locator(part).boundingBox()) ?? never
      return y + height / 2
    }
    const offset = (await middleOf('.card-tools .icon:visible')) - (await middleOf('.card-person'))
    assert.ok(Math.abs(offset) < 0.5, String(offset))
    const move = async (key: string, stage: string, text: string) => {
      await card.getByRole('link').press(key)
      await page.getByRole('region', { name: stage }).locator(`[data-row="${id}"]`).waitFor()
      await page.locator('.toast', { hasText: text }).waitFor()
      const messages = (await page.locator('.toasts').boundingBox()) ?? never
      await until(async () => (await bottomOfCard()) <= messages.y, 'the card to be above the message')
    }
    await move('Shift+ArrowRight', 'Doing', 'Ends last is now in Doing.')
    // Without the message, the column ends at the card again.
    await page.getByRole('button', { name: 'Dismiss' }).tap()
    const endOfColumn = () => bottomOf(`.column-cards:has([data-row="${id}"])`)
    await until(async () => (await endOfColumn()) - (await bottomOfCard()) < 20, 'the end of the column')
    await fadesEnd('0px')
    await page.context().setOffline(true)
    await page.locator('.connection-bar:not(:empty)').waitFor()
    for (const [width, key, stage] of [
      [390, 'Shift+ArrowLeft', 'Backlog'],
      [1024, 'Shift+ArrowRight', 'Doing'],
    ] as const) {
      await resize(page, width, 700)
      await move(key, stage, 'Ends last: saved here')
      // The line about the network makes the columns lower, so that the page does not scroll.
      const [whole, shown] = await page.evaluate(() => {
        const { scrollHeight, clientHeight } = document.documentElement
        return [scrollHeight, clientHeight]
      })
      assert.equal(whole, shown, `at ${width} pixels`)
    }
    // The panel begins below the line.
    await card.getByRole('link').click()
    const { y } = (await page.locator('.panel').boundingBox()) ?? never
    assert.equal(y, await bottomOf('.connection-bar'))
    // Other tests have the same browser context.
    await page.context().setOffline(false)
  })

  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: phone },
  ])
    test(`on ${device}, skeletons have the header and row heights of their screens`, async () => {
      const { signIn } = setup()
      const { path, make } = await makeProject(`Outlined on ${device}`)
      const id = await make('Loads slowly', 0, 1)
      const page = await signIn('mara@example.com', `${path}?view=list`, options)
      const firstBoxes = (selector: string) =>
        page.locator(selector).evaluateAll((elements) =>
          elements.slice(0, 2).map((element) => {
            const { top, height } = element.getBoundingClientRect()
            return { top: Math.round(top), height: Math.round(height) }
          }),
        )
      await page.locator('.list-row').waitFor()
      const lines = await firstBoxes('.list-line')
      await holdAssignments(page)
      await page.reload()
      // The skeleton is drawn again when the name of the project arrives.
      await page.locator('.filter-button').waitFor()
      await page.locator('.shape-text').first().waitFor()
      const skeletonRows = await firstBoxes('.skeleton-row')
      assert.deepEqual(valuesOf(skeletonRows, 'height'), valuesOf(lines, 'height'))
      const distance = Math.abs((lines[0]?.top ?? 0) - (skeletonRows[0]?.top ?? 0))
      assert.ok(distance < 30, JSON.stringify({ lines, skeletonRows }))
      await page.goto(`${new URL(page.url()).origin}${path}/assignments/${id}`)
      await page.locator('.panel .panel-name-bar').waitFor()
      assert.equal(await page.locator('.panel .shape-value').count(), 9)
      const [loadingHead] = await firstBoxes('.panel-header')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.reload()
      await page.locator('.panel-name').waitFor()
      assert.deepEqual((await firstBoxes('.panel-header'))[0], loadingHead)
    })

  test('days and menus on a phone open as sheets at the bottom, over the whole width', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Sheets')
    const id = await make('Opens sheets', 0, 1)
    const page = await signIn('mara@example.com', `${path}/assignments/${id}`, phone)
    const assertSheet = async (selector: string) => {
      const { x, y, width, height } = (await page.locator(selector).boundingBox()) ?? never
      const bottom = Math.round(y + height)
      assert.deepEqual({ x, width, bottom }, { x: 0, width: 390, bottom: 844 }, selector)
    }
    await page.getByRole('button', { name: 'Choose: End' }).tap()
    await assertSheet('.day-layer:popover-open')
    await page.keyboard.press('Escape')
    await page.locator('.day-layer:popover-open').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close' }).tap()
    for (const name of ['Order of the assignments', 'Account of Mara Lindqvist']) {
      await page.getByRole('button', { name }).tap()
      await assertSheet('.menu:popover-open')
      await assertAccessible(page, `${name}, on a phone`)
      await page.keyboard.press('Escape')
    }
    // The pages without a tab come first, and what ends the session is apart.
    await page.getByRole('button', { name: 'Account of Mara Lindqvist' }).tap()
    const menu = page.getByRole('menu', { name: 'Account of Mara Lindqvist' })
    assert.equal(await menu.getByRole('menuitem').first().textContent(), 'Reports')
    assert.deepEqual(await menu.locator('.section-start').allTextContents(), [
      'Search or run a command',
      'Sign out',
    ])
    assert.equal(await menu.locator('[role^=menuitem]:not(:has(> .filter-menu-mark > .icon))').count(), 0)
    // A finger needs no highlight. An attached keyboard still moves one, from either end.
    const highlighted = menu.locator(':focus')
    assert.equal(await highlighted.count(), 0)
    await page.keyboard.press('ArrowDown')
    assert.equal(await highlighted.textContent(), 'Reports')
    await page.locator('.menu:popover-open').getByRole('button', { name: 'Close' }).tap()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Account of Mara Lindqvist' }).tap()
    await page.keyboard.press('ArrowUp')
    assert.equal(await highlighted.textContent(), 'Sign out')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await assertSheet('dialog[open]')
    await page.keyboard.press('Escape')
    // A list of values is as high as its content, below a title and a button that closes it.
    await page.locator(`#card-${id}`).focus()
    await page.keyboard.press('p')
    const values = page.getByRole('dialog', { name: 'Priority' })
    await values.getByRole('option', { name: 'Urgent' }).waitFor()
    await assertSheet('dialog.picker')
    assert.ok(((await values.boundingBox()) ?? never).height < 450)
    assert.ok(((await values.getByRole('heading').boundingBox()) ?? never).height > 20)
    // The title is said once, and title, heading and icons begin at one line.
    assert.equal(await values.getByRole('combobox').getAttribute('placeholder'), 'Search')
    assert.equal(await values.locator('.palette-group').textContent(), 'Opens sheets')
    assert.deepEqual(await values.evaluate(startsOf), [16, 16, 16, 16])
    await values.getByRole('button', { name: 'Close' }).tap()
    await values.waitFor({ state: 'detached' })
    // Only values of which several can be chosen have a box.
    await page.keyboard.press('l')
    const labels = page.getByRole('dialog', { name: 'Labels' })
    await labels.getByRole('option').first().waitFor()
    assert.equal(
      await labels.locator('[role=option]:has(> .palette-box)').count(),
      await labels.locator('[role=option]:not([aria-disabled])').count(),
    )
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sheets', exact: true }).tap()
    await assertSheet('.filter-menu:popover-open')
    await assertAccessible(page, 'pages and projects, on a phone')
    const switcher = page.getByRole('dialog', { name: 'Pages and projects' })
    await switcher.getByRole('option', { name: 'Activity' }).waitFor()
    assert.deepEqual(await switcher.evaluate(startsOf), [16, 16, 16])
    // The list has the focus, so that no keyboard appears. The keys of an attached one still arrive.
    assert.equal(await switcher.locator('[aria-selected=true]').count(), 0)
    await page.keyboard.press('ArrowDown')
    assert.equal(await switcher.locator('[aria-selected=true]').textContent(), 'Activity')
    await page.keyboard.type('h')
    assert.equal(await switcher.getByRole('combobox').inputValue(), 'h')
    await switcher.getByRole('button', { name: 'Close' }).tap()
    await switcher.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sheets', exact: true }).tap()
    await page.getByRole('option', { name: 'Hours' }).tap()
    await page.waitForURL('**/report')
    // After a touch, nothing keeps a hover style.
    assert.deepEqual(await page.evaluate(unlimitedHovers), [])
  })

  test('a list on a phone is grouped in the Display menu', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Grouped on a phone')
    await make('Waits at the start', 0, 1)
    const assignmentId = await make('Has every fact', -4, -3, { priority: 1, amountHours: 20 })
    await workspace.make('assignmentImpediment', { assignmentId, impedimentId: workspace.impedimentId })
    const { id: userId } = workspace.mara
    await workspace.make('appointment', { assignmentId, userId, keepDate: '2026-11-17', amountHours: 3 })
    const query = `view=list&stages=${workspace.stages.Backlog}&userId=${userId}`
    const page = await signIn('mara@example.com', `${path}?${query}`, phone)
    // The rows have room for all facts, because checkboxes are shown only on request and hours have no bar.
    const facts = page.locator('.list-row', { hasText: 'Has every fact' }).locator('.row-facts')
    await facts.locator('.blocked').waitFor()
    const line = (await facts.boundingBox()) ?? never
    for (const selector of ['.card-key', '.stage-fact', '.due', '.hours-mark']) {
      const fact = (await facts.locator(selector).boundingBox()) ?? never
      assert.ok(fact.y < line.y + line.height / 2 && fact.x + fact.width <= line.x + line.width, selector)
    }
    // No figure is cut where the line ends.
    const hours = facts.locator('.hours-mark.recorded')
    assert.ok(await hours.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth))
    // The name of the stage wraps below the line before any other fact is hidden.
    const isHidden = () =>
      facts.evaluate((row) => {
        const name = row.querySelector('.stage-fact > bdi') ?? row
        return name.getBoundingClientRect().top >= row.getBoundingClientRect().bottom
      })
    assert.equal(await isHidden(), false, 'the name of the stage is whole')
    // As on a card, a late day has a clock.
    await facts.locator('.due > .icon').waitFor()
    await page.setViewportSize({ width: 320, height: 844 })
    await until(isHidden, 'the name of the stage to be hidden')
    assert.ok(await facts.locator('.stage-fact > .mark').isVisible())
    await page.setViewportSize(phone.viewport)
    await page.getByRole('button', { name: 'Display' }).tap()
    await page.getByLabel('Group by').selectOption('Stage')
    await page.keyboard.press('Escape')
    await page.locator('.list-group').getByText('Backlog').waitFor()
    const heightOf = async (selector: string) =>
      ((await page.locator(selector).first().boundingBox()) ?? never).height
    // Headings are low, but their buttons are not, and rows leave out the stage that their heading shows.
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
    // While the search is used, it has a separate line.
    const search = page.getByRole('button', { name: 'Search assignments' })
    await search.tap()
    await page.locator('input[type=search]:focus').waitFor()
    await page.getByRole('searchbox').fill('start')
    assert.ok(((await page.getByRole('searchbox').boundingBox()) ?? never).width > 350)
    await page.waitForURL((url) => url.searchParams.get('search') === 'start')
    await search.tap()
    await page.waitForURL((url) => !url.searchParams.has('search'))
    assert.equal(await page.getByRole('searchbox').count(), 0)
    // The whole row is a link.
    await page.locator('.list-row', { hasText: 'Waits at the start' }).tap({ position: { x: 250, y: 45 } })
    await page.getByRole('complementary', { name: 'Waits at the start' }).waitFor()
  })

  test('the agenda on a phone begins at overdue assignments or at today', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Agenda')
    const done = { workflowId: workspace.stages.Done }
    const month = today().slice(0, 7)
    const sinceMonday = daysBetween(monday, today())
    for (let day = 1; day < Number(today().slice(8)); day += 1)
      await make(`Before ${day}`, sinceMonday - day, sinceMonday - day, done)
    const lateId = await make('Too late', sinceMonday - 1, sinceMonday - 1)
    await make('Due today', sinceMonday, sinceMonday)
    for (let day = 1; day < 9; day += 1) await make(`After ${day}`, sinceMonday, sinceMonday + day)
    const nextFirst = addMonths(`${month}-01`, 1)
    await make('Next month', sinceMonday, sinceMonday + daysBetween(today(), nextFirst))
    const page = await signIn('mara@example.com', `${path}?view=calendar&month=${month}`, phone)
    const top = async (selector: string) => ((await page.locator(selector).boundingBox()) ?? never).y
    await page.getByRole('link', { name: 'Due today' }).waitFor()
    const assertBeginsAt = async (name: string) => {
      const distance = (await top(`.agenda h2.${name}`)) - (await top('.agenda'))
      assert.ok(distance >= 0 && distance < 60, `${distance} pixels`)
    }
    // Stages that arrive after the assignments change neither what is overdue nor where the list begins.
    await page.route(/\/projectStages\?/, async (route) => {
      await setTimeout(1000)
      await route.continue()
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Overdue 1' }).waitFor()
    await page.getByRole('region', { name: 'Overdue' }).getByRole('link', { name: 'Too late' }).waitFor()
    await assertBeginsAt('overdue')
    // Arrow keys lead from row to row, across the days, and no heading covers a row that is reached from below.
    const all = await page.locator('.agenda .row a').allTextContents()
    const names = all.slice(all.indexOf('Too late'))
    assert.equal(names.length, 11)
    await page.getByRole('link', { name: 'Too late' }).focus()
    for (const [key, reached] of [
      ['ArrowDown', names.slice(1)],
      ['ArrowUp', names.toReversed().slice(1)],
    ] as const)
      for (const name of reached) {
        await page.keyboard.press(key)
        const link = page.getByRole('link', { name, exact: true })
        await link.and(page.locator(':focus')).waitFor()
        const isInFront = await link.evaluate((one) => {
          const { x, y } = one.getBoundingClientRect()
          return one.contains(document.elementFromPoint(x + 4, y + 4))
        })
        assert.ok(isInFront, `${name} is covered`)
      }
    // Days after the end of the month have separate sections, too, whose headings name the month.
    assert.equal(await page.locator('.agenda > section', { hasText: /After \d/ }).count(), 8)
    const name = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(nextFirst))
    const nextDay = page.getByRole('region', { name: ` 1 ${name}` })
    await nextDay.getByRole('link', { name: 'Next month' }).waitFor()
    // In December, they name the year, too.
    const year = nextFirst.slice(0, 4)
    const yearCount = await page.getByRole('main').getByText(`${name} ${year}`).count()
    assert.equal(yearCount > 0, !month.startsWith(year))
    // The heading of a group of days is a band, and an overdue day the pill of a row of the list.
    const colorOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((found) => getComputedStyle(found).backgroundColor)
    assert.notEqual(await colorOf('.agenda h2'), await colorOf('.agenda'))
    assert.notEqual(await colorOf('.agenda .overdue + .rows .due'), 'rgba(0, 0, 0, 0)')
    await workspace.change('PATCH', 'assignment', { ...(await workspace.get('assignment', lateId)), ...done })
    await page.getByRole('heading', { name: 'Overdue 1' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Next month' }).tap()
    await page.locator('.agenda h2.today').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Previous month' }).tap()
    await page.locator('.agenda h2.today').getByText('Today', { exact: true }).waitFor()
    await page.locator('.agenda[aria-busy=false]').waitFor()
    await assertBeginsAt('today')
    // The heading of a day stays in place while its rows scroll.
    await page.locator('.agenda').evaluate((agenda) => agenda.scrollBy(0, 20))
    assert.equal(Math.round((await top('.agenda h2.today')) - (await top('.agenda'))), 1)
    const nextMonth = (await page.getByRole('button', { name: 'Next month' }).boundingBox()) ?? never
    assert.equal(await top('.subscribe'), nextMonth.y)
    await page.getByRole('button', { name: 'More actions' }).tap()
    await page.getByRole('menuitem', { name: 'Subscribe' }).tap()
    await page.getByRole('dialog').waitFor()
  })

  for (const width of [320, 390, 768])
    test(`cards show the whole key and the due day on a touch screen of ${width} pixels`, async () => {
      const { signIn, workspace } = setup()
      const { path, make } = await makeProject(`Keys at ${width}`)
      const assignmentId = await make('Has every fact', 0, 0, { priority: 4, amountHours: 40 })
      const entry = { assignmentId, userId: workspace.mara.id, keepDate: '2026-11-16', amountHours: 4.25 }
      await workspace.make('appointment', entry)
      const page = await signIn('mara@example.com', path, { ...phone, viewport: { width, height: 844 } })
      const facts = page.locator('.card-facts')
      // The bar of the hours is as wide as its figures, so that it needs no room.
      await facts.getByText('4.25 of 40 h recorded').waitFor()
      const line = (await facts.boundingBox()) ?? never
      const widthOf = async (selector: string) => (await facts.locator(selector).first().boundingBox())?.width
      assert.equal(await widthOf('.share-bar'), await widthOf('.hours-mark > span'))
      const selectors = ['.card-key', '.due', ...(width === 390 ? ['.hours-mark > span'] : [])]
      for (const selector of selectors) {
        const fact = (await facts.locator(selector).first().boundingBox()) ?? never
        assert.ok(fact.x >= line.x && fact.x + fact.width <= line.x + line.width, selector)
        assert.ok(fact.y < line.y + line.height / 2, selector)
      }
    })
}
