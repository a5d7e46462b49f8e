import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function quickAddJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)
  const backlog = (page: Page) => page.getByRole('region', { name: 'Backlog' })
  const field = (page: Page) => page.getByLabel('Name of the new assignment in Backlog')
  const namesOn = (page: Page) => backlog(page).locator('.card-link').allTextContents()
  /** Opens the board in its manual order, in which new cards come last. */
  const open = async (name: string) => {
    const project = await makeProject(name)
    const page = await setup().signIn('mara@example.com', `${project.path}?order=hand`)
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    return { ...project, page }
  }
  const waitForCards = async (page: Page, names: readonly string[]) => {
    await until(async () => (await namesOn(page)).join() === names.join(), names.join())
  }
  const paste = (page: Page, text: string) =>
    field(page).evaluate((element, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)

  test('turns names into cards in the order of typing', async () => {
    const { page } = await open('Typed fast')
    const allAreTyped = Promise.withResolvers<void>()
    await page.route('**/assignment', async (route) => {
      await allAreTyped.promise
      await route.continue()
    })
    const names = ['Write', 'Draw', 'Print', 'Bind', 'Ship', 'Bill']
    await page.keyboard.type(names.map((name) => `${name}\n`).join(''), { delay: 10 })
    assert.equal(await field(page).inputValue(), '')
    await page.getByText('Adding 6 assignments…').waitFor()
    allAreTyped.resolve()
    await waitForCards(page, names)
    await page.getByText('6 assignments were added.').waitFor()
  })

  test('shows a rejected name next to the name that is being typed', async () => {
    const { page } = await open('Rejected once')
    await page.route('**/assignment', async (route) => {
      if (!route.request().postData()?.includes('Wrong')) return route.continue()
      await route.fulfill({ status: 400, json: { statusCode: 400, message: 'Name is not allowed.' } })
    })
    await page.keyboard.type('First\nWrong\nThird\nFour', { delay: 10 })
    await waitForCards(page, ['First', 'Third'])
    const rejected = page.getByLabel('Rejected name')
    await page.getByText('Name is not allowed.').waitFor()
    assert.equal(await rejected.inputValue(), 'Wrong')
    assert.equal(await field(page).inputValue(), 'Four')
    await assertAccessible(page, 'a rejected name')
    await rejected.fill('Right')
    await rejected.press('Enter')
    await waitForCards(page, ['First', 'Third', 'Right'])
    assert.equal(await field(page).inputValue(), 'Four')
    assert.equal(await rejected.count(), 0)
  })

  test('keeps names during a network outage and a reload', async () => {
    const { page } = await open('Typed in a tunnel')
    await page.route('**/assignment', (route) => route.abort())
    await page.keyboard.type('Near\nFar\n', { delay: 10 })
    await page.getByText('The server cannot be reached.').first().waitFor()
    assert.deepEqual(await backlog(page).locator('.quick-add li').allTextContents(), ['Near', 'Far'])
    await assertAccessible(page, 'names that wait')
    await page.unroute('**/assignment')
    await page.reload()
    await page.getByText('These names were not added yet.').waitFor()
    await backlog(page).getByRole('button', { name: 'Try again' }).click()
    await waitForCards(page, ['Near', 'Far'])
    await backlog(page).locator('.quick-add').waitFor({ state: 'detached' })
  })

  test('turns each pasted line into an assignment, at most fifty', async () => {
    const { page } = await open('Pasted')
    await page.keyboard.type('Half a')
    await paste(page, 'One\r\n\r\n  Two \nThree\n')
    await waitForCards(page, ['One', 'Two', 'Three'])
    await page.getByText('3 assignments were added.').waitFor()
    assert.equal(await field(page).inputValue(), 'Half a')
    await paste(page, Array.from({ length: 51 }, (_, index) => `Line ${index}`).join('\n'))
    await page.getByText('Only the first 50 lines were taken.').waitFor()
    await page.getByText('50 assignments were added.').waitFor()
    await backlog(page).locator('.count', { hasText: '53' }).waitFor()
  })
}
