import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import type { Stage } from './support/stage.ts'

const tasks = 'To do:\r\n\r\n- [ ] Write the *text*\r\n  - [ ] Ask @anybody\r\n  - [x] Read\r\n- [ ] Send it'

function taskJourneys(stage: () => Stage): void {
  const addressOf = (id: string) => `/projects/${stage().workspace.projectId}/assignments/${id}`
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })
  const description = async (id: string) =>
    (await stage().workspace.get('assignment', id)).description as string
  const isDescription = (id: string, text: string) =>
    until(async () => (await description(id)) === text, JSON.stringify(text))

  test('have boxes, each of which changes one character; Undo changes it back, and the box keeps the focus', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('With boxes', { description: tasks })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByText('1 of 4 done').waitFor()
    await assertAccessible(page, 'a description with tasks')
    await box(page, 'Ask @anybody').focus()
    await page.keyboard.press('Space')
    await isDescription(id, tasks.replace('[ ] Ask', '[x] Ask'))
    await page.getByText('2 of 4 done').waitFor()
    await page.locator('input[type=checkbox]:checked:focus').waitFor()
    await page.getByText('Description was changed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await isDescription(id, tasks)
    await page.getByText('1 of 4 done').waitFor()
    assert.equal(await box(page, 'Ask @anybody').isChecked(), false)
  })

  test('keep the ticks of two people at the same time, and ask who is right if the ticked item is gone', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('Ticked by two', { description: tasks })
    const mara = await signIn('mara@example.com', addressOf(id))
    const jonas = await signIn('jonas@example.com', addressOf(id))
    /** Both have read the description before either of them saves it. */
    const held = Promise.withResolvers<void>()
    await mara.route(`${hosts.api}/ext/assignment`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    const asked = mara.waitForRequest((request) => request.method() === 'PATCH')
    await box(mara, 'Send it').check()
    await asked
    await box(jonas, 'Write the text').check()
    await isDescription(id, tasks.replace('[ ] Write', '[x] Write'))
    held.resolve()
    await isDescription(id, tasks.replace('[ ] Write', '[x] Write').replace('[ ] Send', '[x] Send'))
    for (const page of [mara, jonas]) await page.getByText('3 of 4 done').waitFor()

    const record = await workspace.get('assignment', id)
    const heldAgain = Promise.withResolvers<void>()
    await jonas.route(`${hosts.api}/ext/assignment**`, async (route) => {
      await heldAgain.promise
      await route.continue()
    })
    await box(jonas, 'Send it').uncheck()
    await workspace.change('PATCH', 'assignment', { ...record, description: 'All is done.' })
    heldAgain.resolve()
    await jonas.getByRole('alert').filter({ hasText: 'Someone else has changed this' }).waitFor()
    await jonas.getByRole('button', { name: 'Keep theirs: Description' }).click()
    await jonas.getByRole('region', { name: 'Description' }).getByText('All is done.').waitFor()
    assert.equal(await description(id), 'All is done.')
  })

  test('can be ticked in a comment by the person who wrote it, and by nobody else', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Tasks in a comment')
    const mara = await signIn('mara@example.com', addressOf(id))
    await mara.getByRole('textbox', { name: 'Write a comment' }).fill('- [ ] one\n- [ ] two')
    await mara.keyboard.press('Control+Enter')
    await box(mara, 'two').check()
    const jonas = await signIn('jonas@example.com', addressOf(id))
    await box(jonas, 'two').and(jonas.locator(':disabled:checked')).waitFor()
    assert.ok(await box(jonas, 'one').isDisabled())
    // Administrators may edit the comments of others, but do not tick in them.
    const root = await signIn('root@example.com', addressOf(id))
    await box(root, 'two').and(root.locator(':disabled:checked')).waitFor()
    await box(mara, 'two').uncheck()
    await box(jonas, 'two').and(jonas.locator(':not(:checked)')).waitFor()
  })

  test('show the error of a tick that cannot be saved, and the box as it is stored', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('Not ticked', { description: '- [ ] one' })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.route(`${hosts.api}/ext/assignment`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await box(page, 'one').click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    await box(page, 'one').and(page.locator(':not(:checked)')).waitFor()
    assert.equal(await description(id), '- [ ] one')
  })
}

describeInBrowser('Texts', { 'with tasks': taskJourneys })
