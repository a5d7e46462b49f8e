import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function progressJourneys(stage: () => Stage): void {
  test('is shown in their list with one request, and only as far as the user may read', async () => {
    const { signIn, workspace } = stage()
    const { organizationId, stages } = workspace
    const { id: projectId } = await workspace.make('project', { name: 'Half done', organizationId })
    const { id: otherId } = await workspace.make('project', { name: 'Untouched', organizationId })
    for (const id of [projectId, otherId])
      await workspace.make('userProject', { projectId: id, userId: workspace.mara.id })
    for (const [name, stageId] of [
      ['One', stages.Backlog],
      ['Two', stages.Doing],
      ['Three', stages.Done],
      ['Four', stages.Done],
      ['Five', stages.Done],
    ] as const)
      await workspace.assignment(name, { projectId, workflowId: stageId })
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
    const part = await row('Half done').locator('.mark-disc').boundingBox()
    const whole = await row('Half done').locator('.mark-rest').boundingBox()
    assert.ok(part && whole && Math.abs(part.width / whole.width - 0.6) < 0.02)
  })
}
