import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function progressJourneys(stage: () => Stage): void {
  test('is shown in the list of projects with one request', async () => {
    const { signIn, workspace } = stage()
    const { organizationId, stages } = workspace
    const { id: projectId } = await workspace.make('project', { name: 'Half done', organizationId })
    const { id: otherId } = await workspace.make('project', { name: 'Untouched', organizationId })
    for (const id of [projectId, otherId])
      await workspace.make('userProject', { projectId: id, userId: workspace.mara.id })
    for (const name of ['Backlog', 'Doing', 'Done', 'Done', 'Done'])
      await workspace.assignment(`In ${name}`, { projectId, workflowId: stages[name] })
    const page = await signIn('mara@example.com', '/account')
    const requestedUrls: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/ext/reports/')) requestedUrls.push(request.url())
    })
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    const row = (name: string) => page.locator('.project-row', { has: page.getByRole('link', { name }) })
    await row('Half done').getByText('3 of 5 done').waitFor()
    await row('Untouched').getByText('No assignments').waitFor()
    await assertAccessible(page, 'projects with their progress')
    assert.equal(requestedUrls.length, 1)
    const done = await row('Half done').locator('.mark-disc').boundingBox()
    const all = await row('Half done').locator('.mark-rest').boundingBox()
    assert.ok(done && all && Math.abs(done.width / all.width - 3 / 5) < 0.02)
  })
}
