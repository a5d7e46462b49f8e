import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { tabTo } from '../support/tab-to.ts'
import { assertAccessible } from './accessibility.ts'

export function keyJourneys(setup: () => BrowserSetup): void {
  test('are enough for daily work: adding, moving, reassigning, recording, removing and undoing', async () => {
    const { signIn, workspace } = setup()
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
    // M opens the same list as S. The current stage is selected.
    await press('m')
    await page.locator('dialog.picker [aria-selected=true]', { hasText: 'Backlog' }).waitFor()
    await press('ArrowDown', 'Enter')
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
    await page.locator('.panel-section [name=amountHours]:focus').waitFor()
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
    // The recorded hours are removed in the panel, and Ctrl+Z restores them.
    await press('Enter')
    await panel.getByRole('button', { name: /^Remove 1.5 h on/ }).waitFor()
    await tabTo(page, '[aria-label^="Remove 1.5 h on"]')
    await press('Enter')
    await panel.getByText('0 h recorded, no hours planned yet').waitFor()
    await press('Control+z')
    await panel.getByText('1.5 h recorded, no hours planned yet').waitFor()
  })

  test('filter, search, show the list of keys, and return the focus after each dialog', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Looked for by keys')
    await workspace.assignment('Something else', { userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const press = (key: string) => page.keyboard.press(key)
    const other = page.getByRole('link', { name: 'Something else' })
    await other.waitFor()
    // The first key loads the second script, which this dialog needs, too.
    await press('?')
    await page.getByRole('searchbox', { name: 'Search the shortcuts' }).press('Escape')
    await press('/')
    await page.keyboard.type('looked for')
    // The search has not begun yet.
    await press('Enter')
    await page.locator(`#card-${id}:focus`).waitFor()
    await press('/')
    const search = page.getByRole('searchbox', { name: 'Search assignments' })
    assert.equal(await search.inputValue(), 'looked for')
    const announced = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor()
    await announced(/^1 assignment$/)
    await search.fill('looked for in vain')
    await announced(/^No assignments$/)
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.locator('[aria-current]', { hasText: 'List' }).waitFor()
    await search.fill('looked for')
    await announced(/^1 assignment$/)
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByRole('region', { name: 'Backlog' }).waitFor()
    await search.focus()
    await press('ArrowDown')
    await page.locator(`#card-${id}:focus`).waitFor()
    await press('/')
    await press('Escape')
    await other.waitFor()
    await page.locator('[type=search]:focus').waitFor()
    // Outside of the field, the key opens the filter.
    await press('Escape')
    await press('Shift+F')
    await page.getByRole('dialog', { name: 'Filter' }).waitFor()
    await page.keyboard.type('mara')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).waitFor()
    await press('Enter')
    await other.waitFor({ state: 'detached' })
    await press('Escape')
    await page.locator('.filter-button:focus').waitFor()
    await tabTo(page, '.filter-chips > .button')
    await press('Enter')
    await other.waitFor()
    await page.locator('.filter-button:focus').waitFor()
    await tabTo(page, `#card-${id}`)
    for (const { key, name } of [
      { key: '?', name: 'Keyboard shortcuts' },
      { key: 'Control+k', name: 'Search or run a command' },
      { key: 'c', name: 'New assignment' },
    ]) {
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
    await page.getByRole('option', { name: /Looked for by keys/ }).waitFor()
    await announced(/^\d+ results?$/)
    await press('Enter')
    await page.getByRole('complementary', { name: 'Looked for by keys' }).waitFor()
    await press('Escape')
    await page.locator(`#card-${id}:focus`).waitFor()
  })

  test('are typed into a dialog even while it is loading', async () => {
    const { signIn, workspace } = setup()
    const path = `/projects/${workspace.projectId}`
    const page = await signIn('mara@example.com', path)
    const script = await reloadWithoutSecondScript(page)
    await page.keyboard.press('n')
    // On the page, these keys would open the week.
    await page.keyboard.type('gw')
    script.resolve()
    await page.getByRole('dialog', { name: 'New assignment' }).waitFor()
    await page.keyboard.type('Typed now')
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'gwTyped now')
    assert.equal(new URL(page.url()).pathname, path)
  })

  test('choose an option of the palette even while it is loading', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const script = await reloadWithoutSecondScript(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('inbox')
    await page.keyboard.press('Enter')
    script.resolve()
    await page.waitForURL('**/inbox')
  })

  test('open the palette, other pages and the list of shortcuts', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Found by the palette')
    const page = await signIn((await workspace.join('Petra Palette')).login, '/projects')
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    await palette.getByRole('option', { name: 'My week' }).waitFor()
    await assertAccessible(page, 'palette')
    // After fast typing, Enter applies to the text, not to the option that the list still shows.
    await page.keyboard.type('found by')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/assignments/${id}`)
    await page.getByRole('heading', { name: 'Found by the palette' }).focus()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/week')
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Reports').waitFor()
    // Three columns show all of it, and its arrows, which the font lacks in part, are drawn.
    await page.setViewportSize({ width: 1024, height: 900 })
    const [whole, seen] = await sheet.evaluate(({ scrollHeight, clientHeight }) => [
      scrollHeight,
      clientHeight,
    ])
    assert.equal(whole, seen)
    assert.equal(await sheet.locator('kbd', { hasText: '← ↑ → ↓' }).locator('svg').count(), 4)
    // The search begins when the typing pauses, and keeps the space at which it pauses.
    await page.keyboard.type('g ')
    await sheet.getByText('Open the entries of a cell of the week').waitFor({ state: 'detached' })
    await page.keyboard.type('rep')
    await sheet.getByText('My week').waitFor({ state: 'detached' })
    await sheet.getByText('Reports').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    // No character is lost, although the text is typed at once.
    await page.keyboard.type('sign out')
    assert.equal(await palette.getByRole('combobox').inputValue(), 'sign out')
    await palette.getByRole('option', { name: 'My week' }).waitFor({ state: 'detached' })
    await palette.getByRole('option', { name: 'Sign out', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Password').waitFor()
  })

  test('find pages and tools of the project in the palette', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Named with its key')
    const path = `/projects/${workspace.projectId}`
    const page = await signIn('mara@example.com', `${path}?view=list&overdue=1`)
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    await page.locator('.list-row').first().waitFor()
    const run = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(text)
      await palette.getByRole('option', { name: option }).first().waitFor()
      await page.keyboard.press('Enter')
    }
    await page.keyboard.press('Control+k')
    const place = palette.getByRole('option', { name: /^My work/ })
    await place.waitFor()
    assert.deepEqual(await place.locator('kbd').allTextContents(), ['G', 'M'])
    await palette.getByRole('combobox').fill('named with its key')
    await palette.getByRole('option', { name: /[A-Z]+-\d+ Named with its key/ }).waitFor()
    // The best match of each kind is first, and an assignment with the typed text can always be created.
    const { organizationId, mara } = workspace
    const { id: projectId } = await workspace.make('project', { name: 'Of many matches', organizationId })
    await workspace.make('userProject', { projectId, userId: mara.id })
    for (const name of ['A contest', 'Known by its test', 'Test of the palette'])
      await workspace.assignment(name, { projectId })
    await palette.getByRole('combobox').fill('test')
    await palette.getByRole('option', { name: /Test of the palette/ }).waitFor()
    const matches = palette.getByRole('group', { name: 'Assignments' }).locator('.palette-name')
    assert.deepEqual((await matches.allTextContents()).slice(0, 3), [
      'Test of the palette',
      'Known by its test',
      'A contest',
    ])
    await palette.getByRole('option', { name: 'Create assignment “test”' }).waitFor()
    await palette.getByRole('combobox').fill('filter')
    const filter = palette.getByRole('option', { name: /^Filter/ }).first()
    await filter.getByText('Shift').waitFor()
    assert.deepEqual(await filter.locator('kbd').allTextContents(), ['Shift', 'F'])
    await page.keyboard.press('Escape')

    await run('filter', /^Filter/)
    await page.getByRole('combobox', { name: 'Find a filter' }).waitFor()
    await page.keyboard.press('Escape')
    await run('save view', /^Save view/)
    await page.getByRole('dialog', { name: 'Save view' }).waitFor()
    await page.keyboard.press('Escape')
    const download = page.waitForEvent('download')
    await run('export', /^Export/)
    await download
    await run('settings', /^Settings/)
    await page.waitForURL(`**${path}/settings`)
    await run('import', /^Import/)
    await page.waitForURL(`**${path}/import`)
    await run('activity', /^Activity/)
    await page.waitForURL(`**${path}/activity`)
    await page.keyboard.press('Control+k')
    const ofProject = palette.getByRole('group', { name: 'Website relaunch' })
    await ofProject.getByRole('option', { name: /^Timeline/ }).waitFor()
    assert.equal(await ofProject.locator('.palette-group > .project-mark').count(), 1)
    assert.deepEqual((await ofProject.locator('.palette-name').allTextContents()).slice(0, 4), [
      'Board',
      'List',
      'Calendar',
      'Timeline',
    ])
    await page.keyboard.press('Escape')
    // A name that begins with the text comes before one in which another word does.
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('assign')
    await palette.getByText('Create assignment “assign”').waitFor()
    await palette.locator('[aria-selected=true]', { hasText: 'Assign to a person…' }).waitFor()
    assert.ok((await palette.locator('.palette-name').allTextContents()).includes('New assignment'))
    await page.keyboard.press('Escape')
    // A command on an assignment asks for it, and its heading says so, unless one is focused or open.
    await page.keyboard.press('Control+k')
    const onAny = palette.getByRole('group', { name: 'On an assignment that you choose next' })
    await onAny.getByText('Move to a stage…').waitFor()
    await page.keyboard.press('Escape')
    await run('move', /^Move to a stage/)
    await palette.getByRole('combobox', { name: 'Move to a stage…' }).fill('named with its key')
    await palette.getByRole('option', { name: /[A-Z]+-\d+ Named with its key/ }).waitFor()
    await page.keyboard.press('Enter')
    await palette.getByRole('group', { name: 'Named with its key', exact: true }).waitFor()
    await palette.getByRole('option', { name: 'Doing' }).click()
    await page.getByText('Named with its key is now in Doing.').waitFor()
    // A view keeps the filters and the open assignment of the view before.
    await page.goto(`${setup().hosts.web}${path}/assignments/${id}?overdue=1`)
    await page.getByRole('complementary', { name: 'Named with its key' }).waitFor()
    await page.keyboard.press('Control+k')
    const key = /^[A-Z]+-\d+ Named with its key$/
    await palette.getByRole('group', { name: key }).getByText('Move to a stage…').waitFor()
    assert.match((await palette.getByRole('group').first().getAttribute('aria-label')) ?? '', key)
    await page.keyboard.press('Escape')
    await run('calendar', /^Calendar/)
    await page.waitForURL(`**${path}/assignments/${id}?overdue=1&view=calendar`)
  })

  test('reach a card with an arrow, and move, reassign, prioritize and label it in the palette', async () => {
    const { signIn, workspace } = setup()
    const { stages, jonas } = workspace
    const id = await workspace.assignment('Done from the palette', { workflowId: stages.Doing })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const card = page.getByRole('link', { name: 'Done from the palette' })
    await card.waitFor()
    await page.locator('h1').focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('.column:first-child .card-link:focus').waitFor()
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    interface Choice {
      readonly command: string
      readonly text: string
      readonly option: string | RegExp
      readonly confirm?: 'Enter' | 'Control+Enter'
    }
    const choose = async ({ command, text, option, confirm = 'Enter' }: Choice) => {
      await card.focus()
      await page.keyboard.press('Control+k')
      await page.keyboard.type(command)
      await page.keyboard.press('Enter')
      await palette.getByRole('combobox', { name: /^(Stage|Responsible|Priority|Labels)$/ }).fill(text)
      await palette.getByRole('option', { name: option }).waitFor()
      await page.keyboard.press(confirm)
      await palette.waitFor({ state: 'detached' })
      await page.locator(`#card-${id}:focus`).waitFor()
    }
    const done = page.getByRole('region', { name: 'Done', exact: true })
    await choose({ command: 'move', text: 'done', option: 'Done' })
    await done.getByRole('link', { name: 'Done from the palette' }).waitFor()
    const doing = page.getByRole('region', { name: 'Doing' })
    for (const [key, stageAfter] of [
      ['Control+z', doing],
      ['Control+y', done],
      ['Control+z', doing],
    ] as const) {
      await page.keyboard.press(key)
      await stageAfter.getByRole('link', { name: 'Done from the palette' }).waitFor()
    }
    await choose({ command: 'assign', text: 'jonas', option: /Jonas Weber/ })
    await choose({ command: 'priority', text: 'urg', option: 'Urgent' })
    await page.locator('.card', { hasText: 'Done from the palette' }).getByText('Urgent').waitFor()
    await choose({ command: 'label', text: 'From afar', option: /New label/, confirm: 'Control+Enter' })
    await page.locator('.card', { hasText: 'Done from the palette' }).getByText('From afar').waitFor()
    const { userId, workflowId } = await workspace.get('assignment', id)
    assert.deepEqual({ userId, workflowId }, { userId: jonas.id, workflowId: stages.Doing })
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

  test('create assignments from anywhere', async () => {
    const { signIn, workspace } = setup()
    const { login, id: userId } = await workspace.join('Nora Anywhere')
    await workspace.make('assignmentType', { name: 'Research' })
    const other = { name: 'Elsewhere', organizationId: workspace.organizationId }
    const { id: projectId } = await workspace.make('project', other)
    await workspace.make('userProject', { projectId, userId })
    const page = await signIn(login, '/account')
    await page.getByRole('heading', { name: 'My account' }).focus()
    // The types arrive only after their list has been opened.
    const opened = Promise.withResolvers<void>()
    await page.route('**/api/assignmentTypes?*', (route) => opened.promise.then(() => route.continue()))
    await page.keyboard.press('n')
    await page.keyboard.type('website')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('listbox', { name: 'Type' }).waitFor({ state: 'attached' })
    opened.resolve()
    await page.getByRole('option', { name: 'Research' }).click()
    await dialog.getByRole('combobox', { name: 'Responsible' }).click()
    await page.getByRole('option', { name: 'Nora Anywhere' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Made far away')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('complementary', { name: 'Made far away' }).waitFor()
    // The last type is remembered for each project.
    const type = dialog.getByRole('combobox', { name: 'Type' })
    await page.keyboard.press('n')
    await type.getByText('Research', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/week')
    await page.keyboard.press('n')
    await page.keyboard.type('elsewhere')
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await type.getByText('Feature', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    const recent = page.getByRole('group', { name: 'Recent' })
    await recent.getByRole('option', { name: /Made far away/ }).waitFor()
    await page.keyboard.type('nora any')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Assignments of Nora Anywhere' }).waitFor()
    await page.getByRole('option', { name: /Made far away/ }).click()
    await page.getByRole('complementary', { name: 'Made far away' }).waitFor()
    // In a project, the palette filters by a person in one step.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('nora any')
    await page.getByRole('option', { name: 'Filter by Nora Anywhere' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter Responsible' }).waitFor()
  })

  test('open the form for a user, and create a project with a new organization', async () => {
    const { signIn } = setup()
    const page = await signIn('root@example.com', '/week')
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    const run = async (command: string) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(command)
      await page.keyboard.press('Enter')
    }
    await run('new user')
    await page.getByRole('dialog', { name: 'New user' }).waitFor()
    await page.keyboard.press('Escape')
    await run('new project')
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await dialog.getByLabel('Name', { exact: true }).fill('Harbour office')
    await dialog.getByRole('combobox', { name: 'Organization' }).fill('Harbour Works')
    await dialog.getByRole('option', { name: /^New organization/ }).click()
    const organization = dialog.getByLabel('Name of the new organization')
    assert.equal(await organization.inputValue(), 'Harbour Works')
    await organization.fill('')
    await dialog.getByRole('button', { name: 'Create project' }).click()
    await dialog.getByText('Name of the new organization is required.').waitFor()
    await organization.fill('Harbour Works')
    await dialog.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Harbour office' }).waitFor()
    await page.goto(`${setup().hosts.web}/projects`)
    await page.getByRole('region', { name: 'Harbour Works' }).getByText('Harbour office').waitFor()
  })
}

/** Reloads a board without its second script. The script arrives when the returned promise is resolved. */
async function reloadWithoutSecondScript(page: Page) {
  const script = Promise.withResolvers<void>()
  await page.route(/\/assets\/later-.*\.js$/, async (route) => {
    await script.promise
    await route.continue()
  })
  await page.reload()
  await page.getByRole('region', { name: 'Backlog' }).waitFor()
  return script
}
