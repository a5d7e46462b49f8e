import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { addDays } from '../../../web/src/time/days.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { datedProjects, monday } from '../support/dated-projects.ts'
import { goWithin } from '../support/every-screen.ts'
import { assertAccessible } from './accessibility.ts'

/** Waits until the view shows these assignments and no others, in the order of their names. */
export async function shows(page: Page, ...names: string[]): Promise<void> {
  const links = page.locator('.card-link, .list-link, .bar-name')
  // An assignment has a bar in each week.
  const shown = async () => [
    ...new Set((await links.allInnerTexts()).map((text) => text.trim().split(/\s/)[0])),
  ]
  await until(async () => (await shown()).sort().join() === names.join(), `only ${names.join()}`)
}

const filterButton = (page: Page) => page.getByRole('button', { name: /^(\d )?Filter$/ })
const chip = (page: Page, text: string) => page.locator('.filter-chip', { hasText: text })
const removeChip = (page: Page, name: string) =>
  page.getByRole('button', { name: `Remove the filter ${name}` }).click()

/** Finds and chooses each value by typing, and then closes the menu. */
export async function choose(page: Page, ...names: string[]): Promise<void> {
  await filterButton(page).click()
  for (const name of names) {
    await page.getByRole('combobox', { name: 'Find a filter' }).fill(name)
    await page.getByRole('option', { name }).first().waitFor()
    await page.keyboard.press('Enter')
    await chip(page, name).waitFor()
    // The next text is typed from the beginning.
    assert.equal(await page.getByRole('combobox', { name: 'Find a filter' }).inputValue(), '')
  }
  await page.keyboard.press('Escape')
  await page.locator('.filter-button:focus').waitFor()
}

