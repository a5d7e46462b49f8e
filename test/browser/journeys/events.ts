import assert from 'node:assert/strict'
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

  test('an assignment shows what happened to all that belongs to it, one line for each act', async () => {
    const { signIn, workspace } = stage()
    const { jonas, mara, projectId, make } = workspace
    const id = await workspace.assignment('Has company')
    const other = await workspace.assignment('Comes first')
    await make('comment', { text: 'Nine rungs', assignmentId: id, userId: mara.id })
    for (const { id: userId } of [jonas, mara]) await make('userAssignment', { assignmentId: id, userId })
    await make('assignmentDependency', { assignmentId: id, blockedById: other })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    await page.getByText('History', { exact: true }).click()
    const history = page.locator('.panel details .rows > .row')
    await history.filter({ hasText: /added participant “Jonas Weber”, “Mara Lindqvist”/ }).waitFor()
    await history.filter({ hasText: /added comment\s*Text: *Nine rungs/ }).waitFor()
    assert.equal(await history.count(), 4)
    await history.getByRole('link', { name: 'dependency “Comes first”' }).click()
    await page.waitForURL(`**/assignments/${other}`)
  })

  test('histories show values as screens do, and leave out what says nothing', async () => {
    const { signIn, workspace } = stage()
    const { mara, projectId, call, make } = workspace
    const id = await workspace.assignment('Has values')
    await call('PATCH', '/ext/assignment', { id, description: '' })
    const label = await make('label', { name: 'Design', color: 'amber', projectId })
    await make('assignmentLabel', { assignmentId: id, labelId: label.id })
    await call('PATCH', '/ext/label', { ...label, color: 'teal' })
    await call('POST', '/ext/assignment/move', { id, afterId: null })
    await make('comment', { text: 'Nine rungs', assignmentId: id, userId: mara.id })
    await call('PATCH', '/ext/assignment', { id, priority: 3 })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    await page.getByText('History', { exact: true }).click()
    const history = page.locator('.panel details .rows > .row')
    await history.filter({ hasText: /changed assignment\s*Priority: *High/ }).waitFor()
    await history.filter({ hasText: /moved assignment in the order/ }).waitFor()
    assert.equal(await history.count(), 5, 'the empty description says nothing')
    await page.goto(`${stage().hosts.web}/projects/${projectId}/activity`)
    const row = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text }).first()
    await row(/added label “Design” to [A-Z]+-\d+ Has values/).waitFor()
    await row(/changed label “Design”\s*Color: *Amber *Teal/).waitFor()
    await page
      .getByRole('link', { name: /^[A-Z]+-\d+ Has values$/ })
      .first()
      .click()
    await page.waitForURL(`**/assignments/${id}`)
  })

  test('an activity keeps older changes below newer ones, and shows those of one project', async () => {
    const { signIn, workspace } = stage()
    const { make, organizationId, mara } = workspace
    const projectWith = async (name: string) => {
      const { id } = await make('project', { name, organizationId })
      await make('userProject', { projectId: id, userId: mara.id })
      return id as string
    }
    const projectId = await projectWith('Has sixty changes')
    const otherId = await projectWith('Has few changes')
    const id = await workspace.assignment('Changed often', { projectId })
    const rename = async (name: string) =>
      workspace.change('PATCH', 'assignment', { ...(await workspace.get('assignment', id)), name })
    // Another assignment between two changes, so that they are not shown as one act.
    for (let count = 1; count <= 30; count += 1) {
      await rename(`Change ${count} of many`)
      await workspace.assignment(`Between ${count} and the next`, { projectId })
    }
    const page = await signIn('mara@example.com', `/projects/${projectId}/activity`)
    const named = (name: string) => page.getByText(`Between ${name} and the next`, { exact: false })
    await named('30').first().waitFor()
    await page.getByRole('button', { name: 'Show older' }).click()
    await named('1').first().waitFor()
    await workspace.assignment('The newest of all', { projectId })
    const reloaded = page.waitForResponse((response) => response.url().includes('/ext/history'))
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await reloaded
    await page.getByText('The newest of all').first().waitFor()
    for (let count = 1; count <= 30; count += 1)
      assert.ok(await named(String(count)).first().isVisible(), `assignment ${count}`)
    // From one activity to another, without a new page.
    await page.evaluate(`history.pushState(null, '', '/projects/${otherId}/activity')`)
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`)
    await named('30').first().waitFor({ state: 'detached' })
    await page.getByText('Has few changes').first().waitFor()
    assert.equal(await named('1').count(), 0)
  })

  test('a project has its activity, and webhooks with a test and a log', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Stands in the activity')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('link', { name: 'Activity', exact: true }).click()
    await page.getByRole('link', { name: 'assignment “Stands in the activity”' }).first().waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
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
    // A message that is sent again resumes a paused webhook, so it has to be queued before the pause.
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/ext/webhook/replay')),
      sent.getByRole('button', { name: 'Send again' }).click(),
    ])
    // With the keyboard, because the log that is loaded again moves the button under the pointer.
    await hook.getByRole('button', { name: 'Pause' }).press('Enter')
    await hook.getByText('Paused. By hand.').waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.firstChild?.textContent), 'Resume')
    await hook.getByRole('button', { name: 'Remove' }).click()
    await hook.waitFor({ state: 'detached' })
  })
}
