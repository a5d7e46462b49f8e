import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, formatDay, today } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { administratorLogin } from '../support/tracker-hosts.ts'
import { assertAccessible } from './accessibility.ts'

export function paletteJourneys(setup: () => BrowserSetup): void {
  const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Search or run a command' })

  /** Opens the palette and types a text, without waiting for results. */
  const open = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
  }

  test('finds names despite typing errors, swapped words and missing letters', async () => {
    const { signIn, workspace } = setup()
    await workspace.join('Otília Perdoada')
    const path = `/projects/${workspace.projectId}`
    const page = await signIn('mara@example.com', path)
    await page.getByRole('region', { name: 'Backlog' }).waitFor()
    const palette = paletteOf(page)
    await open(page, '')
    for (const { text, name, marked } of [
      { text: 'relaumch', name: 'Website relaunch', marked: ['relaunch'] },
      { text: 'webs rel', name: 'Website relaunch', marked: ['Webs', 'rel'] },
      // A line that matches by a synonym shows the synonym as the reason, if it is in the language of the user.
      { text: 'settings project', name: 'Settings · project', marked: ['Settings'] },
      { text: 'relatorio', name: 'Hours', marked: [] },
      { text: 'nwa', name: 'New assignment', marked: ['N', 'w', 'a'] },
      { text: 'perdoada otilia', name: 'Filter by Otília Perdoada', marked: ['Otília', 'Perdoada'] },
    ]) {
      await palette.getByRole('combobox').fill(text)
      await palette.getByText(`Create assignment “${text}”`).waitFor()
      const first = palette.getByRole('option').first()
      assert.equal(await first.locator('.palette-name').textContent(), name)
      assert.deepEqual(await first.locator('mark').allTextContents(), marked)
    }
    await assertAccessible(page, 'a palette with marked letters')
    assert.equal(await palette.getByText('Esc', { exact: true }).count(), 1)
    await palette.getByRole('combobox').fill('webs rel')
    await palette.getByRole('option', { name: 'Website relaunch' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${path}`)
    // The values of an assignment are found in the same way.
    const id = await workspace.assignment('Forgiven')
    // The column may have more cards than it renders.
    await page.goto(`${setup().hosts.web}${path}?search=Forgiven`)
    await page.locator(`#card-${id}`).focus()
    for (const { key, text, value } of [
      { key: 's', text: 'donig', value: 'Doing' },
      { key: 'a', text: 'weber jonas', value: 'Jonas Weber' },
      { key: 'p', text: 'ugrent', value: 'Urgent' },
    ]) {
      await page.keyboard.press(key)
      const list = page.locator('dialog.picker')
      await list.waitFor()
      await page.keyboard.type(text)
      await list.getByRole('option', { name: value }).locator('mark').first().waitFor()
      await page.keyboard.press('Escape')
      await list.waitFor({ state: 'detached' })
    }
  })

  test('shows known results at once, and moves nothing when assignments arrive', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('Relaunch the old site')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('region', { name: 'Backlog' }).waitFor()
    const palette = paletteOf(page)
    await open(page, 'week')
    await palette.getByText('Create assignment “week”').waitFor()
    const answered = Promise.withResolvers<void>()
    const searches: string[] = []
    await page.route(/search=/, async (route) => {
      searches.push(new URL(route.request().url()).pathname)
      await answered.promise
      await route.continue()
    })
    const names = () => palette.locator('.palette-name').allTextContents()
    await palette.getByRole('combobox').fill('rel')
    await palette.getByRole('group', { name: 'Projects' }).getByText('Website relaunch').waitFor()
    const known = await names()
    const first = palette.getByRole('option').first()
    const place = await first.boundingBox()
    answered.resolve()
    await palette.getByRole('option', { name: /Relaunch the old site/ }).waitFor()
    assert.deepEqual((await names()).slice(0, known.length), known)
    assert.deepEqual(await first.boundingBox(), place)
    assert.deepEqual(searches, ['/ext/assignments'])
    // An assignment has the mark of its stage, its key in front of its name, and its person at the end.
    const assignment = palette.getByRole('option', { name: /Relaunch the old site/ })
    const [line = ''] = await assignment.allInnerTexts()
    assert.match(line, /^[A-Z]+-\d+\s+Relaunch the old site\s+Website relaunch\s+ML$/)
    assert.equal(await assignment.locator('.palette-mark > .mark').count(), 1)
    // Enter need not wait for the server.
    await page.unroute(/search=/)
    await page.route(/search=/, () => undefined)
    await palette.getByRole('combobox').fill('my week')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/week')
  })

  test('holds the focus, and a click outside closes it without reaching the page', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Below the palette')
    const path = `/projects/${workspace.projectId}?search=Below`
    const page = await signIn('mara@example.com', path)
    await page.locator(`#card-${id}`).focus()
    const palette = paletteOf(page)
    await open(page, 'below')
    await palette.getByRole('option', { name: /Below the palette/ }).waitFor()
    // The card to which the commands apply is marked.
    await page.locator(`[data-row="${id}"][data-has-menu]`).waitFor()
    for (const key of ['Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key)
      assert.equal(await palette.evaluate((dialog) => dialog.contains(document.activeElement)), true, key)
    }
    // A page that arrives late focuses its title, but not below a palette.
    await page.locator('h1').evaluate((title: HTMLElement) => title.focus())
    assert.equal(await palette.getByRole('combobox').evaluate((field) => field.matches(':focus')), true)
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await page.locator(`#card-${id}:focus`).waitFor()
    await open(page, '')
    const { x = 0, y = 0 } = (await page.locator(`#card-${id}`).boundingBox()) ?? {}
    await page.mouse.click(x + 5, y + 5)
    await palette.waitFor({ state: 'detached' })
    assert.equal(page.url().endsWith(path), true)
  })

  test('finds commands by synonyms, in both languages', async () => {
    const { signIn, workspace } = setup()
    const name = 'Named by other words'
    const id = await workspace.assignment(name)
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=${name}`)
    const palette = paletteOf(page)
    await page.locator(`#card-${id}`).focus()
    await open(page, '')
    const commandBySynonym = {
      create: 'New assignment',
      issue: 'New assignment',
      ticket: 'New assignment',
      criar: 'New project',
      'log out': 'Sign out',
      sair: 'Sign out',
      dark: 'Use dark theme',
      idioma: 'Language: Português',
      password: 'My account',
      senha: 'My account',
      invite: 'Members',
      kanban: 'Projects',
      'delete project': 'Archive or remove',
      'copy link': 'Copy link',
      subtask: 'Add a sub-assignment…',
      finish: 'Move to Done',
      due: 'Set the end…',
      prazo: 'Set the end…',
      owner: 'Assign to a person…',
      assignee: 'Assign to a person…',
      tag: 'Add or remove a label…',
      status: 'Move to a stage…',
    }
    for (const [text, command] of Object.entries(commandBySynonym)) {
      await palette.getByRole('combobox').fill(text)
      await palette.getByText(`Create assignment “${text}”`).waitFor()
      const names = await palette.locator('.palette-name').allTextContents()
      assert.ok(
        names.some((found) => found.startsWith(command)),
        `${text} finds ${names}`,
      )
    }
  })

  test('finds an assignment by a part of its key', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Found by its number')
    const number = (await workspace.call('GET', `/ext/assignment?id=${id}`)).assignment.number
    const { key } = (await workspace.call('GET', `/ext/project?id=${workspace.projectId}`)).project
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const palette = paletteOf(page)
    await open(page, '')
    for (const text of [`${number}`, `${key} ${number}`, `${key}${number}`.toLowerCase()]) {
      await palette.getByRole('combobox').fill(text)
      await palette.getByText(`Create assignment “${text}”`).waitFor()
      await palette.getByRole('option', { name: /Found by its number/ }).waitFor()
      assert.match(
        (await palette.getByRole('option').first().textContent()) ?? '',
        /Found by its number/,
        text,
      )
    }
    // A number alone means assignments of all projects of the user, wherever the palette was opened.
    await page.goto(`${setup().hosts.web}/my-work`)
    await page.getByRole('heading', { name: 'My work', level: 1 }).waitFor()
    await open(page, `${number}`)
    await palette.getByRole('option', { name: `${key}-${number}` }).waitFor()
  })

  test('asks for the project of a page if none is open', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', '/week')
    const palette = paletteOf(page)
    await open(page, 'invite')
    const group = palette.getByRole('group', { name: 'In a project that you choose next' })
    await group.getByRole('option', { name: 'Members' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('relaunch')
    await palette.getByRole('option', { name: 'Website relaunch' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/projects/${workspace.projectId}/settings?part=members`)
  })

  test('sets a value of the focused assignment by its name, and acts on it by verbs', async () => {
    const { signIn, workspace } = setup()
    const name = 'Changed by a word'
    const id = await workspace.assignment(name)
    const { label } = await workspace.call('POST', '/ext/label', {
      projectId: workspace.projectId,
      name: 'Typed by name',
      color: 'red',
    })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=${name}`)
    const palette = paletteOf(page)
    const card = page.locator(`#card-${id}`)
    /** Chooses the first result. */
    const run = async (text: string, command: string) => {
      await card.focus()
      await open(page, text)
      await palette.getByText(`Create assignment “${text}”`).waitFor()
      const first = palette.getByRole('option').first().locator('.palette-name')
      assert.equal((await first.textContent())?.split(' · ', 1)[0], command)
      await page.keyboard.press('Enter')
      await palette.waitFor({ state: 'detached' })
    }
    // There is nothing to undo or redo yet.
    await open(page, 'undo')
    await palette.getByText('Create assignment “undo”').waitFor()
    assert.equal(await palette.getByRole('option', { name: /the last/ }).count(), 0)
    await page.keyboard.press('Escape')
    await run('doing', 'Move to Doing')
    await page.getByText(`${name} is now in Doing.`).waitFor()
    await run('high', 'Priority: High')
    await page.getByText('2 changes saved').waitFor()
    await run('assign jonas', 'Assign to Jonas Weber')
    await page.getByText('3 changes saved').waitFor()
    const { assignment } = await workspace.call('GET', `/ext/assignment?id=${id}`)
    const { workflowId, priority, userId } = assignment
    const expected = { workflowId: workspace.stages.Doing, priority: 3, userId: workspace.jonas.id }
    assert.deepEqual({ workflowId, priority, userId }, expected)
    // The name of a field, or a synonym, and a value.
    const end = addDays(today(), 40)
    await run('due in 40 days', `End: ${formatDay(end)}`)
    await page.getByText('4 changes saved').waitFor()
    await run('planned 3h', 'Planned hours: 3 h')
    await page.getByText('5 changes saved').waitFor()
    await run('priority none', 'No priority')
    await page.getByText('6 changes saved').waitFor()
    await run(`label ${label.name}`, `Add the label ${label.name}`)
    await page.getByText(`${label.name} was added to ${name}.`).waitFor()
    await run(`no label ${label.name}`, `Remove the label ${label.name}`)
    await page.getByText(`${label.name} was removed from ${name}.`).waitFor()
    assert.partialDeepStrictEqual((await workspace.call('GET', `/ext/assignment?id=${id}`)).assignment, {
      endDate: `${end}T00:00:00Z`,
      amountHours: 3,
      priority: null,
    })
    await run('undo', 'Undo the last change')
    await page.getByText('Undone:').waitFor()
    // A name alone looks for the person.
    await card.focus()
    await open(page, 'mara')
    await palette.getByText('Assign to Mara Lindqvist').waitFor()
    assert.match((await palette.getByRole('option').first().textContent()) ?? '', /^Filter by Mara Lindqvist/)
    await page.keyboard.press('Escape')
    await run('rename', 'Rename…')
    await page.locator('.panel-name:focus').waitFor()
    await run('subtask', 'Add a sub-assignment…')
    await page
      .getByRole('textbox', { name: 'Name of the new sub-assignment' })
      .and(page.locator(':focus'))
      .waitFor()
    await run('comment', 'Comment')
    await page.locator('.composer textarea:focus').waitFor()
    // The removal of the open assignment closes it.
    await run('delete', 'Remove')
    await page.getByText(`${name} was removed.`).waitFor()
    await page.locator('.panel').waitFor({ state: 'detached' })
  })

  test('leads administrators to each page of the administration', async () => {
    const { signIn } = setup()
    const page = await signIn(administratorLogin, '/my-work')
    const palette = paletteOf(page)
    await open(page, 'sign-in')
    await palette.getByRole('group', { name: 'Administration' }).getByText('Sign-in').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/administration/sign-in')
  })

  test('says in a list and at the top that an answer is slow', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Slow', { startDate: '2026-01-05', endDate: '2026-01-06' })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const answered = Promise.withResolvers<void>()
    await page.route(/projectStages/, async (route) => {
      await answered.promise
      await route.continue()
    })
    await page.locator(`#card-${id}`).focus()
    await page.keyboard.press('s')
    const list = page.locator('dialog.picker')
    await list.getByText('Loading…').waitFor()
    const text = page.getByText('The server is busy, or the network slow. Still waiting…')
    await text.waitFor()
    answered.resolve()
    await list.getByRole('option', { name: 'Doing' }).waitFor()
    await text.waitFor({ state: 'detached' })
    assert.equal(await list.getByText('Loading…').count(), 0)
    await page.keyboard.press('Escape')
    // So does the list of a field.
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name', { exact: true }).waitFor()
    await page.route(/\/ext\/members|userProjects|people/, () => undefined)
    await dialog.getByRole('combobox', { name: 'Responsible' }).click()
    await dialog.getByText('Loading…').waitFor()
  })

  test('says that the server has found no assignments because it is busy', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const palette = paletteOf(page)
    await open(page, '')
    await palette.getByRole('option').first().waitFor()
    const message = 'Too many requests. Try again in 7 seconds.'
    await page.route(/search=/, (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'retry-after': '0',
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'retry-after',
        },
        json: { statusCode: 429, message },
      }),
    )
    await page.keyboard.type('relaunch')
    await palette.getByRole('group', { name: 'Projects' }).getByText('Website relaunch').waitFor()
    await palette.getByRole('group', { name: message }).waitFor()
  })

  test('leads an account without a project to a new one', async () => {
    const { signIn, workspace } = setup()
    const { id } = await workspace.join('Nina Alone')
    const { result } = await workspace.call('GET', `/api/userProjects?userId=${id}`)
    await workspace.change('DELETE', 'userProject', { ids: [result.data[0].id] })
    const page = await signIn('nina@example.com', '/my-work')
    for (const text of ['', 'Any project']) {
      await page.keyboard.press('n')
      const list = page.getByRole('dialog', { name: 'New assignment in…' })
      await list.getByRole('combobox').fill(text)
      await list.getByText('You have no project yet.').waitFor()
      await list.getByRole('option', { name: 'New project' }).waitFor()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'New project' })
      await dialog.waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
  })

  test('creates nothing by Enter unless the command was selected or typed', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('region', { name: 'Backlog' }).waitFor()
    const palette = paletteOf(page)
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    const name = dialog.getByLabel('Name', { exact: true })
    const text = 'qzqz vwvw'
    const creation = palette.getByRole('option', { name: `Create assignment “${text}”` })
    const assertDialogWith = async (expected: string) => {
      await dialog.waitFor()
      assert.equal(await name.inputValue(), expected)
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await open(page, text)
    // This Enter comes before the results arrive, and the next one afterwards.
    await page.keyboard.press('Enter')
    await creation.waitFor()
    assert.deepEqual(await creation.locator('kbd').allTextContents(), ['Ctrl', 'Enter'])
    await creation.hover()
    await page.keyboard.press('Enter')
    assert.equal(await creation.getAttribute('aria-selected'), 'false')
    assert.equal(await dialog.count(), 0)
    await assertAccessible(page, 'a palette that offers to create')
    await page.keyboard.press('ArrowDown')
    await palette.locator('[aria-selected=true]', { hasText: text }).waitFor()
    assert.deepEqual(await creation.locator('kbd').allTextContents(), ['Enter'])
    await page.keyboard.press('Enter')
    await assertDialogWith(text)

    await open(page, text)
    await page.keyboard.press('Control+Enter')
    await assertDialogWith(text)

    await open(page, `create task ${text}`)
    await page.keyboard.press('Enter')
    await assertDialogWith(text)
    // The option that creates comes last, so that Enter opens what was found.
    await open(page, 'relaunch')
    await palette.getByRole('option', { name: 'Create assignment' }).waitFor()
    const names = await palette.locator('.palette-name').allTextContents()
    assert.equal(names.at(-1), 'Create assignment “relaunch”')
    await palette.locator('[aria-selected=true]', { hasText: 'Website relaunch' }).waitFor()
  })

  test('creates no label by Enter without an arrow key', async () => {
    const { signIn, workspace } = setup()
    const name = 'Without a new label'
    const id = await workspace.assignment(name)
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=${name}`)
    const card = page.locator(`[data-row="${id}"]`)
    await page.locator(`#card-${id}`).focus()
    await page.keyboard.press('l')
    await page.keyboard.type('Unheard of by all')
    const option = page.getByRole('option', { name: /Unheard of by all.*New label/ })
    await option.waitFor()
    // Even this small list has room for the name.
    const overflow = await page
      .locator('[role=option] .palette-name')
      .first()
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    assert.equal(overflow, 0)
    await page.keyboard.press('Enter')
    assert.equal(await option.getAttribute('aria-selected'), 'false')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await card.getByText('Unheard of by all').waitFor()
  })

  test('shows where recent records belong', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Opened a while ago')
    const path = `/projects/${workspace.projectId}`
    const page = await signIn('mara@example.com', path)
    await page.goto(`${setup().hosts.web}${path}/assignments/${id}`)
    await page.getByRole('complementary', { name: 'Opened a while ago' }).waitFor()
    await page.evaluate(`localStorage.setItem('tracker.recent', JSON.stringify(
      JSON.parse(localStorage.getItem('tracker.recent')).map((record) => ({
        ...record,
        openedAt: new Date(Date.now() - 2.5 * 3_600_000).toISOString(),
      })),
    ))`)
    await page.goto(`${setup().hosts.web}/week`)
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    await page.keyboard.press('Control+k')
    const recent = paletteOf(page).getByRole('group', { name: 'Recent' })
    const assignment = recent.getByRole('option', { name: /Opened a while ago/ })
    await assignment.getByText('Website relaunch').waitFor()
    await assignment.getByText('2 hr ago').waitFor()
    const { name } = await workspace.get('organization', workspace.organizationId)
    const project = recent.getByRole('option', { name: /^Website relaunch/ })
    await project.getByText(String(name)).waitFor()
    await project.getByText('2 hr ago').waitFor()
  })
}
