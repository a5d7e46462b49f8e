import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, today } from '../../../web/src/time/days.ts'
import { until } from '../../support/until.ts'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function assignmentValueJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  /** Opens a choice by a key, types a text, and presses Enter, or Ctrl+Enter for a new label. */
  const choose = async (page: Page, key: string, text: string, option: string | RegExp, enter = 'Enter') => {
    await page.keyboard.press(key)
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(text)
    const options = page.getByRole('dialog').getByRole('option', { name: option })
    await until(async () => (await options.count()) === 1, `only ${option}`)
    await page.keyboard.press(enter)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('set stage, user, label, priority and end of the focused card, and of an open panel', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('By one key')
    const id = await make('Set by keys', 0, 1)
    const page = await signIn('mara@example.com', path)
    const card = page.locator(`[data-row="${id}"]`)
    await page.locator(`#card-${id}`).focus()
    await choose(page, 's', 'doing', 'Doing')
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name: 'Set by keys' }).waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await choose(page, 'a', 'jonas', /Jonas Weber/)
    await card.getByRole('img', { name: 'Jonas Weber' }).waitFor()
    await choose(page, 'l', 'Keyed', /New label/, 'Control+Enter')
    await card.getByText('Keyed').waitFor()
    await choose(page, 'd', '+40', /./)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Set by keys' }).waitFor()
    await page.locator('#panel-title:focus').waitFor()
    await choose(page, 'p', 'urg', 'Urgent')
    await card.getByText('Urgent').waitFor()
    const { assignment } = await workspace.call('GET', `/ext/assignment?id=${id}`)
    assert.partialDeepStrictEqual(assignment, {
      ...{ userId: workspace.jonas.id, workflowId: workspace.stages.Doing, priority: 4 },
      endDate: `${addDays(today(), 40)}T00:00:00Z`,
    })
    // Each change can be undone, the newest first.
    await page.keyboard.press('Control+z')
    await card.getByText('Urgent').waitFor({ state: 'detached' })
  })

  test('apply to the card under the pointer, unless another one has the focus', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('By the pointer')
    const [pointed, focused] = [await make('Pointed at', 0, 1), await make('Focused', 0, 2)]
    const page = await signIn('mara@example.com', path)
    const doing = page.getByRole('region', { name: 'Doing' })
    await page.locator(`[data-row="${pointed}"]`).hover()
    await choose(page, 's', 'doing', 'Doing')
    await doing.getByRole('link', { name: 'Pointed at' }).waitFor()
    await page.locator(`[data-row="${pointed}"]`).hover()
    await page.locator(`#card-${focused}`).focus()
    await choose(page, 's', 'doing', 'Doing')
    await doing.getByRole('link', { name: 'Focused' }).waitFor()
    assert.equal((await workspace.get('assignment', focused)).workflowId, workspace.stages.Doing)
  })

  test('change all selected rows of a list, with one Undo', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Selected for keys')
    const ids = [await make('First of two', 0, 1), await make('Second of two', 0, 2)]
    const other = await make('Not selected', 0, 3)
    const page = await signIn('mara@example.com', `${path}?view=list`)
    for (const id of ids) await page.locator(`#card-${id}`).press('x')
    const people = () =>
      Promise.all([...ids, other].map(async (id) => (await workspace.get('assignment', id)).userId))
    const before = await people()
    await choose(page, 'a', 'jonas', /Jonas Weber/)
    await page.getByText('2 assignments: Jonas Weber.').waitFor()
    assert.deepEqual(await people(), [workspace.jonas.id, workspace.jonas.id, before[2]])
    await choose(page, 'l', 'Both', /New label/, 'Control+Enter')
    await page.getByText('Both was added to 2 assignments.').waitFor({ state: 'attached' })
    for (const id of ids) await page.locator(`[data-row="${id}"]`).getByText('Both').waitFor()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await until(
      async () => JSON.stringify(await people()) === JSON.stringify(before),
      'both have their person back',
    )
  })

  for (const [size, options] of Object.entries({
    'a desktop': {},
    'a phone': { viewport: { width: 390, height: 844 }, hasTouch: true },
  }))
    test(`open a palette that keeps its field in place, marks each line, and creates what it does not find, on ${size}`, async () => {
      const { signIn } = stage()
      const { path, make } = await makeProject('Of the palette')
      await make(`Found on ${size}`, 0, 1)
      const page = await signIn('mara@example.com', path, options)
      await page.getByRole('button', { name: 'Search or run a command' }).click()
      const palette = page.getByRole('dialog', { name: 'Search or run a command' })
      await palette.getByRole('option').first().waitFor()
      const top = async () => (await palette.getByRole('combobox').boundingBox())?.y
      // The palette moves while it appears.
      await palette.evaluate((dialog) => Promise.all(dialog.getAnimations().map(({ finished }) => finished)))
      const first = await top()
      await page.keyboard.type(`found on ${size}`)
      await palette
        .getByRole('option', { name: `Found on ${size}` })
        .locator('.type-shape')
        .waitFor()
      assert.equal(await top(), first)
      const marks = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.palette-mark')].map(({ childElementCount }) => childElementCount)`,
      )
      assert.ok(marks.length > 0 && marks.every((count) => count === 1))
      await page.keyboard.type(' nothing at all')
      await palette.getByText(`No results for “found on ${size} nothing at all”`).waitFor()
      assert.equal(await top(), first)
      await assertAccessible(page, `a palette without results on ${size}`)
      await palette
        .getByRole('option', { name: `Create assignment “found on ${size} nothing at all”` })
        .click()
      const dialog = page.getByRole('dialog', { name: 'New assignment' })
      await dialog.waitFor()
      assert.equal(
        await dialog.getByLabel('Name', { exact: true }).inputValue(),
        `found on ${size} nothing at all`,
      )
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    })
}
