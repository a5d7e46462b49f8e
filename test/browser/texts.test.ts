import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { until } from '../support/until.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { commentJourneys } from './journeys/comments.ts'
import { hostileTextJourneys } from './journeys/hostile-texts.ts'
import type { BrowserSetup } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

const tasks = 'To do:\r\n\r\n- [ ] Write the *text*\r\n  - [ ] Ask @anybody\r\n  - [x] Read\r\n- [ ] Send it'

function taskJourneys(setup: () => BrowserSetup): void {
  const addressOf = (id: string) => `/projects/${setup().workspace.projectId}/assignments/${id}`
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })
  const descriptionOf = async (id: string) =>
    (await setup().workspace.get('assignment', id)).description as string
  const waitForDescription = (id: string, text: string) =>
    until(async () => (await descriptionOf(id)) === text, JSON.stringify(text))

  test('have boxes that keep the focus and change one character', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('With boxes', { description: tasks })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByText('1 of 4 done').waitFor()
    await assertAccessible(page, 'a description with tasks')
    // A box is level with its text, ticked or not.
    const distances = await page.locator('.task > input').evaluateAll((boxes) =>
      boxes.map((element) => {
        const text = document.createRange()
        text.selectNode(element.nextSibling ?? element)
        const [ofBox, ofText] = [element.getBoundingClientRect(), text.getBoundingClientRect()]
        return Math.abs(ofBox.top + ofBox.bottom - ofText.top - ofText.bottom) / 2
      }),
    )
    assert.ok(distances.length === 4 && distances.every((distance) => distance < 1), distances.join())
    await box(page, 'Ask @anybody').focus()
    await page.keyboard.press('Space')
    await waitForDescription(id, tasks.replace('[ ] Ask', '[x] Ask'))
    await page.getByText('2 of 4 done').waitFor()
    await page.locator('input[type=checkbox]:checked:focus').waitFor()
    await page.getByText(/^Description of .+ was changed\.$/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForDescription(id, tasks)
    await page.getByText('1 of 4 done').waitFor()
    assert.equal(await box(page, 'Ask @anybody').isChecked(), false)
  })

  test('keep the concurrent ticks of two users, and show a conflict if the task is gone', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Ticked by two', { description: tasks })
    const mara = await signIn('mara@example.com', addressOf(id))
    const jonas = await signIn('jonas@example.com', addressOf(id))
    // Mara's change is held until Jonas has saved his, so both are based on the same description.
    const jonasHasSaved = Promise.withResolvers<void>()
    await mara.route(`${hosts.api}/ext/assignment`, async (route) => {
      if (route.request().method() === 'PATCH') await jonasHasSaved.promise
      await route.continue()
    })
    const maraSaves = mara.waitForRequest((request) => request.method() === 'PATCH')
    await box(mara, 'Send it').check()
    await maraSaves
    await box(jonas, 'Write the text').check()
    await waitForDescription(id, tasks.replace('[ ] Write', '[x] Write'))
    jonasHasSaved.resolve()
    await waitForDescription(id, tasks.replace('[ ] Write', '[x] Write').replace('[ ] Send', '[x] Send'))
    for (const page of [mara, jonas]) await page.getByText('3 of 4 done').waitFor()

    const record = await workspace.get('assignment', id)
    const itemIsGone = Promise.withResolvers<void>()
    await jonas.route(`${hosts.api}/ext/assignment**`, async (route) => {
      await itemIsGone.promise
      await route.continue()
    })
    await box(jonas, 'Send it').uncheck()
    await workspace.change('PATCH', 'assignment', { ...record, description: 'All is done.' })
    itemIsGone.resolve()
    await jonas.getByRole('alert').filter({ hasText: 'Someone else has changed this' }).waitFor()
    await jonas.getByRole('button', { name: 'Keep theirs: Description' }).click()
    await jonas.getByRole('region', { name: 'Description' }).getByText('All is done.').waitFor()
    assert.equal(await descriptionOf(id), 'All is done.')
  })

  test('can be ticked in a comment only by its author', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Tasks in a comment')
    const mara = await signIn('mara@example.com', addressOf(id))
    await mara.getByRole('textbox', { name: 'Write a comment' }).fill('- [ ] one\n- [ ] two')
    await mara.keyboard.press('Control+Enter')
    await box(mara, 'two').check()
    const jonas = await signIn('jonas@example.com', addressOf(id))
    await box(jonas, 'two').and(jonas.locator(':disabled:checked')).waitFor()
    assert.ok(await box(jonas, 'one').isDisabled())
    // Administrators may edit comments of other users, but cannot tick boxes in them.
    const root = await signIn('root@example.com', addressOf(id))
    await box(root, 'two').and(root.locator(':disabled:checked')).waitFor()
    await box(mara, 'two').uncheck()
    await box(jonas, 'two').and(jonas.locator(':not(:checked)')).waitFor()
  })

  test('show an error and the stored state of their box if a tick cannot be saved', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Not ticked', { description: '- [ ] one' })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.route(`${hosts.api}/ext/assignment`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await box(page, 'one').click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    await box(page, 'one').and(page.locator(':not(:checked)')).waitFor()
    assert.equal(await descriptionOf(id), '- [ ] one')
  })
}

