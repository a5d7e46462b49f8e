import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function quickAddJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)
  const backlog = (page: Page) => page.getByRole('region', { name: 'Backlog' })
  const field = (page: Page) => page.getByLabel('Name of the new assignment in Backlog')
  const namesOn = (page: Page) => backlog(page).locator('.card-link').allTextContents()
  /** Opens a project in its manual order, which is that of the creation. */
  const open = async (name: string) => {
    const project = await makeProject(name)
    const page = await stage().signIn('mara@example.com', `${project.path}?order=hand`)
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    return { ...project, page }
  }
  const untilCards = async (page: Page, wanted: readonly string[]) => {
    for (let turn = 0; turn < 100 && (await namesOn(page)).length < wanted.length; turn += 1)
      await page.waitForTimeout(100)
    assert.deepEqual(await namesOn(page), wanted)
  }
  const paste = (page: Page, text: string) =>
    field(page).evaluate((element, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)

  test('turns names that are typed without waiting for the server into cards in the same order', async () => {
    const { page } = await open('Typed fast')
    const typed = Promise.withResolvers<void>()
    await page.route('**/assignment', async (route) => {
      await typed.promise
      await route.continue()
    })
    const names = ['Write', 'Draw', 'Print', 'Bind', 'Ship', 'Bill']
    await page.keyboard.type(names.map((name) => `${name}\n`).join(''), { delay: 10 })
    assert.equal(await field(page).inputValue(), '')
    await page.getByText('Adding 6 assignments…').waitFor()
    typed.resolve()
    await untilCards(page, names)
    await page.getByText('6 assignments were added.').waitFor()
  })

  test('returns a rejected name next to the following one, to be corrected', async () => {
    const { page } = await open('Rejected once')
    await page.route('**/assignment', async (route) => {
      if (!route.request().postData()?.includes('Wrong')) return route.continue()
      await route.fulfill({ status: 400, json: { statusCode: 400, message: 'Name is not allowed.' } })
    })
    await page.keyboard.type('First\nWrong\nThird\nFour', { delay: 10 })
    await untilCards(page, ['First', 'Third'])
    const rejected = page.getByLabel('Rejected name')
    await page.getByText('Name is not allowed.').waitFor()
    assert.deepEqual([await rejected.inputValue(), await field(page).inputValue()], ['Wrong', 'Four'])
    await assertAccessible(page, 'a rejected name')
    await rejected.fill('Right')
    await rejected.press('Enter')
    await untilCards(page, ['First', 'Third', 'Right'])
    assert.equal(await field(page).inputValue(), 'Four')
    assert.equal(await rejected.count(), 0)
  })

  test('keeps names through an outage of the network and a reload', async () => {
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
    await untilCards(page, ['Near', 'Far'])
    await backlog(page).locator('.quick-add').waitFor({ state: 'detached' })
  })

  test('turns each pasted line into an assignment, at most fifty, and keeps the typed text', async () => {
    const { page } = await open('Pasted')
    await page.keyboard.type('Half a')
    await paste(page, 'One\r\n\r\n  Two \nThree\n')
    await untilCards(page, ['One', 'Two', 'Three'])
    await page.getByText('3 assignments were added.').waitFor()
    assert.equal(await field(page).inputValue(), 'Half a')
    await paste(page, Array.from({ length: 51 }, (_, index) => `Line ${index}`).join('\n'))
    await page.getByText('Only the first 50 lines were taken.').waitFor()
    await page.getByText('50 assignments were added.').waitFor()
    await backlog(page).locator('.count', { hasText: '53' }).waitFor()
  })
}
