import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Stage } from '../support/stage.ts'

const column = (page: Page, name: string) => page.getByRole('region', { name })
const cardIn = (page: Page, stage: string, name: string) => column(page, stage).getByRole('link', { name })

export function boardJourneys(stage: () => Stage): void {
  const board = () => `/projects/${stage().workspace.projectId}`

  test('shows one person what another one does, without asking', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Seen by two')
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', board()),
      signIn('jonas@example.com', board()),
    ])
    await cardIn(jonas, 'Backlog', 'Seen by two').waitFor()
    await mara.getByRole('button', { name: 'Move Seen by two to…' }).click()
    await mara.getByRole('menuitem', { name: 'Doing' }).click()
    await cardIn(jonas, 'Doing', 'Seen by two').waitFor()
    await jonas.getByRole('button', { name: 'New assignment in Done' }).click()
    await jonas.getByLabel('Name', { exact: true }).fill('Made by Jonas')
    await jonas.getByLabel('Type', { exact: true }).selectOption('Feature')
    await jonas.getByLabel('Planned hours').fill('1:30')
    await jonas.getByRole('button', { name: 'Create assignment' }).click()
    await cardIn(mara, 'Done', 'Made by Jonas').waitFor()
    await column(mara, 'Done').getByText('1.5 h').waitFor()
  })

  test('is moved with keys, and the focus stays on the card', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Moved with keys')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Moved with keys').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await cardIn(page, 'Doing', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.getByText('Moved with keys is in Doing now.').waitFor({ state: 'attached' })
    await page.keyboard.press('m')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.keyboard.press('ArrowLeft')
    assert.equal(await page.evaluate('document.activeElement.closest(".column") !== null'), true)
    await page.reload()
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
  })

  test('is moved by dragging', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Dragged along')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Dragged along').waitFor()
    await page.locator('.card', { hasText: 'Dragged along' }).dragTo(column(page, 'Done'))
    await cardIn(page, 'Done', 'Dragged along').waitFor()
    await page.getByText('Dragged along is in Done now.').waitFor({ state: 'attached' })
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
  })

  test('takes a refused move back, and says why', async () => {
    const { signIn, workspace } = stage()
    const { id: gone } = await workspace.make('workflow', { name: 'Short-lived', order: 9 })
    await workspace.assignment('Stays where it is')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
    await workspace.change('DELETE', 'workflow', { ids: [gone] })
    await page.getByRole('button', { name: 'Move Stays where it is to…' }).click()
    await page.getByRole('menuitem', { name: 'Short-lived' }).click()
    await page.locator('.toast.problem', { hasText: 'Stays where it is stays in Backlog.' }).waitFor()
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
  })

  test('is filtered by text, person and days, and the address keeps that', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Early apple', { startDate: '2026-01-05', endDate: '2026-01-06' })
    await workspace.assignment('Late apple', { startDate: '2026-03-05', endDate: '2026-03-06' })
    await workspace.assignment('Jonas’ apple', { userId: workspace.jonas.id })
    const page = await signIn('root@example.com', board())
    const shown = (name: string) => page.getByRole('link', { name })
    await shown('Early apple').waitFor()
    await page.getByLabel('From', { exact: true }).fill('2026-03-01')
    await page.getByLabel('To', { exact: true }).fill('2026-03-05')
    await shown('Early apple').waitFor({ state: 'detached' })
    await shown('Late apple').waitFor()
    await page.reload()
    await shown('Late apple').waitFor()
    assert.equal(await shown('Early apple').count(), 0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shown('Early apple').waitFor()
    await page.getByRole('combobox', { name: 'Person' }).fill('Jonas')
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await shown('Late apple').waitFor({ state: 'detached' })
    await page.getByLabel('Search assignments').fill('apple')
    await shown('Jonas’ apple').waitFor()
    await page.waitForURL(new RegExp(`userId=${workspace.jonas.id}&search=apple`))
  })

  test('of a project that is not one’s own is not found', async () => {
    const { signIn, workspace } = stage()
    const { id } = await workspace.make('project', {
      name: 'Private',
      organizationId: workspace.organizationId,
    })
    const page = await signIn('mara@example.com', `/projects/${id}`)
    await page.getByRole('heading', { name: 'Project not found' }).waitFor()
  })
}