function writingJourneys(setup: () => BrowserSetup): void {
  const open = async (name: string, options?: BrowserContextOptions) => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment(name)
    const path = `/projects/${workspace.projectId}/assignments/${id}`
    const page = await signIn('mara@example.com', path, options)
    await page.getByRole('button', { name: 'Add a description' }).click()
    const field = page.getByRole('textbox', { name: 'Description' })
    await page.locator('.description, .in-place').getByRole('toolbar', { name: 'Formatting' }).waitFor()
    return { id, page, field }
  }
  const tools = (page: Page) => page.locator('.in-place').getByRole('toolbar', { name: 'Formatting' })

  test('have formatting tools with buttons and keys, the Undo of the browser, and a preview', async () => {
    const { workspace } = setup()
    const { id, page, field } = await open('With tools')
    await page.keyboard.type('Be bold')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+b')
    assert.equal(await field.inputValue(), 'Be **bold**')
    await page.keyboard.press('Control+i')
    assert.equal(await field.inputValue(), 'Be ***bold***')
    await page.keyboard.press('Control+z')
    assert.equal(await field.inputValue(), 'Be **bold**')
    await page.keyboard.press('End')
    await page.keyboard.type('\n')
    await tools(page).getByRole('button', { name: 'Task list' }).click()
    // The field still has the focus.
    await page.keyboard.type('one\ntwo')
    await page.keyboard.press('Control+Shift+k')
    await page.keyboard.type('here')
    assert.equal(await field.inputValue(), 'Be **bold**\n- [ ] one\n- [ ] two[here](https://)')
    await assertAccessible(page, 'the tools of a text field')
    await tools(page).getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.locator('strong', { hasText: 'bold' }).waitFor()
    assert.equal(await preview.getByRole('checkbox', { disabled: true }).count(), 2)
    assert.equal(await field.isVisible(), false)
    await assertAccessible(page, 'a preview')
    // Escape keeps a changed text, here as in the text itself.
    await page.keyboard.press('Escape')
    await preview.waitFor()
    await tools(page).getByRole('button', { name: 'Preview' }).click()
    await field.press('Control+Enter')
    await page.getByText('0 of 2 done').waitFor()
    assert.equal(
      (await workspace.get('assignment', id)).description,
      'Be **bold**\n- [ ] one\n- [ ] two[here](https://)',
    )
    // Without a change, it closes the editor and not the panel.
    await page.getByRole('button', { name: 'Edit the description' }).click()
    await tools(page).getByRole('button', { name: 'Preview' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit the description' }).and(page.locator(':focus')).waitFor()
  })

  test('have headings, numbered lists and blocks of code', async () => {
    const { page, field } = await open('With blocks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.type('Plan')
    await tools(page).getByRole('button', { name: 'Heading' }).click()
    await page.keyboard.type('\nfirst')
    await tools(page).getByRole('button', { name: 'Numbered list' }).click()
    await page.keyboard.type('\nsecond\n\n```\nnpm test\n```')
    assert.equal(await field.inputValue(), '## Plan\n1. first\n2. second\n```\nnpm test\n```')
    await field.press('Control+Enter')
    await page.locator('.markdown ol li', { hasText: 'second' }).waitFor()
    await page.locator('.code-block').hover()
    await page.locator('.code-block').getByRole('button', { name: 'Copy' }).click()
    await page.getByText('The text was copied.').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npm test')
    await assertAccessible(page, 'a block of code')
  })

  test('turn keys of assignments into links', async () => {
    const { signIn, workspace } = setup()
    const { projectId, get, call } = workspace
    const other = await workspace.assignment('Found by its key')
    const { number } = (await call('GET', `/ext/assignment?id=${other}`)).assignment
    const { key } = (await call('GET', `/ext/project?id=${projectId}`)).project
    const id = await workspace.assignment('Names another')
    const text = `After ${key}-${number}, in UTF-8, not \`${key}-${number}\``
    await call('PATCH', '/ext/assignment', { id, description: text })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const link = page.locator('.description').getByRole('link')
    await link.waitFor()
    assert.deepEqual(await link.allTextContents(), [`${key}-${number}`])
    assert.equal(await link.getAttribute('title'), (await get('assignment', other)).name)
    await link.click()
    await page.getByRole('complementary', { name: 'Found by its key' }).waitFor()
  })

  test('have a toolbar in which arrow keys move the focus', async () => {
    const { page, field } = await open('By keys')
    await page.keyboard.type('- a\n\nb')
    assert.equal(await field.inputValue(), '- a\nb')
    await page.keyboard.press('Tab')
    const button = (name: string) => tools(page).getByRole('button', { name }).and(page.locator(':focus'))
    await button('Bold').waitFor()
    await page.keyboard.press('ArrowLeft')
    await button('Preview').waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await button('Italic').waitFor()
    await page.keyboard.press('Shift+Tab')
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Tab')
    await button('Italic').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Discard changes' }).and(page.locator(':focus')).waitFor()
    // Ctrl+K opens the palette, even from a text field.
    await field.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run a command' }).waitFor()
  })

  test('have their tools on one line on a phone', async () => {
    const { page } = await open('On a phone', { viewport: { width: 390, height: 800 }, hasTouch: true })
    const bars = page.getByRole('toolbar', { name: 'Formatting' })
    const misplacedButtons = (bar: Locator) =>
      bar.evaluate((element) => {
        const boxes = [...element.querySelectorAll('button')].map((button) => button.getBoundingClientRect())
        return boxes
          .map(({ top, right, width, height }) => ({ top, right, width, height }))
          .filter(({ top, right, width, height }) => {
            const isOnFirstLine = top === boxes[0]?.top
            const isWithinScreen = right <= innerWidth - 8
            const isLarge = width >= 24 && height >= 40
            return !(isOnFirstLine && isWithinScreen && isLarge)
          })
      })
    // An empty comment shows no tools.
    await page.getByRole('textbox', { name: 'Write a comment' }).waitFor()
    assert.equal(await bars.count(), 1)
    await page.getByRole('textbox', { name: 'Write a comment' }).focus()
    await bars.nth(1).waitFor()
    assert.equal(await bars.count(), 2)
    for (const bar of await bars.all()) assert.deepEqual(await misplacedButtons(bar), [])
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('button', { name: 'New assignment' }).first().click()
    await page.getByRole('dialog').getByLabel('Description').focus()
    assert.deepEqual(
      await misplacedButtons(page.getByRole('dialog').getByRole('toolbar', { name: 'Formatting' })),
      [],
    )
  })

  test('mention users in the description of a new assignment', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name').fill('Mentions someone')
    await dialog.getByRole('textbox', { name: 'Description' }).pressSequentially('For @jon')
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await dialog.getByRole('button', { name: 'Create assignment' }).click()
    await dialog.waitFor({ state: 'detached' })
    const rows = await hosts.database.query<{ description: string }>(
      sql`select description from assignments where name = 'Mentions someone'`,
    )
    assert.deepEqual(rows, [{ description: `For @[user:${workspace.jonas.id}]` }])
  })
}

describeInBrowser('In texts', {
  'tasks in a text': taskJourneys,
  'text fields': writingJourneys,
  comments: commentJourneys,
  'hostile texts': hostileTextJourneys,
})
