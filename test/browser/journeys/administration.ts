import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSignIn, type Stage } from '../support/stage.ts'

export function administrationJourneys(stage: () => Stage): void {
  const open = (path: string) => stage().signIn('root@example.com', path)

  test('creates a user, telling what the password lacks as it is typed, who then signs in', async () => {
    const page = await open('/administration')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog', { name: 'New user' })
    await dialog.getByLabel('Name', { exact: true }).fill('Xenia New')
    await dialog.getByLabel('Login').fill('jonas@example.com')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('short1')
    for (const met of [
      'a lower-case letter, met',
      'a digit, met',
      'an upper-case letter, missing',
      '8 to 128 characters, missing',
    ])
      await dialog.getByRole('listitem').filter({ hasText: met }).waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Password must be at least 8 characters.').waitFor()
    assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Xenia New')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('Correct-Horse-2')
    assert.equal(await dialog.getByRole('listitem').filter({ hasText: ', missing' }).count(), 0)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog
      .getByText(/login/i)
      .filter({ hasText: /taken|already|used/ })
      .waitFor()
    await dialog.getByLabel('Login').fill('xenia@example.com')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Xenia New was created.').waitFor()
    const visitor = await stage().visit('/projects')
    await fillSignIn(visitor, 'xenia@example.com', 'Correct-Horse-2')
    await visitor.getByText('No projects yet').waitFor()
  })

  test('changes a name without touching the login and the session, and a login that ends it', async () => {
    await stage().workspace.join('Ylva Old')
    const other = await stage().signIn('ylva@example.com', '/projects')
    const page = await open('/administration/users?search=ylva')
    const change = async (label: string, text: string) => {
      await page.getByRole('button', { name: /^Change Ylva/ }).click()
      await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(text)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await change('Name', 'Ylva Olsen')
    await page.getByText('Ylva Olsen was saved.').waitFor()
    await other.reload()
    await other.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await change('Login', 'ylva.olsen@example.com')
    await other.reload()
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  })

  test('removes with Undo, says what still needs a record, and offers no removal of oneself', async () => {
    const { workspace } = stage()
    await workspace.make('assignmentType', { name: 'Spike' })
    const page = await open('/administration/types')
    await page.getByRole('button', { name: 'Remove Spike' }).click()
    await page.getByText('Spike was removed.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Spike' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Change Spike' }).waitFor()
    await page.getByRole('link', { name: 'Organizations' }).click()
    await page.getByRole('button', { name: 'Remove Lighthouse Studio' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /project/i })
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    assert.equal(
      await page.getByRole('button', { name: 'Remove Rosa Root' }).getAttribute('aria-disabled'),
      'true',
    )
  })

  test('orders the stages of every board', async () => {
    const { workspace } = stage()
    const stages = [await workspace.make('workflow', { name: 'Review', order: 2 })]
    const page = await open('/administration/workflows')
    const names = async () => (await page.locator('.row-text').allTextContents()).map((text) => text.trim())
    await page.getByText('Review').waitFor()
    await page.getByRole('button', { name: 'Move Review up' }).click()
    await page.locator('.row-text').nth(2).filter({ hasText: 'Review' }).waitFor()
    assert.deepEqual((await names()).slice(0, 3), ['Backlog', 'Doing', 'Review'])
    await page.getByRole('button', { name: 'New workflow stage' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Last of all')
    await page.getByRole('button', { name: 'Create' }).click()
    const last = page.locator('.row').last()
    await last.filter({ hasText: 'Last of all' }).waitFor()
    await last.getByRole('button', { name: 'Remove Last of all' }).click()
    await page.locator('.row').filter({ hasText: 'Last of all' }).waitFor({ state: 'detached' })
    await workspace.change('DELETE', 'workflow', { ids: stages.map(({ id }) => id) })
  })

  test('is for administrators', async () => {
    const page = await stage().signIn('mara@example.com', '/administration')
    await page.getByText('Administrators only').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Admin', exact: true }).count(), 0)
  })

  test('lists removed records with who and what, restores them, and shows next to a row why not', async () => {
    const { workspace } = stage()
    const organization = await workspace.make('organization', { name: 'Gone House' })
    const project = await workspace.make('project', { name: 'Gone project', organizationId: organization.id })
    await workspace.change('DELETE', 'project', { ids: [project.id] })
    await workspace.change('DELETE', 'organization', { ids: [organization.id] })
    const page = await open('/removed')
    await page.getByRole('searchbox').fill('gone')
    await page.waitForURL(/search=gone/)
    await page.getByRole('button', { name: 'Restore Gone project' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /organization/i })
      .waitFor()
    await page
      .getByText(/Removed by /)
      .first()
      .waitFor()
    await page.getByLabel('Kind of record').selectOption('Organizations')
    await page.getByRole('button', { name: 'Restore Gone House' }).click()
    await page.getByText('Gone House was restored.').waitFor()
    await page.getByLabel('Kind of record').selectOption('Everything')
    await page.getByRole('button', { name: 'Restore Gone project' }).click()
    await page.getByText('Gone project was restored.').waitFor()
    assert.equal((await workspace.get('project', project.id)).active, true)
    await workspace.change('DELETE', 'project', { ids: [project.id] })
  })

  test('shows all users what they may restore, by its names', async () => {
    const { workspace } = stage()
    const assignmentId = await workspace.assignment('Kept work')
    const entry = (userId: string, amountHours: number) =>
      workspace.make('appointment', { assignmentId, userId, keepDate: '2026-11-16', amountHours })
    const [mine, other] = [await entry(workspace.mara.id, 3.25), await entry(workspace.jonas.id, 4.75)]
    await workspace.change('DELETE', 'appointment', { ids: [mine.id, other.id] })
    const page = await stage().signIn('mara@example.com', '/removed/appointments')
    await page.getByText('3.25 h on 16 Nov · Mara Lindqvist · Kept work').waitFor()
    assert.equal(await page.getByText('4.75 h').count(), 0)
    assert.equal(await page.getByRole('option', { name: 'Users' }).count(), 0)
    await page.getByRole('button', { name: 'Restore 3.25 h on 16 Nov' }).click()
    await page.getByText('3.25 h on 16 Nov · Mara Lindqvist · Kept work was restored.').waitFor()
  })
}
