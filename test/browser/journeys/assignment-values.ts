import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, formatDay, today } from '../../../web/src/time/days.ts'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects, monday } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function assignmentValueJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  interface Choice {
    /** Opens the picker. */
    readonly key: string
    readonly text: string
    /** The only option that is found by the text. */
    readonly option: string | RegExp
    readonly confirm?: 'Enter' | 'Control+Enter'
  }

  const choose = async (page: Page, { key, text, option, confirm = 'Enter' }: Choice) => {
    await page.keyboard.press(key)
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(text)
    const options = page.getByRole('dialog').getByRole('option', { name: option })
    await until(async () => (await options.count()) === 1, `only ${option}`)
    await page.keyboard.press(confirm)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const doing = { key: 's', text: 'doing', option: 'Doing' }
  const jonas = { key: 'a', text: 'jonas', option: /Jonas Weber/ }
  const newLabel = (text: string) =>
    ({ key: 'l', text, option: /New label/, confirm: 'Control+Enter' }) as const

  test('set stage, user, label, priority and end of the focused card and of an open panel', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('By one key')
    const id = await make('Set by keys', 0, 1)
    const page = await signIn('mara@example.com', path)
    const card = page.locator(`[data-row="${id}"]`)
    await page.locator(`#card-${id}`).focus()
    await choose(page, doing)
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name: 'Set by keys' }).waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await choose(page, jonas)
    await card.getByRole('img', { name: 'Jonas Weber' }).waitFor()
    await choose(page, newLabel('Keyed'))
    await card.getByText('Keyed').waitFor()
    await choose(page, { key: 'd', text: '+40', option: /./ })
    await card
      .getByText(formatDay(addDays(today(), 40)))
      .first()
      .waitFor()
    // An end before the start moves the start, too. The message names both.
    const early = addDays(monday, -3)
    await choose(page, { key: 'd', text: early, option: /./ })
    await page.getByText(`Set by keys is now from ${formatDay(early)} to ${formatDay(early)}.`).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText(/^Undone: “Set by keys is now from/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Set by keys' }).waitFor()
    await page.locator('#panel-title:focus').waitFor()
    await choose(page, { key: 'p', text: 'urg', option: 'Urgent' })
    await card.getByText('Urgent').waitFor()
    const { assignment } = await workspace.call('GET', `/ext/assignment?id=${id}`)
    assert.partialDeepStrictEqual(assignment, {
      userId: workspace.jonas.id,
      workflowId: workspace.stages.Doing,
      priority: 4,
      endDate: `${addDays(today(), 40)}T00:00:00Z`,
    })
    // Undo reverts each change, the newest first.
    await page.keyboard.press('Control+z')
    await card.getByText('Urgent').waitFor({ state: 'detached' })
  })

  test('apply to the card under the pointer, unless another one has the focus', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('By the pointer')
    const pointed = await make('Pointed at', 0, 1)
    const focused = await make('Focused', 0, 2)
    const page = await signIn('mara@example.com', path)
    const doingColumn = page.getByRole('region', { name: 'Doing' })
    await page.locator(`[data-row="${pointed}"]`).hover()
    await choose(page, doing)
    await doingColumn.getByRole('link', { name: 'Pointed at' }).waitFor()
    await page.locator(`[data-row="${pointed}"]`).hover()
    await page.locator(`#card-${focused}`).focus()
    await choose(page, doing)
    await doingColumn.getByRole('link', { name: 'Focused' }).waitFor()
    assert.equal((await workspace.get('assignment', focused)).workflowId, workspace.stages.Doing)
    // A phone has no pointer, so the palette asks for the assignment.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('.card:visible').first().hover()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Control+k')
    await page.getByRole('group', { name: 'On an assignment that you choose next' }).waitFor()
  })

  test('change all selected rows of a list', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Selected for keys')
    const ids = [await make('First of two', 0, 1), await make('Second of two', 0, 2)]
    const other = await make('Not selected', 0, 3)
    const page = await signIn('mara@example.com', `${path}?view=list`)
    for (const id of ids) await page.locator(`#card-${id}`).press('x')
    const readUserIds = () =>
      Promise.all([...ids, other].map(async (id) => (await workspace.get('assignment', id)).userId))
    const before = await readUserIds()
    await choose(page, jonas)
    await page.getByText('2 assignments: Jonas Weber.').waitFor()
    assert.deepEqual(await readUserIds(), [workspace.jonas.id, workspace.jonas.id, before[2]])
    await choose(page, newLabel('Both'))
    await page.getByText('Both was added to 2 assignments.').waitFor({ state: 'attached' })
    for (const id of ids) await page.locator(`[data-row="${id}"]`).getByText('Both').waitFor()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await until(
      async () => JSON.stringify(await readUserIds()) === JSON.stringify(before),
      'the users as before',
    )
    for (const id of ids)
      await page.locator(`[data-row="${id}"]`).getByText('Both').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+Z')
    await page.getByText('Redone: 2 assignments: Jonas Weber.').waitFor()
    await page.keyboard.press('Control+Shift+Z')
    for (const id of ids) await page.locator(`[data-row="${id}"]`).getByText('Both').waitFor()
    assert.deepEqual(await readUserIds(), [workspace.jonas.id, workspace.jonas.id, before[2]])
  })
}

export function paletteOptionJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  ])
    test(`keeps its field in place while the user types, on ${device}`, async () => {
      const { signIn } = setup()
      const { path, make } = await makeProject('Of the palette')
      const name = `Found on ${device}`
      const missingName = `found on ${device} nothing at all`
      await make(name, 0, 1)
      const page = await signIn('mara@example.com', path, options)
      if (device === 'a desktop') await page.getByRole('button', { name: 'Search or run a command' }).click()
      else {
        // The header of the project takes the place of the button.
        await page.getByRole('button', { name: 'Account of Mara Lindqvist' }).click()
        await page.getByRole('menuitem', { name: 'Search or run a command' }).click()
      }
      const palette = page.getByRole('dialog', { name: 'Search or run a command' })
      await palette.getByRole('option').first().waitFor()
      const top = async () => (await palette.getByRole('combobox').boundingBox())?.y
      // The palette moves while it appears.
      await palette.evaluate((dialog) => Promise.all(dialog.getAnimations().map(({ finished }) => finished)))
      const firstTop = await top()
      await page.keyboard.type(name.toLowerCase())
      await palette.getByRole('option', { name }).locator('.palette-mark .mark').waitFor()
      assert.equal(await top(), firstTop)
      // Each option has one icon.
      const marks = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.palette-mark')].map(({ childElementCount }) => childElementCount)`,
      )
      assert.ok(marks.length > 0 && marks.every((count) => count === 1))
      await page.keyboard.type(' nothing at all')
      await palette.getByText(`No results for “${missingName}”`).waitFor()
      assert.equal(await top(), firstTop)
      await assertAccessible(page, `a palette without results on ${device}`)
      await palette.getByRole('option', { name: `Create assignment “${missingName}”` }).click()
      const dialog = page.getByRole('dialog', { name: 'New assignment' })
      await dialog.waitFor()
      assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), missingName)
      await dialog.getByRole('button', { name: 'Close' }).click()
    })
}
