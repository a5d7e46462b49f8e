import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function panelViewJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  /** Creates four assignments with different orders by column, by name and by start. */
  const makeFruits = async (name: string) => {
    const project = await makeProject(name)
    const inDoing = { workflowId: setup().workspace.stages.Doing }
    await project.make('Cherry', 2, 6)
    await project.make('Apple', 1, 3, inDoing)
    await project.make('Date', 3, 4)
    await project.make('Banana', 0, 5, inDoing)
    return project
  }

  /** Opens the first assignment, presses J up to the last one, and returns all names. */
  const namesByKey = async (page: Page, first: string): Promise<readonly string[]> => {
    await page.locator('main').getByRole('link', { name: first }).first().click()
    const panelName = page.locator('.panel .panel-name')
    const next = page.getByRole('button', { name: 'Next assignment' })
    const names = [await panelName.inputValue()]
    while (!(await next.isDisabled())) {
      await page.keyboard.press('j')
      await page.waitForFunction((last) => {
        const field = document.querySelector<HTMLTextAreaElement>('.panel .panel-name')
        return field !== null && field.value !== last
      }, names.at(-1))
      names.push(await panelName.inputValue())
    }
    return names
  }

  test('K and J step through the assignments in the order of the view', async () => {
    const { signIn } = setup()
    const { path } = await makeFruits('In every order')
    const page = await signIn('mara@example.com', path)
    assert.deepEqual(await namesByKey(page, 'Date'), ['Date', 'Cherry', 'Apple', 'Banana'])
    const namesByQuery = {
      '?view=list&sort=name': ['Apple', 'Banana', 'Cherry', 'Date'],
      '?view=list&sort=name&group=stage': ['Cherry', 'Date', 'Apple', 'Banana'],
      '?view=calendar': ['Banana', 'Apple', 'Cherry', 'Date'],
      '?view=timeline': ['Banana', 'Apple', 'Cherry', 'Date'],
    }
    for (const [query, names] of Object.entries(namesByQuery)) {
      await page.goto(`${new URL(page.url()).origin}${path}${query}`)
      assert.deepEqual(await namesByKey(page, names[0] ?? ''), names, query)
    }
  })

  // Every element inherits the width: the first panel would otherwise style the whole page again.
  test('the page knows the width of panels before one opens', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const known = () => page.evaluate<string>(`document.documentElement.style.cssText`)
    assert.equal(await known(), '--panel-width: 432px;')
    await page.evaluate(`localStorage.setItem('tracker.panel', '500')`)
    await page.reload()
    assert.equal(await known(), '--panel-width: 500px;')
    await page.evaluate(`localStorage.removeItem('tracker.panel')`)
  })

  test('Previous and Next end at the first and last assignment', async () => {
    const { signIn } = setup()
    const { path } = await makeFruits('To both ends')
    const page = await signIn('mara@example.com', `${path}?search=a`)
    const previous = page.getByRole('button', { name: 'Previous assignment' })
    const next = page.getByRole('button', { name: 'Next assignment' })
    await page.getByRole('link', { name: 'Date' }).click()
    await page.getByRole('complementary', { name: 'Date' }).waitFor()
    assert.equal(await previous.isDisabled(), true)
    assert.equal(await next.isDisabled(), false)
    await page.keyboard.press('k')
    // Cherry does not match the filter.
    await next.click()
    const panel = page.getByRole('complementary', { name: 'Apple' })
    await panel.getByLabel('Name', { exact: true }).waitFor()
    await page.locator('.card.open', { hasText: 'Apple' }).waitFor()
    assert.equal(new URL(page.url()).search, '?search=a')
    await assertAccessible(page, 'an assignment between others')
    await panel.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.press('End')
    await page.keyboard.type('j')
    await panel.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await next.click()
    await page.getByRole('complementary', { name: 'Banana' }).waitFor()
    assert.equal(await next.isDisabled(), true)
    await previous.click()
    await page.getByRole('complementary', { name: 'Apple' }).waitFor()
    await page.goBack()
    await page.locator('.panel').waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).pathname, path)
  })

  test('the card of the next assignment is scrolled into view', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('A long column')
    for (let index = 10; index < 60; index += 1) await make(`Card ${index}`, 0, index)
    const page = await signIn('mara@example.com', path)
    await page.getByRole('link', { name: 'Card 10' }).click()
    await page.getByRole('complementary', { name: 'Card 10' }).waitFor()
    await page
      .locator('.column-cards')
      .first()
      .evaluate((list) => list.scrollTo(0, list.scrollHeight))
    for (const name of ['Card 11', 'Card 12']) {
      await page.keyboard.press('j')
      await page.getByRole('complementary', { name }).waitFor()
    }
    await until(async () => {
      const box = await page.locator('.card.open', { hasText: 'Card 12' }).boundingBox()
      return box !== null && box.y > 100 && box.y + box.height < 800
    }, 'the card in view')
  })

  test('messages are next to the comments of an assignment on the whole page', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Has messages')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}?full=1`)
    await page.setViewportSize({ width: 1024, height: 720 })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.keyboard.press('p')
    await page.getByRole('dialog').getByRole('option', { name: 'Urgent' }).click()
    const message = await page.locator('.toast', { hasText: 'Urgent' }).boundingBox()
    const comment = await page.getByRole('textbox', { name: 'Comment' }).boundingBox()
    assert.ok(message && comment && message.x > comment.x + comment.width)
  })

  test('the panel never covers its card', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Behind the panel', { workflowId: workspace.stages.Done })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const card = page.locator(`.card[data-row="${id}"]`)
    const panel = page.getByRole('complementary', { name: 'Behind the panel' })
    const boxOf = async (part: Locator) => {
      const { x, y, width } = (await part.boundingBox()) ?? { x: Number.NaN, y: Number.NaN, width: 0 }
      return { x, y, end: x + width }
    }
    const assertUncovered = async (openedBy: string) => {
      await panel.getByRole('heading', { name: 'Activity' }).waitFor()
      // The board scrolls to the card after it is drawn.
      await until(async () => {
        const [cardBox, panelBox] = [await boxOf(card), await boxOf(panel)]
        return cardBox.x >= 0 && cardBox.end <= panelBox.x
      }, `an uncovered card after ${openedBy}`)
      // The panel ends at the edge of the window, so that nothing of a column is seen behind it.
      assert.equal((await boxOf(panel)).end, page.viewportSize()?.width, openedBy)
      return boxOf(card)
    }
    for (const width of [1024, 1440]) {
      await resize(page, width, 800)
      await card.scrollIntoViewIfNeeded()
      const before = await boxOf(card)
      await card.getByRole('link').click()
      const after = await assertUncovered(`a click at ${width}`)
      assert.equal(after.y, before.y)
      await page.reload()
      await assertUncovered(`a link at ${width}`)
      await panel.getByRole('button', { name: 'Close', exact: true }).click()
      await panel.waitFor({ state: 'detached' })
    }
  })

  test('the board returns to its place when the panel is closed', async () => {
    const { signIn, workspace } = setup()
    const { id: workflowId } = await workspace.make('workflow', { name: 'Far right', order: 9 })
    const id = await workspace.assignment('At the edge', { workflowId })
    const viewport = { width: 1024, height: 800 }
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`, { viewport })
    const card = page.locator(`.card[data-row="${id}"]`)
    const panel = page.getByRole('complementary', { name: 'At the edge' })
    const { x, y } = (await card.boundingBox()) ?? { x: 0, y: 0 }
    const isScrolledTo = (left: number) => document.querySelector('.board')?.scrollLeft === left
    const isScrolled = () => (document.querySelector('.board')?.scrollLeft ?? 0) > 100
    const open = async () => {
      await page.mouse.click(x + 40, y + 20)
      await panel.getByRole('heading', { name: 'Activity' }).waitFor()
      await page.waitForFunction(isScrolled)
    }
    const close = async () => {
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
    }
    await open()
    await close()
    await page.waitForFunction(isScrolledTo, 0)
    await open()
    await page.locator('.board').evaluate((board) => board.scrollTo(20, 0))
    await close()
    await page.waitForFunction(isScrolledTo, 20)
    await workspace.change('DELETE', 'assignment', { ids: [id] })
    await workspace.change('DELETE', 'workflow', { ids: [workflowId] })
  })

  for (const width of [390, 1024, 1440])
    test(`texts of the panel keep the margins of their surroundings, at ${width}`, async () => {
      const { signIn, workspace } = setup()
      const { projectId } = workspace
      const id = await workspace.assignment(`Donau${'dampfschifffahrt'.repeat(6)} at ${width}`)
      const viewport = { width, height: 800 }
      const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`, { viewport })
      const panel = page.locator('.panel')
      await panel.getByRole('button', { name: 'Add a description' }).click()
      await panel.getByRole('button', { name: 'Bold' }).waitFor()
      const margins = { name: 0, tools: [1, 1], text: [9, 9] }
      assert.deepEqual(await panel.evaluate(marginsOf), margins)
      await panel.getByRole('button', { name: 'Preview' }).click()
      await panel.getByRole('region', { name: 'Preview' }).waitFor()
      assert.deepEqual(await panel.evaluate(marginsOf), margins)
      await panel.getByRole('button', { name: 'Cancel' }).click()
    })

  test('each form of the panel takes the focus, and gives it back', async () => {
    const { signIn, workspace } = setup()
    const { projectId } = workspace
    const id = await workspace.assignment('With forms', { amountHours: 4 })
    // A low window has no room for the question below the hours.
    const viewport = { width: 1280, height: 560 }
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`, { viewport })
    const panel = page.locator('.panel')
    const focused = (role: 'button' | 'combobox' | 'textbox', name: string) =>
      panel.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor()
    const forms = [
      { opener: 'Sub-assignment', role: 'textbox', field: 'Name of the new sub-assignment' },
      {
        opener: 'Relation',
        item: 'Part of…',
        role: 'combobox',
        field: 'Make it a part of another assignment',
      },
      { opener: 'Relation', item: 'Waits for…', role: 'combobox', field: 'Add an assignment to wait for' },
      { opener: 'Impediment', role: 'combobox', field: 'Impediment' },
      { opener: 'Record hours', role: 'textbox', field: 'Hours' },
    ] as const
    for (const { opener, role, field, ...form } of forms) {
      const open = async () => {
        await panel.getByRole('button', { name: opener, exact: true }).press('Enter')
        if ('item' in form) await page.getByRole('menuitem', { name: form.item }).press('Enter')
        await focused(role, field)
      }
      await open()
      await page.keyboard.press('Escape')
      await panel.getByRole(role, { name: field, exact: true }).waitFor({ state: 'detached' })
      await focused('button', opener)
      if (opener !== 'Impediment' && opener !== 'Record hours') continue
      await open()
      await panel.getByRole('button', { name: 'Cancel' }).press('Enter')
      await focused('button', opener)
    }
    // A field that is always there closes only its suggestions.
    for (const field of ['Add a label', 'Add a person']) {
      await panel.getByRole('combobox', { name: field }).click()
      await page.keyboard.press('Escape')
      await focused('combobox', field)
    }
    await panel.getByRole('button', { name: 'Record hours' }).click()
    await focused('textbox', 'Hours')
    await page.keyboard.type('25')
    await page.keyboard.press('Enter')
    await panel.getByText('25 h on one day? Confirm once more if that is right.').waitFor()
    await focused('textbox', 'Hours')
    const record = panel.getByRole('button', { name: 'Record', exact: true })
    const boxes = [await record.boundingBox(), await page.locator('.panel-scroll').boundingBox()]
    const [bottom, end] = boxes.map((box) => box && box.y + box.height)
    assert.ok(bottom && end && bottom <= end)
    await page.keyboard.press('Enter')
    await panel.getByText('25 h of 4 h').waitFor()
    await focused('button', 'Record hours')
  })

  test('the panel adds a participant and an impediment, which prevents a removal until it is resolved', async () => {
    const { signIn, workspace } = setup()
    const { make, projectId } = workspace
    const assignmentId = await workspace.assignment('In company')
    const { id: labelId } = await make('label', { name: 'For companies', color: 'teal', projectId })
    await make('assignmentLabel', { assignmentId, labelId })
    const page = await signIn('root@example.com', `/projects/${projectId}/assignments/${assignmentId}`)
    await page.getByRole('combobox', { name: 'Add a person' }).fill('Mara')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).click()
    await page.getByRole('button', { name: 'Remove Mara Lindqvist from the assignment' }).waitFor()
    await page.getByRole('button', { name: 'Impediment', exact: true }).waitFor()
    await page.locator('.panel .label-chip', { hasText: 'For companies' }).waitFor()
    assert.deepEqual(await page.locator('.panel').evaluate(layoutOf), {
      fields: [
        'Stage',
        'Priority',
        'Responsible',
        'Labels',
        'Type',
        'Start',
        'End',
        'Planned hours',
        'Participants',
      ],
      chips: [26, 26],
      gaps: [8, 8],
      adders: ['Sub-assignment', 'Relation', 'Impediment', 'Files'],
      adderLines: 1,
    })
    await page.getByRole('button', { name: 'Impediment', exact: true }).click()
    await page.getByLabel('Impediment', { exact: true }).selectOption('Waiting for the customer')
    await page.getByLabel('Note').fill('Until Friday')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const callout = page.locator('.panel-blocked', { hasText: 'Waiting for the customer' })
    await callout.getByText('Blocked since today').waitFor()
    assert.equal(await page.getByText('Until Friday').count(), 1)
    await assertAccessible(page, 'a blocked assignment')
    await page.locator('.card', { hasText: 'In company' }).getByText('Blocked').waitFor()
    const removeIt = async () => {
      await page.locator('.panel').getByRole('button', { name: 'Actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Remove this assignment' }).click()
    }
    await removeIt()
    await page.locator('.toast.problem').waitFor()
    await callout.getByRole('button', { name: 'Resolve Waiting for the customer' }).click()
    await callout.waitFor({ state: 'detached' })
    await removeIt()
    await page.getByText('In company was removed.').waitFor()
    await page.locator('.card', { hasText: 'In company' }).waitFor({ state: 'detached' })
  })
}

/**
 * Runs in the page: returns how far a name of a panel ends before its fields, and the distances of the parts of
 * a Markdown field from its frame.
 */
function marginsOf(panel: Element) {
  const boxOf = (selector: string) => (panel.querySelector(selector) as Element).getBoundingClientRect()
  const paddingOf = (selector: string) =>
    Number.parseFloat(getComputedStyle(panel.querySelector(selector) as Element).paddingInlineStart)
  const frame = boxOf('.markdown-field')
  const within = (selector: string, padding = 0) => {
    const box = boxOf(selector)
    return [box.left + padding - frame.left, frame.right - box.right + padding].map(Math.round)
  }
  const shown = panel.querySelector('.markdown-preview') ? '.markdown-preview' : '.markdown-field textarea'
  const nameEnd = boxOf('.panel-name').right - paddingOf('.panel-name') - 1
  return {
    name: Math.round(boxOf('.panel-facts').right - nameEnd),
    tools: within('.markdown-tools'),
    text: within(shown, paddingOf(shown)),
  }
}

/**
 * Runs in the page: returns the fields of a panel, the heights of chips, and the buttons that add something.
 */
function layoutOf(panel: Element) {
  const boxOf = (selector: string, parent = panel) =>
    (parent.querySelector(selector) as Element).getBoundingClientRect()
  const fields = [...panel.querySelectorAll('.panel-facts :is(label, h3)')]
  const values = [...panel.querySelectorAll('.panel-values')]
  const adders = [...panel.querySelectorAll('.panel-adders > button')]
  return {
    fields: fields.map((field) => field.textContent),
    chips: values.map((value) => Math.round(boxOf(':is(.label-chip, .row)', value).height)),
    gaps: values.map((value) =>
      Math.round(boxOf('.panel-adder', value).left - boxOf(':is(.label-chip, .row)', value).right),
    ),
    adders: adders.map((button) => button.textContent),
    adderLines: new Set(adders.map((button) => button.getBoundingClientRect().top)).size,
  }
}
