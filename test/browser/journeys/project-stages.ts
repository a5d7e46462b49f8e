import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

const columnsOf = (page: Page) => page.locator('.column h2').allTextContents()

export function projectStageJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('are chosen with order and color', async () => {
    const { hosts, signIn, workspace } = setup()
    const { projectId, path, make } = await makeProject('With its own stages')
    // From Monday to Tuesday.
    await make('In the backlog', 0, 1)
    const page = await signIn('mara@example.com', `${path}/settings`)
    let savedCount = 0
    page.on('response', (response) => {
      if (response.url().endsWith('/ext/batch') && response.ok()) savedCount += 1
    })
    const stages = page.getByRole('region', { name: 'Stages' })
    await stages.getByRole('checkbox', { name: 'Use Backlog' }).waitFor()
    assert.equal(await stages.locator('.stage-row .mark').count(), 3)
    // Checked before the first change, because its message fades in, and colors cannot be measured meanwhile.
    await assertAccessible(page, 'the stages of a project')
    await stages.getByRole('checkbox', { name: 'Use Backlog' }).uncheck()
    await stages.getByLabel('Color of Done').selectOption('Purple')
    await stages.getByRole('button', { name: 'Move Done up' }).press('Enter')
    await stages.getByRole('button', { name: 'Move Done up' }).and(page.locator(':focus')).waitFor()
    // Saving the form of the project neither undoes nor repeats these changes.
    await page.getByLabel('Description').fill('With its own stages.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(() => savedCount === 3, 'three saved changes')

    await page.goto(`${hosts.web}${path}`)
    const card = page.getByRole('link', { name: 'In the backlog', exact: true })
    await card.waitFor()
    assert.deepEqual(await columnsOf(page), ['Done', 'Doing', 'Backlog'])
    const colorOf = (name: string) =>
      page.getByRole('region', { name, exact: true }).getAttribute('data-color')
    assert.equal(await colorOf('Done'), 'purple')
    assert.equal(await colorOf('Doing'), 'blue')
    await page.getByRole('button', { name: 'Move In the backlog to…' }).click()
    const choices = page.getByRole('menu', { name: 'Move In the backlog to…' }).getByRole('menuitem')
    assert.deepEqual(await choices.allTextContents(), ['Done', 'Doing', 'Backlog'])
    await choices.filter({ hasText: 'Backlog' }).and(page.locator(':focus')).waitFor()
    await choices.filter({ hasText: 'Doing' }).click()
    await page.getByRole('heading', { name: 'Backlog' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Move In the backlog to…' }).click()
    await choices.filter({ hasText: 'Backlog' }).waitFor({ state: 'detached' })
    assert.deepEqual(await choices.allTextContents(), ['Done', 'Doing'])
    await page.keyboard.press('Escape')

    // Another member changes the stages while the board is open.
    await workspace.make('projectStage', { projectId, workflowId: workspace.stages.Backlog, order: 5 })
    await page.getByRole('heading', { name: 'Backlog' }).waitFor()
    assert.deepEqual(await columnsOf(page), ['Done', 'Doing', 'Backlog'])

    await page.goto(`${hosts.web}${path}/settings`)
    await stages.getByRole('button', { name: 'Use all stages again' }).click()
    await page.getByText('The stages were saved.').waitFor()
    await page.goto(`${hosts.web}${path}`)
    await card.waitFor()
    assert.deepEqual(await columnsOf(page), ['Backlog', 'Doing', 'Done'])
  })

  test('are saved at every change, which Undo reverts', async () => {
    const { signIn, hosts } = setup()
    const { path } = await makeProject('With changed stages')
    const page = await signIn('mara@example.com', `${path}/settings`)
    const color = page.getByLabel('Color of Doing')
    // A select of colors shows the chosen color, even if it is the default.
    const frame = page.locator('.select-frame', { has: color })
    assert.equal(await frame.getAttribute('data-color'), 'blue')
    await color.selectOption('Pink')
    await page.locator('.stage-row .select-frame[data-color=pink]').waitFor()
    await page.getByText('The stages were saved.').waitFor()
    await page.goto(`${hosts.web}${path}/settings`)
    await color.waitFor()
    assert.equal(await color.inputValue(), 'pink')
    await color.selectOption('Teal')
    await page.getByText('The stages were saved.').waitFor()
    const undone = page.waitForResponse((response) => response.url().includes('/ext/batch'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await undone
    await page.reload()
    await color.waitFor()
    assert.equal(await color.inputValue(), 'pink')

    // A rejected change is reported, and the list shows the saved state.
    await page.route('**/ext/batch', (route) =>
      route.fulfill({ status: 500, json: { statusCode: 500, message: 'Broken.' } }),
    )
    await color.selectOption('Blue')
    await page.getByText('Broken.').waitFor()
    await until(async () => (await color.inputValue()) === 'pink', 'the saved color')
  })
}