export function filterJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('apply to every view of a project, can be negated, and are kept in the address', async () => {
    const { hosts, signIn, workspace } = setup()
    const { make } = workspace
    const { projectId, path, make: makeAssignment } = await makeProject('Narrowed')
    const alpha = await makeAssignment('Alpha', 0, 1)
    const beta = await makeAssignment('Beta', 0, 1)
    const gamma = await makeAssignment('Gamma', 1, 2)
    const delta = await makeAssignment('Delta', 1, 2)
    await hosts.database.query(sql`update assignments set priority = 4 where id = ${alpha}`)
    const { id: labelId } = await make('label', { name: 'Crooked', color: 'teal', projectId })
    for (const assignmentId of [alpha, beta]) await make('assignmentLabel', { assignmentId, labelId })
    await make('assignmentDependency', { assignmentId: gamma, blockedById: beta })
    await make('assignmentImpediment', { assignmentId: delta, impedimentId: workspace.impedimentId })
    const page = await signIn('mara@example.com', path)
    await shows(page, 'Alpha', 'Beta', 'Delta', 'Gamma')
    await choose(page, 'Crooked')
    await shows(page, 'Alpha', 'Beta')
    await choose(page, 'Urgent')
    await shows(page, 'Alpha')
    await assertAccessible(page, 'chosen filters')
    await page.reload()
    await shows(page, 'Alpha')
    await removeChip(page, 'Priority')
    await shows(page, 'Alpha', 'Beta')
    await choose(page, 'Today', 'Backlog')
    await shows(page, 'Alpha', 'Beta')
    await choose(page, 'Done')
    await chip(page, 'Stage: Backlog, Done').waitFor()
    await chip(page, 'Changed: Today').waitFor()
    // A click on a chip opens the values of its filter.
    await page.getByRole('button', { name: /^Stage: / }).click()
    await page.getByRole('option', { name: 'Backlog' }).click()
    await page.getByText('No assignments match these filters').first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.filter-chip-name:focus', { hasText: 'Stage: Done' }).waitFor()
    // The filter of a chip can be negated.
    await page.getByRole('button', { name: /^Stage: / }).click()
    await page.getByRole('button', { name: 'Is not' }).click()
    await chip(page, 'Stage: not Done').waitFor()
    await assertAccessible(page, 'the values of an excluding filter')
    await page.keyboard.press('Escape')
    await shows(page, 'Alpha', 'Beta')
    await removeChip(page, 'Stage')
    await removeChip(page, 'Changed')
    await shows(page, 'Alpha', 'Beta')
    await page.getByRole('button', { name: /^Labels: / }).click()
    await page.getByRole('button', { name: 'Is not' }).click()
    await page.keyboard.press('Escape')
    for (const view of ['List', 'Calendar', 'Timeline', 'Board']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await shows(page, 'Delta', 'Gamma')
    }
    await page.getByRole('button', { name: /^Labels: not / }).click()
    await page.getByRole('button', { name: 'Is not', pressed: true }).click()
    await page.keyboard.press('Escape')
    await shows(page, 'Alpha', 'Beta')
    await make('assignmentLabel', { assignmentId: gamma, labelId })
    await shows(page, 'Alpha', 'Beta', 'Gamma')
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await shows(page, 'Alpha', 'Beta', 'Gamma')
    await choose(page, 'Blocked or waiting')
    await shows(page, 'Gamma')
    await removeChip(page, 'Labels')
    for (const view of ['List', 'Calendar', 'Timeline', 'Board']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await shows(page, 'Delta', 'Gamma')
    }
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, 'Alpha', 'Beta', 'Delta', 'Gamma')
    assert.equal(await page.locator('.filter-chip').count(), 0)
  })

  test('are set by avatar or name in every view', async () => {
    const { hosts, signIn, workspace } = setup()
    const { jonas } = workspace
    const { path, make } = await makeProject('For several people')
    const outsider = await workspace.join('Lena Outside')
    await make('Maras', 0, 1)
    await make('Jonass', 0, 1, { userId: jonas.id })
    await make('Lenas', 0, 1, { userId: outsider.id })
    const page = await signIn('mara@example.com', path)
    await shows(page, 'Jonass', 'Lenas', 'Maras')
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).click()
    await shows(page, 'Jonass')
    // Addresses of earlier versions have only one user.
    assert.equal(new URL(page.url()).search, `?userId=${jonas.id}`)
    await page.getByRole('button', { name: 'Filter by Mara Lindqvist' }).click()
    await shows(page, 'Jonass', 'Maras')
    await chip(page, 'Responsible: Jonas Weber, Mara Lindqvist').waitFor()
    await page.reload()
    await shows(page, 'Jonass', 'Maras')
    for (const view of ['List', 'Calendar', 'Timeline', 'Board']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await shows(page, 'Jonass', 'Maras')
      if (view === 'Timeline')
        assert.equal(await page.getByRole('region', { name: 'Lena Outside' }).count(), 0)
    }
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).click()
    await shows(page, 'Maras')
    // Lena is not a member, but is found by her name.
    await choose(page, 'Lena Outside')
    await shows(page, 'Lenas', 'Maras')
    await removeChip(page, 'Responsible')
    await choose(page, 'Not a member')
    await shows(page, 'Lenas')
    for (const view of ['List', 'Calendar', 'Timeline']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await shows(page, 'Lenas')
    }
    await page.goto(`${hosts.web}${path}?userId=${jonas.id}`)
    await shows(page, 'Jonass')
  })

  test('are found by their name first, then by their values', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Personal')
    await make('Alpha', 0, 1)
    const page = await signIn('mara@example.com', path)
    await shows(page, 'Alpha')
    await filterButton(page).click()
    await page.getByRole('combobox', { name: 'Find a filter' }).pressSequentially('resp')
    await page
      .getByRole('option', { name: /^Responsible/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Responsible' }).waitFor()
    assert.equal(await page.locator('.filter-chip').count(), 0)
    await page.keyboard.type('mara')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).waitFor()
    await page.keyboard.press('Enter')
    await chip(page, 'Responsible: Mara Lindqvist').waitFor()
    await page.keyboard.type('jonas')
    await page.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    await page.keyboard.press('Enter')
    await chip(page, 'Responsible: Mara Lindqvist, Jonas Weber').waitFor()
  })

  test('show each user their own assignments if their value is Me', async () => {
    const { hosts, signIn, workspace } = setup()
    const { path, make } = await makeProject('Mine')
    await make('Maras', 0, 1)
    await make('Jonass', 0, 1, { userId: workspace.jonas.id })
    const mara = await signIn('mara@example.com', path)
    await shows(mara, 'Jonass', 'Maras')
    await choose(mara, 'Me')
    await chip(mara, 'Responsible: Me').waitFor()
    await shows(mara, 'Maras')
    assert.equal(new URL(mara.url()).search, '?userId=me')
    const jonas = await signIn('jonas@example.com', `${path}?userId=me`)
    await chip(jonas, 'Responsible: Me').waitFor()
    for (const view of ['List', 'Calendar', 'Timeline', 'Board']) {
      await jonas.getByRole('link', { name: view, exact: true }).click()
      await shows(jonas, 'Jonass')
    }
    assert.equal(new URL(jonas.url()).searchParams.get('userId'), 'me')
    await jonas.goto(`${hosts.web}${path}?userId=me,${workspace.mara.id}`)
    await shows(jonas, 'Jonass', 'Maras')
  })

  test('include days only on the board and the list', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('From day to day')
    await make('Early', 0, 0)
    await make('Late', 5, 6)
    const page = await signIn('mara@example.com', path)
    await shows(page, 'Early', 'Late')
    await page.locator('main').press('Shift+F')
    await page.getByRole('dialog', { name: 'Filter' }).waitFor()
    await page.keyboard.type('dates')
    await page.getByRole('option', { name: 'Dates', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog', { name: 'Dates' })
      .getByLabel('From', { exact: true })
      .fill(addDays(monday, 4))
    await page.keyboard.press('Enter')
    await shows(page, 'Late')
    await page.keyboard.press('Escape')
    await page.locator('.filter-button:focus').waitFor()
    await chip(page, 'Dates: from').waitFor()
    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    await shows(page, 'Early', 'Late')
    assert.equal(await page.locator('.filter-chip').count(), 0)
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await shows(page, 'Late')
  })

  test('leave the first card near the top at every width', async () => {
    const { signIn, workspace } = setup()
    const { mara, jonas } = workspace
    const { projectId, path, make } = await makeProject('High up')
    // The timeline of a phone begins today. Without an assignment, it would take another line to say so.
    await make('Topmost', 0, 13)
    // Members for whom there is no room, and saved views, take no row of their own.
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn']) {
      const { id: userId } = await workspace.make('user', {
        name: `${name} Neighbour`,
        login: `${name}@high.example`,
        password: 'Correct-Horse-7',
      })
      await workspace.make('userProject', { projectId, userId })
    }
    const query = `?userId=${mara.id},${jonas.id}&changed=30`
    for (const [name, address] of Object.entries({ Late: `${path}?overdue=1`, Team: `${path}${query}` }))
      await workspace.make('projectView', { projectId, userId: mara.id, name, list: 'assignments', address })
    const filtered = `${path}${query}`
    const topOf = async (page: Page, width: number) => {
      await resize(page, width, 800)
      await shows(page, 'Topmost')
      return (await page.locator('.card').first().boundingBox())?.y ?? Number.NaN
    }
    const desk = await signIn('mara@example.com', filtered)
    await desk.getByRole('link', { name: 'Team' }).waitFor()
    await desk.getByRole('button', { name: 'Filter by Ben Neighbour' }).waitFor()
    for (const { width, highest } of [
      { width: 1440, highest: 240 },
      { width: 1024, highest: 200 },
      { width: 768, highest: 200 },
    ]) {
      const top = await topOf(desk, width)
      assert.ok(top <= highest, `the first card begins at ${top} of ${width}`)
    }
    const chips = await desk.locator('.filter-chips').boundingBox()
    assert.ok(chips && chips.width > 150 && chips.x + chips.width <= 768, JSON.stringify(chips))
    await resize(desk, 1024, 800)
    await desk.getByRole('button', { name: 'Saved views' }).getByText('Team').waitFor()
    await desk.getByRole('searchbox', { name: 'Search assignments' }).fill('top')
    await desk.waitForURL((url) => url.searchParams.get('search') === 'top')
    assert.ok((await topOf(desk, 1024)) <= 200)
    await desk.locator('.card').first().click()
    await desk.locator('.panel').getByRole('heading', { name: 'Activity' }).waitFor()
    assert.ok((await topOf(desk, 1024)) <= 200)
    const page = await signIn('mara@example.com', filtered, { hasTouch: true, isMobile: true })
    // On a phone, the chips of chosen filters take another line of 52 pixels.
    assert.ok((await topOf(page, 390)) <= 185 + 52)
    await goWithin(page, `${path}?view=timeline`)
    // The first bar begins 70 pixels below.
    const lane = page.locator('.person-lane').first()
    await lane.waitFor()
    assert.ok(((await lane.boundingBox())?.y ?? Number.NaN) <= 220)
    await goWithin(page, path)
    assert.ok((await topOf(page, 390)) <= 185)
    // The name of the project is in the bar at the top, between the edge and the other buttons.
    const name = await page.getByRole('button', { name: 'High up' }).boundingBox()
    assert.ok(name && name.y + name.height <= 48 && name.height >= 44, JSON.stringify(name))
    await filterButton(page).tap()
    await page.getByRole('option', { name: 'Stage' }).waitFor()
    const names = await page.locator('.filter-menu-name').allTextContents()
    assert.deepEqual(names, [
      ...['Stage', 'Priority', 'Responsible', 'Labels', 'Type', 'Dates', 'Changed'],
      ...['Blocked or waiting', 'Overdue', 'No dates'],
    ])
    // A line separates what is switched on and off at once.
    assert.deepEqual(await page.locator('.filter-menu .section-start').allTextContents(), [
      'Blocked or waiting',
    ])
    await page.getByRole('button', { name: 'Close', exact: true }).tap()
    await page.locator('.filter-menu').waitFor({ state: 'detached' })
    await filterButton(page).tap()
    await page.getByRole('option', { name: 'Responsible' }).tap()
    await page.getByRole('option', { name: 'Jonas Weber' }).tap()
    await page.getByRole('option', { name: 'Mara Lindqvist' }).tap()
    await page.locator('[role=option][aria-checked=true]').nth(1).waitFor()
    await assertAccessible(page, 'filter menu on a phone')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).tap()
    await page.getByText('No assignments match these filters').first().waitFor()
    await page.getByRole('button', { name: 'Back', exact: true }).tap()
    await page.getByRole('option', { name: /^Responsible/ }).waitFor()
    // The touch that closes a sheet hits the link to the list, but does not open it.
    await page.getByRole('link', { name: 'List', exact: true }).tap({ force: true })
    await page.locator('.filter-menu').waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('view'), null)
    // The list of the name has the pages of the project, for which the bar has no room.
    await page.getByRole('button', { name: 'High up' }).tap()
    await page.getByRole('option', { name: 'Members…' }).tap()
    await page.getByRole('dialog', { name: 'Members of High up' }).waitFor()
  })
}
