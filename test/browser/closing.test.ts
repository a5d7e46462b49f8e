import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { BrowserSetup } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

const today = new Date().toISOString().slice(0, 10)

/** Closes the open panel. It covers the whole screen of a phone. */
const close = (page: Page) => page.getByRole('complementary').getByRole('button', { name: 'Close' }).click()

function closingJourneys(setup: () => BrowserSetup): void {
  for (const { device, firstName, options } of [
    { device: 'a desktop', firstName: 'Dora', options: {} },
    {
      device: 'a phone',
      firstName: 'Pia',
      options: { viewport: { width: 390, height: 780 }, hasTouch: true },
    },
  ])
    test(`returns to the page that opened it on ${device}`, async () => {
      const { hosts, signIn, workspace } = setup()
      const { id: userId, login } = await workspace.join(`${firstName} Closing`)
      const name = `Opened from elsewhere by ${firstName}`
      const linkedName = `Linked by ${firstName}`
      const dates = { startDate: today, endDate: today }
      await workspace.assignment(name, { userId, ...dates })
      const linkedId = await workspace.assignment(linkedName, { userId, ...dates })
      const page = await signIn(login, '/projects', options)
      await page.goto(`${hosts.web}/projects`)
      await page.getByRole('link', { name: 'My work' }).first().click()
      await page.getByRole('link', { name }).click()
      await close(page)
      await page.getByRole('heading', { name: 'My work', level: 1 }).waitFor()
      assert.equal(page.url(), `${hosts.web}/my-work`)
      // The palette opens another assignment over the first. Closing returns to the page before both.
      await page.getByRole('link', { name }).click()
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type(linkedName)
      await page.getByRole('option', { name: linkedName }).first().click()
      await page.waitForURL(`**/assignments/${linkedId}`)
      await close(page)
      await page.waitForURL('**/my-work')
      await page.goBack()
      await page.waitForURL('**/projects')
    })

  test('leads to the project after a direct link or a key', async () => {
    const { hosts, signIn, workspace } = setup()
    const { login } = await workspace.join('Linus Link')
    const id = await workspace.assignment('Opened by its address')
    const project = `${hosts.web}/projects/${workspace.projectId}`
    const page = await signIn(login, '/my-work')
    await page.goto(`${project}/assignments/${id}`)
    await close(page)
    await page.waitForURL(project)
    await page.goBack()
    await page.waitForURL('**/my-work')
    await page.goto(`${project}/assignments/${id}`)
    const key = await page.getByRole('button', { name: /^Copy [A-Z]+-\d+$/ }).textContent()
    await page.goto(`${hosts.web}/a/${key}`)
    await close(page)
    await page.waitForURL(project)
  })

  test('keeps the filters that were changed while it was open', async () => {
    const { hosts, signIn, workspace } = setup()
    await workspace.assignment('Opened before filtering')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('link', { name: 'Opened before filtering' }).click()
    await page.getByRole('complementary').waitFor()
    await page.locator('main input[type=search]').fill('before filtering')
    await page.waitForURL('**search=before**')
    await close(page)
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    assert.match(page.url(), new RegExp(`^${hosts.web}/projects/${workspace.projectId}\\?search=before`))
  })
}

describeInBrowser('With an open assignment', { 'closing it': closingJourneys })
