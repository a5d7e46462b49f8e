import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrowserSetup, injected } from '../support/browser-setup.ts'

export function hostileTextJourneys(setup: () => BrowserSetup): void {
  const open = async (name: string, values: Readonly<Record<string, unknown>>, script?: string) => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment(name, values)
    const page = await signIn('mara@example.com', '/account')
    if (script) await page.addInitScript(script)
    await page.goto(`${hosts.web}/projects/${workspace.projectId}/assignments/${id}`)
    return { id, page, workspace }
  }

  for (const mark of ['>', '*', '[', '- '])
    test(`a description that consists only of ${mark} is shown`, async () => {
      const { id, page, workspace } = await open(`Full of ${mark}`, {
        description: mark.repeat(1999 / mark.length).trim(),
      })
      await page.getByRole('button', { name: 'Edit the description' }).click()
      await page.getByLabel('Description').fill('Repaired')
      await page.keyboard.press('Control+Enter')
      await page.locator('.description .markdown', { hasText: 'Repaired' }).waitFor()
      assert.equal((await workspace.get('assignment', id)).description, 'Repaired')
    })

  test('a text on which the renderer fails is shown as it was typed', async () => {
    const { page } = await open('Renderer fails', { description: '**Unreadable**' }, failOnUnreadable)
    await page.locator('.description', { hasText: '**Unreadable**' }).waitFor()
    await page.getByRole('button', { name: 'Edit the description' }).click()
    await page.getByLabel('Description').fill('**Readable**')
    await page.keyboard.press('Control+Enter')
    await page.locator('.description strong', { hasText: 'Readable' }).waitFor()
    await page.getByLabel('Write a comment').fill('**Unreadable**')
    await page.keyboard.press('Control+Enter')
    await page.locator('.comment', { hasText: '**Unreadable**' }).waitFor()
    await page.getByLabel('Write a comment').waitFor()
  })

  test('a section that fails shows an error', async () => {
    const { id, page, workspace } = await open('Section fails', {}, failOnDay)
    await workspace.make('appointment', {
      assignmentId: id,
      userId: workspace.mara.id,
      keepDate: '2001-02-05',
      amountHours: 2,
    })
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'This part cannot be shown.' }).first().waitFor()
    for (const heading of ['Participants', 'Activity'])
      await page.getByRole('heading', { name: heading }).waitFor()
    await page.getByRole('button', { name: 'Add a description' }).click()
    await page.getByLabel('Description').fill('Still editable')
    await page.keyboard.press('Control+Enter')
    await page.locator('.description', { hasText: 'Still editable' }).waitFor()
  })
}

/** Makes every pattern throw on one text, to simulate a faulty renderer. Runs in the page. */
const failOnUnreadable = `
  const { exec } = RegExp.prototype
  RegExp.prototype.exec = function (text) {
    if (text === '**Unreadable**') throw new Error('${injected}')
    return exec.call(this, text)
  }`

/** Makes the format of days in 2001 throw, so that the list of these hours fails. Runs in the page. */
const failOnDay = `
  const formatOf = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format').get
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    get() {
      const format = formatOf.call(this)
      return (value) => {
        if (new Date(value).getUTCFullYear() === 2001) throw new Error('${injected}')
        return format(value)
      }
    },
  })`
