import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'

export function impedimentJourneys(stage: () => Stage): void {
  test('are added, described and removed over all of one’s assignments', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Blocked work')
    const page = await signIn('mara@example.com', '/impediments')
    await page.getByRole('button', { name: 'New impediment' }).click()
    const dialog = page.getByRole('dialog', { name: 'New impediment' })
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Assignment is required.').waitFor()
    await dialog.getByRole('combobox', { name: 'Assignment' }).fill('blocked')
    await dialog.getByRole('option', { name: 'Blocked work' }).click()
    await dialog.getByLabel('What is in the way').selectOption('Waiting for the customer')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const line = page.getByRole('listitem').filter({ hasText: 'Blocked work' })
    await line.getByText('Website relaunch').waitFor()
    await line.getByText('Blocked since today').waitFor()
    await line.getByRole('button', { name: /^Change/ }).click()
    await page.getByLabel('Note').fill('They answer on Monday')
    await page.getByRole('button', { name: 'Save' }).click()
    await line.getByText('They answer on Monday').waitFor()
    await line.getByRole('button', { name: /^Resolve/ }).click()
    await line.waitFor({ state: 'detached' })
    await page.getByText('Waiting for the customer is resolved.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await line.getByText('They answer on Monday').waitFor()
  })

  test('are found by text, by project, and among those of all users', async () => {
    const { signIn, workspace } = stage()
    const { impedimentId, jonas, mara } = workspace
    const project = await workspace.make('project', {
      name: 'Harbour',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId: project.id, userId: mara.id })
    const mine = await workspace.assignment('Pier plan', { projectId: project.id })
    const other = await workspace.assignment('Crane plan', { projectId: project.id, userId: jonas.id })
    for (const [assignmentId, description] of [
      [mine, 'No map'],
      [other, 'No crane'],
    ])
      await workspace.make('assignmentImpediment', { assignmentId, impedimentId, description })
    const page = await signIn('mara@example.com', '/impediments')
    await page.getByText('No map').waitFor()
    assert.equal(await page.getByText('No crane').count(), 0)
    await page.getByLabel('Everyone’s assignments').check()
    await page.getByText('No crane').waitFor()
    await page.getByLabel('Project', { exact: true }).selectOption('Harbour')
    await page.getByRole('searchbox').fill('crane')
    await page.getByText('No map').waitFor({ state: 'detached' })
    await page.waitForURL(/search=crane/)
    await page.reload()
    await page.getByText('No crane').waitFor()
    assert.equal(await page.getByRole('main').getByRole('listitem').count(), 1)
  })
}
