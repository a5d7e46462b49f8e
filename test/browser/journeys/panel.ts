import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Locator } from 'playwright-core'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize, untilSaved } from '../support/browser-setup.ts'
import { recordShifts, type Shift, shiftsOf, sumOf } from '../support/layout-shift.ts'
import { assertAccessible } from './accessibility.ts'

/** Delays of the lists that a panel requests. They arrive in another order than that of the screen. */
const delaysMilliseconds: Readonly<Record<string, number>> = {
  userProjects: 50,
  projects: 250,
  userAssignments: 200,
  appointments: 350,
  comments: 450,
  people: 150,
  assignmentTypes: 500,
  assignmentImpediments: 550,
  labels: 300,
  assignmentLabels: 400,
  assignmentDependencies: 100,
  attachments: 500,
}

/** A fifth of the sum that browsers rate as good for a whole visit. */
const shiftMax = 0.02

/** Returns whether much has moved, or anything of a list or a card at all. */
const hasMoved = (shifts: readonly Shift[]): boolean =>
  sumOf(shifts) > shiftMax ||
  shifts.some(({ elements }) =>
    elements.some((element) => /class="(card|chip|late|panel-section)/.test(element)),
  )

/** Asserts that the buttons of labels and participants are on the line of the last value, within the field. */
async function assertButtonsBehindValues(panel: Locator): Promise<void> {
  const fields = await panel.locator('.panel-values').evaluateAll((elements) =>
    elements.map((field) => {
      const parts = [
        field.querySelector('.row, .label-chip'),
        ...field.querySelectorAll(':scope > :not(:first-child)'),
      ]
      const boxes = parts.flatMap((part) => part?.getBoundingClientRect() ?? [])
      return {
        middles: boxes.map(({ y, height }) => Math.round(y + height / 2)),
        isWithin: boxes.every(({ right }) => right <= field.getBoundingClientRect().right + 0.5),
      }
    }),
  )
  assert.deepEqual(
    fields.map(({ middles, isWithin }) => [middles.length, new Set(middles).size, isWithin]),
    [
      [3, 1, true],
      [2, 1, true],
    ],
    JSON.stringify(fields),
  )
}

export function panelJourneys(setup: () => BrowserSetup): void {
  const addressOf = (id: string) => `/projects/${setup().workspace.projectId}/assignments/${id}`

  test('has its own address, and returns the focus to its card after Escape', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Opened')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=Opened`)
    await page.getByRole('link', { name: 'Opened' }).click()
    const panel = page.getByRole('complementary', { name: 'Opened' })
    await panel.waitFor()
    assert.equal(page.url(), `${hosts.web}${addressOf(id)}?search=Opened`)
    await page.reload()
    await panel.getByLabel('Name', { exact: true }).waitFor()
    await panel.getByRole('heading', { name: 'Opened' }).focus()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator(`#card-${id}:focus`).waitFor()
    assert.equal(page.url(), `${hosts.web}/projects/${workspace.projectId}?search=Opened`)
    await page.goForward()
    await panel.waitFor()
  })

  test('does not move when lists, names and types arrive late', async () => {
    const { hosts, signIn, workspace } = setup()
    const { make, mara, jonas, impedimentId } = workspace
    const id = await workspace.assignment('Full of lists')
    for (const userId of [mara.id, jonas.id]) {
      await make('userAssignment', { assignmentId: id, userId })
      for (const keepDate of ['2026-11-16', '2026-11-17'])
        await make('appointment', { assignmentId: id, userId, keepDate, amountHours: 2 })
    }
    await make('assignmentImpediment', { assignmentId: id, impedimentId, description: 'Until Friday' })
    const page = await signIn('root@example.com', '/account')
    await page.addInitScript(recordShifts)
    const lateRequests = new Set<string>()
    for (const [name, milliseconds] of Object.entries(delaysMilliseconds))
      await page.route(new RegExp(`${hosts.api}/(api|ext)/${name}\\?`), async (route) => {
        lateRequests.add(name)
        await setTimeout(milliseconds)
        await route.continue()
      })
    const faults: string[] = []
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(hosts.web + addressOf(id))
      await page.locator('.panel').getByRole('heading', { name: 'Activity' }).waitFor()
      await page.getByText('Waiting for the customer').first().waitFor()
      const shifts = await shiftsOf(page)
      if (hasMoved(shifts)) faults.push(`At ${width}: ${JSON.stringify(shifts)}`)
    }
    assert.deepEqual(faults, [])
    assert.deepEqual([...lateRequests].sort(), Object.keys(delaysMilliseconds).sort())
  })

  test('moves no card when it opens, and leaves the last column reachable, at two widths', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Stays in its place')
    await workspace.assignment('In between', { workflowId: workspace.stages.Doing })
    await workspace.assignment('In the last column', { workflowId: workspace.stages.Done })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    /** Returns the boxes of all columns and cards, without the mark of the open card. */
    const readBoxes = () =>
      page.locator('.column, .card').evaluateAll((elements) =>
        elements.map((element) => ({
          className: element.className.replace('card open', 'card'),
          box: JSON.stringify(element.getBoundingClientRect()),
        })),
      )
    for (const width of [1024, 1440]) {
      await resize(page, width, 800)
      await page.locator(`#card-${id}`).scrollIntoViewIfNeeded()
      const before = await readBoxes()
      await page.locator(`#card-${id}`).click()
      const panel = page.getByRole('complementary', { name: 'Stays in its place' })
      await panel.getByRole('heading', { name: 'Activity' }).waitFor()
      assert.deepEqual(await readBoxes(), before, String(width))
      const last = page.getByRole('link', { name: 'In the last column' })
      await page.locator(`#card-${id}`).focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowUp')
      await page.locator('.column:last-child .card-link:focus').waitFor()
      await until(async () => {
        const [card, { x = 0 } = {}] = [await last.boundingBox(), (await panel.boundingBox()) ?? {}]
        return card !== null && card.x + card.width <= x
      }, `the last card next to the panel at ${width}`)
      await panel.getByRole('button', { name: 'Close', exact: true }).click()
      await panel.waitFor({ state: 'detached' })
    }
  })

  test('keeps a long name completely visible while it is scrolled', async () => {
    const { signIn, workspace } = setup()
    const name = 'A name of many words that goes on and on, because all of it has to be said in this place'
    const id = await workspace.assignment(name, { workflowId: workspace.stages.Doing })
    const page = await signIn('mara@example.com', addressOf(id))
    for (const width of [390, 1440]) {
      await resize(page, width, 700)
      await page.locator('.panel').getByRole('heading', { name: 'Activity' }).scrollIntoViewIfNeeded()
      const { top, bottom, hiddenHeight } = await page.locator('.panel-name').evaluate((field) => {
        const box = field.getBoundingClientRect()
        return { top: box.top, bottom: box.bottom, hiddenHeight: field.scrollHeight - field.clientHeight }
      })
      assert.ok(top > 0 && bottom < 300, `${width}: from ${top} to ${bottom}`)
      assert.ok(hiddenHeight <= 1, `${width}: ${hiddenHeight} pixels are cut off`)
    }
    // On a phone, the key suffices, and the buttons that add something have one line.
    const projectName = page.locator('.panel').getByText('Website relaunch', { exact: true })
    assert.equal(await projectName.isVisible(), true)
    await resize(page, 390, 700)
    assert.equal(await projectName.isVisible(), false)
    await page
      .locator('.panel')
      .getByRole('button', { name: /^Copy / })
      .waitFor()
    const adders = await page.locator('.panel-adders > button').all()
    const tops = await Promise.all(adders.map(async (button) => (await button.boundingBox())?.y))
    assert.deepEqual([tops.length, new Set(tops).size], [4, 1])
    await page.getByLabel('Name', { exact: true }).fill('One\nline')
    await Promise.all([untilSaved(page), page.keyboard.press('Enter')])
    assert.equal((await workspace.get('assignment', id)).name, 'One line')
  })

  test('keeps its chosen width, or the whole page, after a reload', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Wide', { workflowId: workspace.stages.Doing })
    const { id: userId, login } = await workspace.join('Willa Wide')
    await workspace.make('userAssignment', { assignmentId: id, userId })
    const label = { projectId: workspace.projectId, name: 'Accessibility on phones', color: 'teal' }
    const { id: labelId } = await workspace.make('label', label)
    await workspace.make('assignmentLabel', { assignmentId: id, labelId })
    const page = await signIn(login, `${addressOf(id)}?search=Wide`)
    const panel = page.getByRole('complementary', { name: 'Wide' })
    const edge = panel.getByRole('separator', { name: 'Width of the panel' })
    const width = async () => (await panel.boundingBox())?.width
    const { height = 0 } = page.viewportSize() ?? {}
    for (const [windowWidth, expected] of [
      [1920, 560],
      [1280, 432],
    ] as const) {
      await page.setViewportSize({ width: windowWidth, height })
      await page.reload()
      await panel.getByRole('heading', { name: 'Activity' }).waitFor()
      assert.equal(await width(), expected)
    }
    await edge.press('ArrowLeft')
    assert.equal(await width(), 464)
    assert.equal(await edge.getAttribute('aria-valuenow'), '464')
    const box = await edge.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 4, 400)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) - 96, 400)
    await page.mouse.up()
    assert.ok(Math.abs(((await width()) ?? 0) - 564) <= 4, String(await width()))
    const wide = await width()
    await page.reload()
    await panel.getByRole('heading', { name: 'Activity' }).waitFor()
    assert.equal(await width(), wide)
    // However wide it is, the tools next to it give way, and cover neither each other nor the panel.
    await resize(page, 1440, height)
    await page.getByRole('button', { name: 'Save view' }).waitFor()
    for (const left of [700, 600, 480, 330]) {
      await edge.press('Home')
      const start = (await edge.boundingBox())?.x ?? 0
      await page.mouse.move(start + 2, 400)
      await page.mouse.down()
      await page.mouse.move(left, 400)
      await page.mouse.up()
      const hasRoom = async () => (await page.evaluate(overlapsInHeader)).length === 0
      await until(hasRoom, `room next to the panel, which begins at ${left} pixels`)
    }
    await resize(page, 1280, height)
    await edge.press('Home')
    assert.equal(await width(), 352)
    await assertButtonsBehindValues(panel)
    await page.keyboard.press('f')
    await page.waitForURL(/search=Wide&full=1$/)
    await edge.waitFor({ state: 'detached' })
    assert.equal(await width(), 1280)
    await assertButtonsBehindValues(panel)
    await assertAccessible(page, 'an assignment on the whole page')
    await page.reload()
    await panel.getByRole('heading', { name: 'Activity' }).waitFor()
    assert.equal(await width(), 1280)
    await page.locator('.panel-full').focus()
    await page.keyboard.press('Escape')
    await page.waitForURL(`**/projects/${workspace.projectId}?search=Wide`)
  })

  test('is edited in place, and each field is saved separately', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Edited in place')
    const page = await signIn('mara@example.com', addressOf(id))
    const hours = page.getByLabel('Planned hours')
    await hours.fill('1.234')
    await hours.press('Enter')
    await page.getByText('must be a multiple of 0.01').waitFor()
    assert.equal(await hours.inputValue(), '1.234')
    await hours.fill('2,5')
    await Promise.all([untilSaved(page), hours.press('Enter')])
    const end = page.getByRole('textbox', { name: 'End' })
    await end.fill('2026-11-01')
    await end.press('Enter')
    await page.getByText('The end cannot be before the start.').waitFor()
    await end.fill('30 Nov')
    await Promise.all([untilSaved(page), end.press('Enter')])
    await page.getByLabel('Name', { exact: true }).fill('Edited and renamed')
    await Promise.all([untilSaved(page), page.keyboard.press('Enter')])
    await Promise.all([untilSaved(page), page.getByLabel('Stage', { exact: true }).selectOption('Doing')])
    await page
      .getByRole('region', { name: 'Doing' })
      .getByRole('link', { name: 'Edited and renamed' })
      .waitFor()
    const { name, amountHours, endDate, workflowId } = await workspace.get('assignment', id)
    assert.deepEqual(
      { name, amountHours, endDate: endDate.slice(0, 10), workflowId },
      {
        name: 'Edited and renamed',
        amountHours: 2.5,
        endDate: '2026-11-30',
        workflowId: workspace.stages.Doing,
      },
    )
    await page.locator('.panel h2').focus()
    for (let undone = 0; undone < 4; undone += 1)
      await Promise.all([untilSaved(page), page.keyboard.press('Control+z')])
    await page
      .getByRole('region', { name: 'Backlog' })
      .getByRole('link', { name: 'Edited in place' })
      .waitFor()
    const restored = await workspace.get('assignment', id)
    assert.equal(restored.amountHours, 8)
    assert.equal(restored.endDate.slice(0, 10), '2026-11-20')
  })

  test('shows the description as Markdown, in which typed HTML stays text', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Described')
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByRole('button', { name: 'Add a description' }).click()
    await page
      .getByLabel('Description')
      .fill(
        '**Now** <img src=x onerror=alert(1)>\n\n- one\n- [x] two\n\n[bad](javascript:alert(1)) https://example.com',
      )
    await Promise.all([untilSaved(page), page.keyboard.press('Control+Enter')])
    const region = page.getByRole('region', { name: 'Description' })
    await region.locator('strong', { hasText: 'Now' }).waitFor()
    assert.equal(await region.getByRole('listitem').count(), 2)
    assert.equal(await region.locator('img').count(), 0)
    assert.deepEqual(await region.getByRole('link').allTextContents(), ['https://example.com'])
    await page.getByRole('button', { name: 'Edit the description' }).click()
    await page.getByLabel('Description').fill('Something else')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.locator('.description-text > .button:focus').waitFor()
    await region.locator('strong', { hasText: 'Now' }).waitFor()
    // A click on the text opens the editor. A click on a checkbox does not.
    await region.getByRole('checkbox').click()
    assert.equal(await page.getByLabel('Description').locator('textarea').count(), 0)
    await region.locator('strong', { hasText: 'Now' }).click()
    await page.locator('textarea[name=description]:focus').waitFor()
  })

  test('shows both values if another user has changed the same field', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Shared work')
    const page = await signIn('mara@example.com', addressOf(id))
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Mine')
    const record = await workspace.get('assignment', id)
    await workspace.change('PATCH', 'assignment', { ...record, name: 'Theirs', amountHours: 77 })
    const conflict = page
      .getByRole('alert')
      .filter({ hasText: 'Someone else has changed this in the meantime.' })
    await conflict.getByText('Theirs', { exact: true }).last().waitFor()
    assert.equal(await name.inputValue(), 'Mine')
    await name.press('Enter')
    assert.equal((await workspace.get('assignment', id)).name, 'Theirs')
    await Promise.all([untilSaved(page), page.getByRole('button', { name: 'Save mine: Name' }).click()])
    await conflict.waitFor({ state: 'detached' })
    assert.partialDeepStrictEqual(await workspace.get('assignment', id), { name: 'Mine', amountHours: 77 })
  })

  test('marks values that are not saved, also after a reload, and discards them', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('With mistakes', { amountHours: 4, endDate: '2031-03-05' })
    const page = await signIn('mara@example.com', addressOf(id))
    const end = page.getByRole('textbox', { name: 'End' })
    const hours = page.getByLabel('Planned hours')
    const question = page.getByText('Enter a day, such as fri, 12 dec or in 2 weeks.')
    await end.fill('someday')
    await end.press('Enter')
    await question.waitFor()
    // The panel closes before the field is left.
    await hours.fill('5')
    await page.reload()
    await question.waitFor()
    await page.locator('.panel').getByText('Not saved').waitFor()
    const state = async () => [
      await end.inputValue(),
      await end.getAttribute('aria-invalid'),
      await hours.inputValue(),
      await hours.getAttribute('aria-invalid'),
    ]
    assert.deepEqual(await state(), ['someday', 'true', '5', 'true'])
    await assertAccessible(page, 'values that are not saved')
    await page.getByRole('button', { name: 'Discard' }).first().press('Enter')
    await end.and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await hours.waitFor()
    assert.deepEqual(await state(), ['5 Mar 2031', null, '4', null])
    await page.locator('.card', { hasText: 'With mistakes' }).waitFor()
    assert.equal(await page.getByText('Not saved').count(), 0)
    const monday = 'next monday'
    await end.fill(monday)
    await Promise.all([untilSaved(page), end.press('Enter')])
    await until(async () => (await end.inputValue()) !== monday, 'the day in place of its words')
  })

  test('marks a card whose panel was closed with unsaved input', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Half written')
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByRole('button', { name: 'Add a description' }).click()
    await page.getByLabel('Description').fill('Not finished')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.locator('.card', { hasText: 'Half written' }).getByText('Not saved').waitFor()
    await page.getByRole('link', { name: 'Half written' }).click()
    assert.equal(await page.getByLabel('Description').inputValue(), 'Not finished')
  })

  test('shows that another user removed it, and can be restored', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Removed elsewhere')
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByLabel('Planned hours').waitFor()
    await workspace.change('DELETE', 'assignment', { ids: [id] })
    await page.getByText('Removed elsewhere was removed while you had it open.').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByLabel('Planned hours').waitFor()
  })

  test('shows that the responsible user is not a member', async () => {
    const { signIn, workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name: 'Without Jonas',
      organizationId: workspace.organizationId,
    })
    const id = await workspace.assignment('For Jonas', { projectId, userId: workspace.jonas.id })
    const page = await signIn('root@example.com', `/projects/${projectId}/assignments/${id}`)
    const note = page.getByText('Jonas Weber is not a member of this project and cannot see it.')
    await note.waitFor()
    await page.getByRole('button', { name: 'Add to the project' }).click()
    await note.waitFor({ state: 'detached' })
  })

  test('compares recorded with planned time', async () => {
    const { signIn, workspace } = setup()
    const account = { name: 'Ursula Unseen', login: 'ursula@example.com', password: 'Correct-Horse-7' }
    const { id: userId } = await workspace.make('user', account)
    const id = await workspace.assignment('Timed', { amountHours: 4, userId })
    const other = await workspace.assignment('Timed on the same day')
    await workspace.make('appointment', {
      assignmentId: id,
      userId: workspace.jonas.id,
      keepDate: '2026-11-17',
      amountHours: 1.5,
    })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByRole('img', { name: 'Someone you cannot see' }).first().waitFor()
    await page.getByText('1.5 h of 4 h').waitFor()
    // Members see each other's names.
    await page.locator('.panel .row', { hasText: 'Jonas Weber' }).waitFor()
    // Users cannot remove time that another user has recorded.
    assert.equal(await page.getByRole('button', { name: /Remove 1.5 h/ }).count(), 0)
    await page.getByRole('button', { name: 'Record hours' }).click()
    await page.getByRole('textbox', { name: 'Hours', exact: true }).fill('3:15')
    await page.getByLabel('Note').fill('Talks')
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    // Several entries are folded behind their sum.
    const removal = page.getByRole('button', { name: /Remove 3.25 h/ })
    const sum = page.getByText('4.75 h of 4 h, 0.75 h over · 2 entries')
    await sum.waitFor()
    assert.equal(await removal.isVisible(), false)
    await sum.click()
    await removal.click()
    await page.getByText('1.5 h of 4 h').waitFor()
    await page.locator('.panel .row', { hasText: 'Jonas Weber' }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('4.75 h of 4 h').waitFor()
    await page.getByRole('button', { name: 'Record hours' }).click()
    await page.getByRole('textbox', { name: 'Hours', exact: true }).fill('25h')
    const record = page.getByRole('button', { name: 'Record', exact: true })
    await record.click()
    await page.getByText(/^[0-9.]+ h on one day\? Confirm once more if that is right\.$/).waitFor()
    assert.equal(await page.getByText('4.75 h of 4 h').count(), 1)
    await record.click()
    await page.getByText('29.75 h of 4 h').waitFor()
    // The hours of other entries of the day count, too.
    const day = { assignmentId: other, userId: workspace.mara.id, keepDate: '2027-08-10', amountHours: 13 }
    await workspace.make('appointment', day)
    await page.getByRole('button', { name: 'Record hours' }).click()
    await page.getByLabel('Day', { exact: true }).fill('2027-08-10')
    await page.getByRole('textbox', { name: 'Hours', exact: true }).fill('13')
    await record.click()
    await page.getByText('26 h on one day? Confirm once more if that is right.').waitFor()
    await record.click()
    await page.getByText('42.75 h of 4 h').waitFor()
  })

  test('shows hours that are recorded elsewhere at once', async () => {
    const { signIn, workspace } = setup()
    const assignmentId = await workspace.assignment('Recorded elsewhere')
    const page = await signIn('mara@example.com', addressOf(assignmentId))
    await page.getByText('0 h of 8 h').waitFor()
    const entry = { assignmentId, userId: workspace.mara.id, keepDate: '2026-11-17', amountHours: 2 }
    await workspace.make('appointment', entry)
    await page.getByText('2 h of 8 h').waitFor()
  })
}

/** Returns the tools of the header that cover each other, or that the panel covers. */
function overlapsInHeader(): string[] {
  const panelStart = document.querySelector('.panel')?.getBoundingClientRect().left ?? 0
  const tools = document.querySelectorAll(
    '.page-header .button, .view-switch, .view-tabs, .saved-views > .button, .project-filters > *',
  )
  const visible = [...tools].filter((tool) => tool.checkVisibility() && tool.clientWidth > 1)
  return visible.flatMap((tool, index) => {
    const { left, right, top, bottom } = tool.getBoundingClientRect()
    const isCovered = visible.slice(index + 1).some((other) => {
      const box = other.getBoundingClientRect()
      return box.left < right - 1 && box.right > left + 1 && box.top < bottom - 1 && box.bottom > top + 1
    })
    return isCovered || right > panelStart + 1 ? [tool.outerHTML] : []
  })
}
