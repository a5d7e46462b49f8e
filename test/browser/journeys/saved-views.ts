import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { until } from '../../support/until.ts'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'
import { choose, shows } from './filters.ts'

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name })
const current = (page: Page, name: string) =>
  page.locator('.view-tabs [aria-current=page]', { hasText: name }).waitFor()

async function save(page: Page, name: string, audience = 'Only for me'): Promise<void> {
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Who sees it').selectOption(audience)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await current(page, name)
}

async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Change the view' }).click()
  await page.getByRole('menuitem', { name }).click()
}

export function savedViewJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('a view is saved with its filters, opened by its tab, changed, renamed, removed and brought back', async () => {
    const { hosts, signIn, workspace } = stage()
    const { jonas } = workspace
    const { path, projectId, make } = await makeProject('With own views')
    await make('Maras', 0, 1)
    await make('Jonass', 0, 1, { userId: jonas.id })
    const page = await signIn('mara@example.com', `${path}?view=list`)
    await shows(page, 'Jonass', 'Maras')
    assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
    await choose(page, 'Jonas Weber')
    await page.getByLabel('Group by').selectOption('Stage')
    await save(page, 'Those of Jonas')
    await assertAccessible(page, 'saved views')
    assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
    // Programs can use it, too.
    const [row] = await hosts.database.query<{ list: string; filter: string }>(
      sql`select list, filter from saved_views where name = 'Those of Jonas'`,
    )
    const filter = `projectId eq '${projectId}' and userId in ('${jonas.id}')`
    assert.deepEqual(row, { list: 'assignments', filter })

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await shows(page, 'Jonass', 'Maras')
    await tab(page, 'Those of Jonas').click()
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    await shows(page, 'Jonass')

    await choose(page, 'Mara Lindqvist')
    await shows(page, 'Jonass', 'Maras')
    await page.getByRole('img', { name: 'not as saved' }).waitFor()
    await page.getByRole('button', { name: 'Update view' }).click()
    await page.getByRole('img', { name: 'not as saved' }).waitFor({ state: 'detached' })
    await page.goto(`${stage().hosts.web}${path}`)
    await tab(page, 'Those of Jonas').click()
    await shows(page, 'Jonass', 'Maras')

    await chooseAction(page, 'Rename view')
    const dialog = page.getByRole('dialog', { name: 'Rename view' })
    await dialog.getByLabel('Name').fill('Of both')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await tab(page, 'Of both').waitFor()
    await chooseAction(page, 'Remove view')
    await tab(page, 'Of both').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await tab(page, 'Of both').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('of both')
    await page.getByRole('option', { name: 'Of both', exact: true }).click()
    await page.waitForURL((url) => url.pathname === `/projects/${projectId}` && url.searchParams.has('saved'))
    await current(page, 'Of both')
  })

  test('a shared view appears at once for another member, who uses it and saves one of their own', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('With shared views')
    await make('Maras', 0, 1)
    await make('Jonass', 0, 1, { userId: workspace.jonas.id })
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', path),
      signIn('jonas@example.com', path),
    ])
    await shows(jonas, 'Jonass', 'Maras')
    await choose(mara, 'Mara Lindqvist')
    await save(mara, 'Of Mara', 'Everyone in the project')
    await tab(jonas, 'Of Mara').click()
    await shows(jonas, 'Maras')
    assert.equal(await jonas.getByRole('button', { name: 'Change the view' }).count(), 0)
    await jonas.getByRole('button', { name: 'Filter by Jonas Weber' }).click()
    await shows(jonas, 'Jonass', 'Maras')
    assert.equal(await jonas.getByRole('button', { name: 'Update view' }).count(), 0)
    await save(jonas, 'Of us')
    await chooseAction(mara, 'Remove view')
    await tab(jonas, 'Of Mara').waitFor({ state: 'detached' })
    assert.equal(await tab(mara, 'Of us').count(), 0)
  })

  test('a phone has a menu of them', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Views on a phone')
    await make('Maras', 0, 1)
    await make('Jonass', 0, 1, { userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `${path}?userId=${workspace.jonas.id}`, {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    await shows(page, 'Jonass')
    const open = () => page.getByRole('button', { name: 'Saved views' }).tap()
    await open()
    await page.getByRole('menuitem', { name: 'Save view' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').fill('In my pocket')
    await dialog.getByRole('button', { name: 'Save', exact: true }).tap()
    await dialog.waitFor({ state: 'detached' })
    await page.goto(`${stage().hosts.web}${path}`)
    await shows(page, 'Jonass', 'Maras')
    await open()
    await assertAccessible(page, 'menu of saved views')
    await page.getByRole('menuitem', { name: 'In my pocket' }).tap()
    await shows(page, 'Jonass')
  })

  test('without the extensions there are none', async () => {
    const { hosts, signIn } = stage()
    const { path, make } = await makeProject('Without views')
    await make('Alone', 0, 1)
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
