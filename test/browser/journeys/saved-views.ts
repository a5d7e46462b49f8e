import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'
import { choose, shows } from './filters.ts'

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name })
const waitForCurrentTab = (page: Page, name: string) =>
  page.locator('.view-tabs [aria-current=page]', { hasText: name }).waitFor()

async function save(page: Page, name: string, audience = 'Only me'): Promise<void> {
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Visible to').selectOption(audience)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await waitForCurrentTab(page, name)
}

async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Saved views' }).click()
  await page.getByRole('menuitem', { name }).click()
}

export function savedViewJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('are saved, opened, updated, renamed, removed and restored', async () => {
    const { hosts, signIn, workspace } = setup()
    const { jonas } = workspace
    const { path, projectId, make } = await makeProject('Personal views')
    await make('ForMara', 0, 1)
    await make('ForJonas', 0, 1, { userId: jonas.id })
    const page = await signIn('mara@example.com', `${path}?view=list`)
    await shows(page, 'ForJonas', 'ForMara')
    assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
    // Also a view without filters can be saved, from the menu that every width has.
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('menuitem', { name: 'Save view' }).waitFor()
    await page.keyboard.press('Escape')
    await choose(page, 'Jonas Weber')
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByLabel('Group by').selectOption('Stage')
    await page.keyboard.press('Escape')
    await save(page, 'Jonas only')
    await assertAccessible(page, 'saved views')
    assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
    // Besides its address, a view has a filter of the API, for API clients.
    const [row] = await hosts.database.query<{ list: string; filter: string }>(
      sql`select list, filter from saved_views where name = 'Jonas only'`,
    )
    const filter = `projectId eq '${projectId}' and userId in ('${jonas.id}')`
    assert.deepEqual(row, { list: 'assignments', filter })

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await shows(page, 'ForJonas', 'ForMara')
    await tab(page, 'Jonas only').click()
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    await shows(page, 'ForJonas')

    await choose(page, 'Mara Lindqvist')
    await shows(page, 'ForJonas', 'ForMara')
    await page.getByRole('img', { name: 'not as saved' }).waitFor()
    await page.getByRole('button', { name: 'Update view' }).click()
    await page.getByRole('img', { name: 'not as saved' }).waitFor({ state: 'detached' })
    await page.goto(`${setup().hosts.web}${path}`)
    await tab(page, 'Jonas only').click()
    await shows(page, 'ForJonas', 'ForMara')

    await chooseAction(page, 'Rename view')
    const dialog = page.getByRole('dialog', { name: 'Rename view' })
    await dialog.getByLabel('Name').fill('Mara and Jonas')
    const renaming = page.waitForRequest(
      (request) => request.method() === 'PATCH' && request.url().includes('/ext/savedView'),
    )
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    // A new name keeps the filters, also if another client has just changed them.
    const renamed = (await renaming).postDataJSON() as object
    assert.deepEqual(Object.keys(renamed).sort(), ['id', 'list', 'name', 'userId'])
    await tab(page, 'Mara and Jonas').waitFor()
    await chooseAction(page, 'Remove view')
    await tab(page, 'Mara and Jonas').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await tab(page, 'Mara and Jonas').waitFor()
    await page.keyboard.press('Control+k')
    // The palette knows the new name, and forgives typing errors in it.
    await page.keyboard.type('mara and jonsa')
    await page
      .getByRole('group', { name: 'Saved views' })
      .getByRole('option', { name: 'Mara and Jonas' })
      .click()
    await page.waitForURL((url) => url.pathname === `/projects/${projectId}` && url.searchParams.has('saved'))
    await waitForCurrentTab(page, 'Mara and Jonas')
  })

  test('are shown at once to other members if they are shared', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Shared views')
    await make('ForMara', 0, 1)
    await make('ForJonas', 0, 1, { userId: workspace.jonas.id })
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', path),
      signIn('jonas@example.com', path),
    ])
    await shows(jonas, 'ForJonas', 'ForMara')
    await choose(mara, 'Mara Lindqvist')
    await save(mara, 'Mara only', 'Everyone in the project')
    await tab(jonas, 'Mara only').click()
    await shows(jonas, 'ForMara')
    await jonas.getByRole('button', { name: 'Saved views' }).click()
    await jonas.getByRole('menuitem', { name: 'Mara only' }).waitFor()
    assert.equal(await jonas.getByRole('menuitem', { name: 'Remove view' }).count(), 0)
    await jonas.keyboard.press('Escape')
    await jonas.getByRole('button', { name: 'Filter by Jonas Weber' }).click()
    await shows(jonas, 'ForJonas', 'ForMara')
    assert.equal(await jonas.getByRole('button', { name: 'Update view' }).count(), 0)
    await save(jonas, 'Our team')
    await chooseAction(mara, 'Remove view')
    await tab(jonas, 'Mara only').waitFor({ state: 'detached' })
    assert.equal(await tab(mara, 'Our team').count(), 0)
  })

  test('are listed in a menu on a phone', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Views on a phone')
    await make('ForMara', 0, 1)
    await make('ForJonas', 0, 1, { userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `${path}?userId=${workspace.jonas.id}`, {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    await shows(page, 'ForJonas')
    const openMenu = () => page.getByRole('button', { name: 'Saved views' }).tap()
    await openMenu()
    await page.getByRole('menuitem', { name: 'Save view' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').fill('In my pocket')
    await dialog.getByRole('button', { name: 'Save', exact: true }).tap()
    await dialog.waitFor({ state: 'detached' })
    await page.goto(`${setup().hosts.web}${path}`)
    await shows(page, 'ForJonas', 'ForMara')
    await openMenu()
    await assertAccessible(page, 'menu of saved views')
    await page.getByRole('menuitem', { name: 'In my pocket' }).tap()
    await shows(page, 'ForJonas')
  })

  test('are absent without the extensions', async () => {
    const { hosts, signIn } = setup()
    const { path, make } = await makeProject('Without views')
    await make('Alone', 0, 1)
    // The page must exist before its configuration can be replaced.
    const page = await signIn('mara@example.com', '/account')
    await page.route('**/config.json', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), extensions: false } })
    })
    await page.goto(`${hosts.web}${path}?search=alone`)
    await shows(page, 'Alone')
    await until(async () => (await page.locator('.saved-views').count()) === 0, 'no saved views')
    assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
  })
}
