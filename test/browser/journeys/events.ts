import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

export function eventJourneys(setup: () => BrowserSetup): void {
  test('of an assignment shows the user and the previous values', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Has a past')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}`)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Has a present')
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PATCH'),
      page.keyboard.press('Enter'),
    ])
    const change = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    await change('Mara Lindqvist renamed this assignment from “Has a past” to “Has a present”').waitFor()
    // Stages, users and days are shown by name, not as they are stored.
    await page.getByLabel('Stage', { exact: true }).selectOption('Doing')
    const combined = change('Mara Lindqvist changed this assignment')
    await combined.filter({ hasText: 'Has a past' }).filter({ hasText: 'Has a present' }).waitFor()
    await combined
      .locator('.change-chip', { hasText: /^StageBacklogDoing$/ })
      .locator('.mark')
      .waitFor()
  })

  test('is loaded once after the user has changed the assignment', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Changed once')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}`)
    const stream = page.locator('.stream > li')
    await stream.filter({ hasText: 'created this assignment' }).waitFor()
    const loads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/ext/history')) loads.push(request.url())
    })
    await page.getByLabel('Stage', { exact: true }).selectOption('Doing')
    await stream.filter({ hasText: 'moved this assignment from Backlog to Doing' }).waitFor()
    assert.equal(loads.length, 1)
  })

  test('of an assignment includes changes of its parts', async () => {
    const { signIn, workspace } = setup()
    const { jonas, mara, projectId, make } = workspace
    const id = await workspace.assignment('Has company')
    const other = await workspace.assignment('Comes first')
    await make('comment', { text: 'Nine rungs', assignmentId: id, userId: mara.id })
    for (const { id: userId } of [jonas, mara]) await make('userAssignment', { assignmentId: id, userId })
    await make('assignmentDependency', { assignmentId: id, blockedById: other })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const stream = page.getByRole('region', { name: 'Activity' }).locator('.stream > li')
    await stream.filter({ hasText: 'changed this assignment' }).waitFor()
    await stream.filter({ hasText: 'Nine rungs' }).waitFor()
    // The oldest comes first, and a comment is not repeated as a change.
    const texts = await stream.allTextContents()
    const participants = /Participant.+Jonas Weber.+Mara Lindqvist.+Comes first/
    const expected = [/created this assignment/, /Nine rungs/, participants]
    for (const [index, text] of expected.entries()) assert.match(texts[index] ?? '', text)
    assert.equal(texts.length, expected.length)
    await page.getByRole('button', { name: 'Comments only' }).click()
    await stream.filter({ hasText: 'created' }).waitFor({ state: 'detached' })
    assert.equal(await stream.count(), 1)
    await page.reload()
    await page.getByRole('button', { name: 'Show changes' }).click()
    await stream.getByRole('link', { name: 'Comes first' }).click()
    await page.waitForURL(`**/assignments/${other}`)
  })

  test('of an assignment shows older changes on request', async () => {
    const { signIn, workspace } = setup()
    const { projectId, call } = workspace
    const id = await workspace.assignment('Has a long past')
    const otherId = await workspace.assignment('Changed in between')
    for (let count = 1; count <= 22; count += 1) {
      await call('PATCH', '/ext/assignment', { id, name: `Name ${count}` })
      await call('PATCH', '/ext/assignment', { id: otherId, name: `Other name ${count}` })
      if (count % 2 === 0)
        await workspace.make('comment', {
          text: `Comment ${count}`,
          assignmentId: id,
          userId: workspace.mara.id,
        })
    }
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const stream = page.getByRole('region', { name: 'Activity' })
    await stream.getByText('Comment 22').waitFor()
    assert.equal(await stream.getByText('created this assignment').count(), 0)
    await stream.getByRole('button', { name: 'Show older changes' }).click()
    await stream.getByText('created this assignment').waitFor()
    await stream.getByRole('button', { name: 'Show older changes' }).waitFor({ state: 'detached' })
  })

  test('shows values as other screens do', async () => {
    const { signIn, workspace } = setup()
    const { mara, organizationId, call, make } = workspace
    // Uses a separate project, because hours that other tests record would be joined with these.
    const { id: projectId } = await make('project', { name: 'Has values only', organizationId })
    await make('userProject', { projectId, userId: mara.id })
    const id = await workspace.assignment('Has values', { projectId })
    await call('PATCH', '/ext/assignment', { id, description: '' })
    const label = await make('label', { name: 'Design', color: 'amber', projectId })
    await make('assignmentLabel', { assignmentId: id, labelId: label.id })
    await call('PATCH', '/ext/label', { ...label, color: 'teal' })
    // Comments between the changes keep these from being grouped.
    await make('comment', { text: 'Nine rungs', assignmentId: id, userId: mara.id })
    await call('POST', '/ext/assignment/move', { id, afterId: null })
    await make('comment', { text: 'Ten rungs', assignmentId: id, userId: mara.id })
    // The other time of the same day is not shown.
    await call('PATCH', '/ext/assignment', { id, priority: 3, endDate: '2026-11-20T10:00:00Z' })
    for (const day of ['16', '17', '18', '19'])
      await make('appointment', {
        assignmentId: id,
        userId: mara.id,
        keepDate: `2026-11-${day}`,
        amountHours: 0.75,
      })
    const days = { startDate: '2026-11-16', endDate: '2026-11-16' }
    const changedId = await workspace.assignment('Took longer', { projectId, ...days })
    const entry = { assignmentId: changedId, userId: mara.id, keepDate: '2026-11-16', amountHours: 1 }
    const { id: entryId } = await make('appointment', entry)
    await workspace.change('PATCH', 'appointment', { ...entry, id: entryId, amountHours: 1.5 })
    const removedId = await workspace.assignment('Short-lived', { projectId })
    await workspace.change('DELETE', 'assignment', { ids: [removedId] })
    const withTasks = await workspace.assignment('Has tasks', {
      projectId,
      description: '- [ ] Sand\n- [ ] Paint',
    })
    await make('comment', { text: 'Eleven rungs', assignmentId: withTasks, userId: mara.id })
    await call('PATCH', '/ext/assignment', { id: withTasks, description: '- [ ] Sand\n- [x] Paint' })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const stream = page.locator('.stream > li')
    await stream.filter({ hasText: /set the priority of this assignment to High/ }).waitFor()
    await stream.filter({ hasText: /moved this assignment in the order/ }).waitFor()
    await stream.filter({ hasText: /created this assignment.+\+ Label.*Design/ }).waitFor()
    await stream.filter({ hasText: /recorded 3 h on this assignment.*16.–.19 Nov/ }).waitFor()
    assert.equal(await stream.count(), 6, 'The empty description is not shown.')
    await page.goto(`${setup().hosts.web}/projects/${projectId}/activity`)
    const row = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text }).first()
    await row(/created [A-Z]+-\d+ Has values.*Label.*Design/).waitFor()
    await row(/changed the color of label “Design” from Amber to Teal/).waitFor()
    await row(/changed recorded hours “Took longer” from 1 h to\s*1\.5 h/).waitFor()
    // A removed assignment still has its key.
    await row(/removed [A-Z]+-\d+ Short-lived/).waitFor()
    await row(/commented on [A-Z]+-\d+ Has values\s*Nine rungs/).waitFor()
    await row(/ticked “Paint” in [A-Z]+-\d+ Has tasks\s*\d\d:\d\d$/).waitFor()
    // What comments say is as strong as names, and all sentences are quiet.
    const colorOf = (text: RegExp, part = '.row-text') =>
      row(text)
        .locator(part)
        .evaluate((one) => getComputedStyle(one).color)
    const strong = await page
      .locator('.change b')
      .first()
      .evaluate((one) => getComputedStyle(one).color)
    assert.equal(await colorOf(/Nine rungs/, '.change-text'), strong)
    assert.equal(await colorOf(/Nine rungs/), await colorOf(/created label “Design”/))
    assert.notEqual(await colorOf(/created label “Design”/), strong)
    await row(/created label “Design”/).waitFor()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    // The filter is in the address.
    await page.getByRole('button', { name: 'Hours', pressed: false }).click()
    await page.waitForURL('**/activity?show=hours')
    await row(/commented on/).waitFor({ state: 'detached' })
    await row(/recorded 3 h on [A-Z]+-\d+ Has values/).waitFor()
    await page
      .getByRole('link', { name: /^[A-Z]+-\d+ Has values$/ })
      .first()
      .click()
    await page.waitForURL(`**/assignments/${id}`)
  })

  test('is shown as the activity of a project', async () => {
    const { signIn, workspace } = setup()
    const { call, make, organizationId, mara } = workspace
    const projectWith = async (name: string) => {
      const { id } = await make('project', { name, organizationId })
      await make('userProject', { projectId: id, userId: mara.id })
      return id as string
    }
    const projectId = await projectWith('Has sixty changes')
    const otherId = await projectWith('Has few changes')
    const id = await workspace.assignment('Changed often', { projectId })
    const blockedById = await workspace.assignment('Comes before', { projectId })
    const assignmentId = await workspace.assignment('Was stuck', { projectId })
    const dependency = await make('assignmentDependency', { assignmentId, blockedById })
    const shortLived = await workspace.assignment('Was given up', { projectId })
    const impediment = await make('assignmentImpediment', {
      assignmentId,
      impedimentId: workspace.impedimentId,
    })
    const rename = async (name: string) =>
      workspace.change('PATCH', 'assignment', { ...(await workspace.get('assignment', id)), name })
    // New assignments between these changes keep them from being shown as one action.
    for (let count = 1; count <= 30; count += 1) {
      await rename(`Change ${count} of many`)
      await workspace.assignment(`Between ${count} and the next`, { projectId })
    }
    const ends = [
      ['DELETE', '/api/assignment', shortLived],
      ['DELETE', '/ext/assignmentDependency', dependency.id],
      ['DELETE', '/api/assignmentImpediment', impediment.id],
      ['POST', '/api/assignmentImpediment/restore', impediment.id],
    ] as const
    for (const [method, route, linkId] of ends) await call(method, route, { ids: [linkId] })
    const page = await signIn('mara@example.com', `/projects/${projectId}/activity`)
    const between = (count: number) => page.getByText(`Between ${count} and the next`, { exact: false })
    await between(30).first().waitFor()
    // Removed assignments and links are named even if they were created before the loaded changes.
    const line = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text })
    await line(/removed HSC-\d+ Was given up/).waitFor()
    await line(/changed HSC-\d+ Was stuck\s*− Dependency\s*Comes before\s*− Impediment\s*Waiting/).waitFor()
    await line(/restored impediment\s*Waiting for the customer\s*in HSC-\d+ Was stuck/).waitFor()
    // The same change of several assignments is one line. It stays open when older changes are loaded.
    await page.getByText(/created \d\d assignments/).waitFor()
    assert.equal(await between(29).count(), 0)
    await page.getByRole('button', { name: /^Show \d\d changes$/ }).click()
    await between(29).waitFor()
    await page.getByRole('button', { name: 'Show older' }).click()
    await between(1).waitFor()
    // Consecutive lines of one person show the avatar only once, but each line has its time.
    assert.equal(await page.locator('.change > .avatar:visible').count(), 1)
    assert.equal(await page.locator('.change > time').count(), await page.locator('.change').count())
    // The day stays in view above its changes.
    await page.evaluate(`scrollTo(0, 600)`)
    const day = await page.getByRole('heading', { name: 'Today' }).boundingBox()
    const bar = await page.locator('.top-bar').boundingBox()
    assert.equal(Math.round(day?.y ?? 0), Math.round(bar?.height ?? 0))
    await workspace.assignment('The newest of all', { projectId })
    const reloaded = page.waitForResponse((response) => response.url().includes('/ext/history'))
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await reloaded
    await page.getByText('The newest of all').first().waitFor()
    for (let count = 1; count <= 30; count += 1)
      assert.ok(await between(count).first().isVisible(), `assignment ${count}`)
    // Go to the activity of another project without loading a page.
    await page.evaluate(`history.pushState(null, '', '/projects/${otherId}/activity')`)
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`)
    await between(30).first().waitFor({ state: 'detached' })
    await page.getByText('Has few changes').first().waitFor()
    assert.equal(await between(1).count(), 0)
  })

  test('is one click from the board, and is sent to webhooks, which have a test and a log', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('Shown in the activity')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('link', { name: 'Activity', exact: true }).click()
    await page
      .getByRole('link', { name: /^[A-Z]+-\d+ Shown in the activity$/ })
      .first()
      .waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('Changes of this project are sent to these addresses.').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('https://127.0.0.1/inside')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('must not be a private address').waitFor()
    await page.getByLabel('URL').fill('https://receiver.invalid/hook')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    assert.match(await page.getByLabel('Secret').inputValue(), /^whsec_/)
    await page.getByRole('button', { name: 'Copy' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const hook = page.getByRole('listitem').filter({ hasText: 'https://receiver.invalid/hook' })
    await hook.getByText('Active').waitFor()
    await hook.getByText('Nothing has been sent yet').waitFor()
    const choose = async (action: string) => {
      await hook.getByRole('button', { name: 'Actions for https://receiver.invalid/hook' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    // The log opens with the test, and shows the result once it is there.
    await choose('Send a test')
    const sent = hook.getByRole('list', { name: 'Log' }).getByRole('listitem').first()
    await sent.getByText('No response').waitFor()
    await hook.getByText('Failing').waitFor()
    await hook.getByText('1 message waiting').waitFor()
    await assertAccessible(page, 'a webhook with its log')
    // Sending a message again resumes a paused webhook, so wait until it is queued before the pause.
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/ext/webhook/replay')),
      sent.getByRole('button', { name: 'Send again' }).click(),
    ])
    await choose('Pause')
    await hook.getByText('Paused', { exact: true }).waitFor()
    // Administrators find it among those of all projects, with the project whose changes it gets.
    const all = await signIn('root@example.com', '/webhooks')
    await all.getByText(/get the changes of all projects/).waitFor()
    await all.getByRole('link', { name: 'Admin', exact: true }).and(all.locator('[aria-current]')).waitFor()
    const listed = all.getByRole('listitem').filter({ hasText: 'https://receiver.invalid/hook' })
    await listed.getByText('added by Mara Lindqvist').waitFor()
    await listed.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await choose('Delete…')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await hook.waitFor({ state: 'detached' })
  })
}
