import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'

export function eventJourneys(stage: () => Stage): void {
  test('an assignment shows who changed it, with the previous values', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Has a past')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}`)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Has a present')
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PATCH'),
      page.keyboard.press('Enter'),
    ])
    await page.getByText('History', { exact: true }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: /Mara.*changed assignment.*Name: Has a past Has a present/s })
      .first()
      .waitFor()
    // Stages, people and days as they are called, not as they are stored.
    await page.getByLabel('Stage', { exact: true }).selectOption('Doing')
    await page.getByRole('listitem').filter({ hasText: 'Stage: Backlog Doing' }).first().waitFor()
  })

  test('a project has its activity, and webhooks with a test and a log', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Stands in the activity')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('link', { name: 'Activity', exact: true }).click()
    await page.getByRole('link', { name: 'assignment “Stands in the activity”' }).first().waitFor()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByLabel('Address, beginning with https').fill('https://127.0.0.1/inside')
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByText('must not be a private address').waitFor()
    await page.getByLabel('Address, beginning with https').fill('https://receiver.invalid/hook')
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByText(/^whsec_/).waitFor()
    const hook = page.getByRole('listitem').filter({ hasText: 'https://receiver.invalid/hook' })
    await hook.getByRole('button', { name: 'Send a test' }).click()
    await hook.getByText(/messages? (is|are) waiting/).waitFor()
    await hook.getByRole('button', { name: 'Log' }).click()
    const sent = hook.getByRole('list', { name: 'Log' }).getByRole('listitem').first()
    await sent.getByRole('button', { name: 'Send again' }).click()
    await hook.getByRole('button', { name: 'Pause' }).click()
    await hook.getByText('Paused. By hand.').waitFor()
    await hook.getByRole('button', { name: 'Remove' }).click()
    await hook.waitFor({ state: 'detached' })
  })
}
