import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'
import { tabTo } from '../support/tab-to.ts'
import { assertAccessible } from './accessibility.ts'

export function keyJourneys(stage: () => Stage): void {
  test('do each job of a day: adding, moving, handing over, recording, removing and taking back', async () => {
    const { signIn, workspace } = stage()
    const { projectId, jonas } = workspace
    const page = await signIn('mara@example.com', `/projects/${projectId}`)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const panel = page.getByRole('complementary', { name: 'By keys alone' })
    await page.getByRole('region', { name: 'Backlog' }).waitFor()

    await tabTo(page, '[aria-label="New assignment in Backlog"]')
    await press('Enter')
    await page.locator('.quick-add input:focus').waitFor()
    await page.keyboard.type('By keys alone')
    await press('Enter')
    const card = page.getByRole('region', { name: 'Backlog' }).getByRole('link', { name: 'By keys alone' })
    await card.waitFor()
    const id = (await card.getAttribute('id'))?.replace('card-', '') ?? ''
    await press('Escape')
    await page.locator('[aria-label="New assignment in Backlog"]:focus').waitFor()

    await tabTo(page, `#card-${id}`)
    await press('m', 'ArrowDown', 'Enter')
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name: 'By keys alone' }).waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()

    await press('F2')
    await panel.locator('.panel-name:focus').waitFor()
    await tabTo(page, '[role=combobox]')
    await page.keyboard.type('Jonas')
    await page.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
    await press('Enter')
    await saved
    assert.equal((await workspace.get('assignment', id)).userId, jonas.id)

    await tabTo(page, 'button:has(+ .timer-button)')
    await press('Enter')
    await tabTo(page, '.panel-section [name=amountHours]')
    await page.keyboard.type('1:30')
    await press('Enter')
    await panel.getByText('1.5 h recorded, no hours planned yet').waitFor()

    await tabTo(page, '[aria-label="Add a person"]', 'Shift+Tab')
    await page.keyboard.type('Mara')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).waitFor()
    await press('Enter')
    await panel.getByRole('button', { name: 'Remove Mara Lindqvist from the assignment' }).waitFor()

    await press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator(`#card-${id}:focus`).waitFor()
    // What lasts is removed in the panel, and Ctrl+Z brings it back.
    await press('Enter')
    await panel.getByLabel('Name', { exact: true }).waitFor()
    await tabTo(page, '[aria-label^="Remove 1.5 h on"]')
    await press('Enter')
    await panel.getByText('0 h recorded, no hours planned yet').waitFor()
    await press('Control+z')
    await panel.getByText('1.5 h recorded, no hours planned yet').waitFor()
  })

  test('filter, find, ask what they do, and come back from each dialog to where they were', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Looked for by keys')
    await workspace.assignment('Something beside it', { userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const press = (key: string) => page.keyboard.press(key)
    const other = page.getByRole('link', { name: 'Something beside it' })
    await other.waitFor()
    await press('/')
    await page.keyboard.type('looked for')
    await other.waitFor({ state: 'detached' })
    await tabTo(page, '.filters > .button:last-child')
    await press('Enter')
    await other.waitFor()
    await tabTo(page, '.face', 'Shift+Tab')
    await tabTo(page, `#card-${id}`)
    for (const [key, name] of [
      ['?', 'Keyboard shortcuts'],
      ['Control+k', 'Search or run a command'],
      ['c', 'New assignment'],
    ] as const) {
      await press(key)
      const dialog = page.getByRole('dialog', { name })
      await dialog.waitFor()
      // A list of suggestions closes first.
      for (let presses = 0; presses < 2 && (await dialog.isVisible()); presses += 1) await press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.locator(`#card-${id}:focus`).waitFor()
    }
    await press('Control+k')
    await page.keyboard.type('looked for by')
    await page.getByRole('option', { name: /^Looked for by keys/ }).waitFor()
    await press('Enter')
    await page.getByRole('complementary', { name: 'Looked for by keys' }).waitFor()
    await press('Escape')
    await page.locator(`#card-${id}:focus`).waitFor()
  })

  test('lead everywhere: everything is one key away: palette, places, the sheet of shortcuts', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Found by the palette')
    const page = await signIn((await workspace.join('Petra Palette')).login, '/projects')
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    await palette.getByRole('option', { name: 'My week' }).waitFor()
    await assertAccessible(page, 'palette')
    // Fast: what was typed counts, not what the list still shows.
    await page.keyboard.type('found by')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/assignments/${id}`)
    await page.getByRole('heading', { name: 'Found by the palette' }).focus()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/week')
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to the reports').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    // Typed at once, and nothing of it is lost.
    await page.keyboard.type('sign out')
    assert.equal(await palette.getByRole('combobox').inputValue(), 'sign out')
    await palette.getByRole('option', { name: 'My week' }).waitFor({ state: 'detached' })
    await palette.getByRole('option', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Password').waitFor()
  })

  test('reach a card with an arrow, and the palette moves, hands over, prioritises and labels it', async () => {
    const { signIn, workspace } = stage()
    const { stages, jonas } = workspace
    const id = await workspace.assignment('Done from the palette', { workflowId: stages.Doing })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const card = page.getByRole('link', { name: 'Done from the palette' })
    await card.waitFor()
    await page.locator('h1').focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('.column:first-child .card-link:focus').waitFor()
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    const choose = async (command: string, value: string, option: string | RegExp) => {
      await card.focus()
      await page.keyboard.press('Control+k')
      await page.keyboard.type(command)
      await page.keyboard.press('Enter')
      await palette.getByRole('combobox', { name: /Done from the palette/ }).fill(value)
      await palette.getByRole('option', { name: option }).waitFor()
      await page.keyboard.press('Enter')
      await palette.waitFor({ state: 'detached' })
      await page.locator(`#card-${id}:focus`).waitFor()
    }
    const done = page.getByRole('region', { name: 'Done', exact: true })
    await choose('move', 'done', 'Done')
    await done.getByRole('link', { name: 'Done from the palette' }).waitFor()
    await page.keyboard.press('Control+z')
    await page
      .getByRole('region', { name: 'Doing' })
      .getByRole('link', { name: 'Done from the palette' })
      .waitFor()
    await choose('assign', 'jonas', /Jonas Weber/)
    await choose('priority', 'urg', 'Urgent')
    await page.locator('.card', { hasText: 'Done from the palette' }).getByText('Urgent').waitFor()
    await choose('label', 'From afar', /New label/)
    await page.locator('.card', { hasText: 'Done from the palette' }).getByText('From afar').waitFor()
    const { userId, priority, workflowId } = await workspace.get('assignment', id)
    assert.deepEqual([userId, priority, workflowId], [jonas.id, undefined, stages.Doing])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('move')
    await page.keyboard.press('Enter')
    await palette.getByRole('button', { name: 'Back' }).waitFor()
    await assertAccessible(page, 'the second step of the palette')
    await page.keyboard.press('Backspace')
    await palette.getByRole('option', { name: 'Move to a stage…' }).waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
  })

  test('create from anywhere, and the palette knows what was opened last and whose work it is', async () => {
    const { signIn, workspace } = stage()
    const { login } = await workspace.join('Nora Anywhere')
    const page = await signIn(login, '/account')
    await page.getByRole('heading', { name: 'My account' }).focus()
    await page.keyboard.press('n')
    await page.keyboard.type('website')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name', { exact: true }).fill('Made far away')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('complementary', { name: 'Made far away' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/week')
    await page.keyboard.press('Control+k')
    const recent = page.getByRole('group', { name: 'Recent' })
    await recent.getByRole('option', { name: /Made far away/ }).waitFor()
    await page.keyboard.type('nora any')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /Made far away/ }).click()
    await page.getByRole('complementary', { name: 'Made far away' }).waitFor()
  })
}
