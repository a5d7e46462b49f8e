import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { insertAccount } from '../support/insert-account.ts'
import { until } from '../support/until.ts'
import { assignmentKeyJourneys } from './journeys/assignment-keys.ts'
import { dependencyJourneys } from './journeys/dependencies.ts'
import { inboxJourneys } from './journeys/inbox.ts'
import { labelJourneys } from './journeys/labels.ts'
import { manualOrderJourneys } from './journeys/manual-order.ts'
import { mentionJourneys } from './journeys/mentions.ts'
import { myWorkJourneys } from './journeys/my-work.ts'
import { quickAddJourneys } from './journeys/quick-add.ts'
import { subAssignmentJourneys } from './journeys/sub-assignments.ts'
import { type BrowserSetup, untilSaved } from './support/browser-setup.ts'
import { datedProjects } from './support/dated-projects.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import { administratorLogin } from './support/tracker-hosts.ts'

const column = (page: Page, name: string) => page.getByRole('region', { name })
const cardIn = (page: Page, stage: string, name: string) => column(page, stage).getByRole('link', { name })

function boardJourneys(setup: () => BrowserSetup): void {
  const board = () => `/projects/${setup().workspace.projectId}`

  test('shows changes of other users without a reload', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('Seen by two')
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', board()),
      signIn('jonas@example.com', board()),
    ])
    await cardIn(jonas, 'Backlog', 'Seen by two').waitFor()
    await mara.getByRole('button', { name: 'Move Seen by two to…' }).click()
    await mara.getByRole('menuitem', { name: 'Doing' }).click()
    await cardIn(jonas, 'Doing', 'Seen by two').waitFor()
    await jonas.getByRole('button', { name: 'New assignment in Done' }).click()
    for (const name of ['Made by Jonas', 'And the next one']) {
      await jonas.getByLabel('Name of the new assignment in Done').fill(name)
      await jonas.keyboard.press('Enter')
      await cardIn(jonas, 'Done', name).waitFor()
    }
    await cardIn(mara, 'Done', 'Made by Jonas').waitFor()
    await cardIn(mara, 'Done', 'And the next one').waitFor()
  })

  test('requests the members of its project once per load, and once when an assignment is opened', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Asked for once')
    const page = await signIn('mara@example.com', board())
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).waitFor()
    // A request that failed and was retried counts once.
    const requests = new Set<object>()
    page.on('request', (request) => request.url().includes('/userProjects?') && requests.add(request))
    page.on('requestfailed', (request) => requests.delete(request))
    const takeCount = () => {
      const { size } = requests
      requests.clear()
      return size
    }
    await page.reload()
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).waitFor()
    await cardIn(page, 'Backlog', 'Asked for once').waitFor()
    assert.equal(takeCount(), 1)
    const opened = page.waitForResponse(/\/userAssignments\?/)
    await page.locator(`#card-${id}`).click()
    await opened
    await until(() => requests.size > 0, 'the request for the members')
    assert.equal(takeCount(), 1)
  })

  test('offers the members of its project first', async () => {
    const { hosts, signIn, workspace } = setup()
    const { organizationId } = workspace
    const makeProject = (name: string) => workspace.make('project', { name, organizationId })
    const small = await makeProject('Small team')
    const large = await makeProject('Large team')
    const addMember = (projectId: string, userId: string) =>
      workspace.make('userProject', { projectId, userId })
    // Mara sees the users of the large team only because she shares this project with them.
    for (const { id } of [small, large]) await addMember(id, workspace.mara.id)
    const zora = await insertAccount(hosts.database, { name: 'Zora Zander' })
    await addMember(small.id, zora.id)
    // More users are created than the picker shows. Their names come before the names of the members.
    for (let index = 0; index < 25; index += 1) {
      const { id } = await insertAccount(hosts.database, { name: `Aaron A${index}` })
      await addMember(large.id, id)
    }
    const page = await signIn('mara@example.com', `/projects/${small.id}`)
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Responsible' }).click()
    await page.getByRole('option', { name: 'Aaron A0' }).waitFor()
    const list = page.getByRole('listbox', { name: 'Responsible' })
    const options = await list.getByRole('option').allTextContents()
    // Rosa is a member because she created the project.
    assert.deepEqual(
      options.slice(0, 4).map((text) => text.replace(/^[A-Z]{2}/, '')),
      ['Mara Lindqvist', 'Rosa Root', 'Zora Zander', 'Aaron A0Not a member'],
    )
  })

  test('moves a card with keys, and keeps the focus on it', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Moved with keys')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Moved with keys').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await cardIn(page, 'Doing', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.getByText('Moved with keys is now in Doing.').waitFor({ state: 'attached' })
    await page.keyboard.press('s')
    await page.locator('dialog.picker').waitFor()
    await page.keyboard.type('Done')
    await page.keyboard.press('Enter')
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.column :focus').waitFor()
    await page.reload()
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
  })

  test('moves a card by dragging', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Dragged along')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Dragged along').waitFor()
    await page.locator('.card', { hasText: 'Dragged along' }).hover()
    await page.mouse.down()
    const gap = column(page, 'Done').locator('.drop-before, .drop-last')
    // A real pointer also sends events while it rests. Playwright sends them only for movements.
    await until(async () => {
      for (const y of [90, 100]) await column(page, 'Done').hover({ position: { x: 40, y } })
      return gap.first().isVisible()
    }, 'the gap where the card would land')
    await page.locator('.card.dragged', { hasText: 'Dragged along' }).waitFor()
    await page.mouse.up()
    await cardIn(page, 'Done', 'Dragged along').waitFor()
    await page.getByText('Dragged along is now in Done.').waitFor({ state: 'attached' })
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
    await page.keyboard.press('Control+z')
    await cardIn(page, 'Backlog', 'Dragged along').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Backlog)
  })

  test('reverts a rejected move, and shows the reason', async () => {
    const { signIn, workspace } = setup()
    const { id: removedId } = await workspace.make('workflow', { name: 'Short-lived', order: 9 })
    await workspace.assignment('Stays where it is')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
    await workspace.change('DELETE', 'workflow', { ids: [removedId] })
    await page.getByRole('button', { name: 'Move Stays where it is to…' }).click()
    await page.getByRole('menuitem', { name: 'Short-lived' }).click()
    await page.locator('.toast.problem', { hasText: 'Stays where it is stays in Backlog.' }).waitFor()
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
  })

  test('is filtered by text, person and days', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('Early apple', { startDate: '2026-01-05', endDate: '2026-01-06' })
    await workspace.assignment('Late apple', { startDate: '2026-03-05', endDate: '2026-03-06' })
    await workspace.assignment('Jonas’ apple', { userId: workspace.jonas.id })
    const page = await signIn('root@example.com', board())
    const card = (name: string) => page.getByRole('link', { name })
    await card('Early apple').waitFor()
    const openMenu = () => page.getByRole('button', { name: /^Filter( \(\d\))?$/ }).click()
    const dayField = (label: string) =>
      page.getByRole('dialog', { name: 'Dates' }).getByLabel(label, { exact: true })
    await openMenu()
    await page.getByRole('option', { name: 'Dates', exact: true }).click()
    await dayField('From').fill('2026-03-01')
    await dayField('To').fill('5 Mar 2026')
    await page.keyboard.press('Enter')
    await card('Early apple').waitFor({ state: 'detached' })
    await card('Late apple').waitFor()
    await page.reload()
    await card('Late apple').waitFor()
    assert.equal(await card('Early apple').count(), 0)
    // Days in the wrong order select the same period.
    await page.getByRole('button', { name: /^Dates: / }).click()
    await dayField('To').fill('2026-02-01')
    await page.keyboard.press('Enter')
    await page.waitForURL(/dateTo=2026-02-01/)
    await page.getByRole('button', { name: 'Dates: 1 Feb to 1 Mar' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await card('Early apple').waitFor()
    await openMenu()
    await page.getByRole('combobox', { name: 'Find a filter' }).fill('Jonas')
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await card('Late apple').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByLabel('Search assignments').fill('apple')
    await card('Jonas’ apple').waitFor()
    await page.waitForURL(new RegExp(`userId=${workspace.jonas.id}&search=apple`))
  })

  test('counts 700 assignments, shows a new card at once, and loads the others on scrolling', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name: 'Large programme',
      organizationId: workspace.organizationId,
    })
    for (const userId of [workspace.mara.id, workspace.jonas.id])
      await workspace.make('userProject', { projectId, userId })
    const { id: userId } = await workspace.join('Manu Many')
    const id = await workspace.assignment('Number', { projectId, userId })
    await hosts.database.query(sql`
      insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, created_at)
      select gen_random_uuid(), 'Number ' || n, start_date, end_date + n * interval '1 day', 1, project_id,
        case when n % 7 = 0 then ${workspace.stages.Doing}::uuid else workflow_id end, user_id, assignment_type_id, created_at
      from assignments, generate_series(1, 699) as n where assignments.id = ${id}`)
    const page = await signIn('mara@example.com', `/projects/${projectId}`)
    await column(page, 'Backlog').getByText('601', { exact: true }).waitFor()
    await column(page, 'Doing').getByText('99', { exact: true }).waitFor()
    // Only cards near the visible cards are rendered.
    assert.ok((await page.locator('.card').count()) < 120, String(await page.locator('.card').count()))
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    await page.getByLabel('Name of the new assignment in Backlog').fill('The newest')
    // The form shows the values that the assignment will get.
    await column(page, 'Backlog')
      .getByText(/^\w+ · No dates · Unassigned$/)
      .waitFor()
    await page.keyboard.press('Enter')
    await cardIn(page, 'Backlog', 'The newest').waitFor()
    await column(page, 'Backlog').getByText('602', { exact: true }).waitFor()
    // Changes of another user appear, wherever the row is in the list.
    const jonas = await signIn('jonas@example.com', `/projects/${projectId}`)
    await cardIn(jonas, 'Backlog', 'Number 1').first().waitFor()
    await jonas.getByText('Live', { exact: true }).waitFor()
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', id)),
      name: 'Renamed by somebody',
    })
    await cardIn(jonas, 'Backlog', 'Renamed by somebody').waitFor()
    const scroller = column(jonas, 'Backlog').locator('.column-cards')
    const last = cardIn(jonas, 'Backlog', 'Number 699')
    // Each time the end is reached, the next of seven pages is loaded.
    await until(async () => {
      await scroller.evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      return (await last.count()) === 1
    }, 'the last of the assignments')
    assert.ok((await jonas.locator('.card').count()) < 200)
  })

  test('shows no card as overdue in a stage that an administrator has marked as done', async () => {
    const { signIn, workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name: 'With an archive',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const archive = await workspace.make('workflow', { name: 'Archive', order: 8 })
    const overdue = { projectId, startDate: '2026-01-05', endDate: '2026-01-06' }
    await workspace.assignment('Finished long ago', { ...overdue, workflowId: workspace.stages.Done })
    const putAway = await workspace.assignment('Put away', { ...overdue, workflowId: archive.id })
    const path = `/projects/${projectId}`
    const [mara, rosa] = await Promise.all([
      signIn('mara@example.com', path),
      signIn(administratorLogin, path),
    ])
    await column(mara, 'Archive').getByText('Should have ended').waitFor()
    assert.equal(await column(mara, 'Done').getByText('Should have ended').count(), 0)
    assert.equal(await mara.getByRole('button', { name: 'Stage Archive' }).count(), 0)
    // Until a stage is marked, a stage named Done counts as done. The first mark ends that, so both have to be
    // marked.
    for (const name of ['Done', 'Archive']) {
      await rosa.getByRole('button', { name: `Stage ${name}` }).click()
      await rosa.getByRole('menuitem', { name: 'This stage means done' }).click()
      await column(rosa, name).getByTitle('Assignments in this stage count as done').waitFor()
    }
    // Done looked the same before, because its name counted. Only the message shows the change.
    await rosa.getByText('Done now means done for all users.').waitFor()
    await mara.reload()
    await cardIn(mara, 'Archive', 'Put away').waitFor()
    assert.equal(await mara.getByText('Should have ended').count(), 0)
    await workspace.change('DELETE', 'assignment', { ids: [putAway] })
    await workspace.change('DELETE', 'workflow', { ids: [archive.id] })
  })

  test('shows the priority of an assignment, by which the list can be sorted', async () => {
    const { signIn, workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name: 'By priority',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const id = await workspace.assignment('Comes first', { projectId, endDate: '2026-12-24' })
    await workspace.assignment('Can wait', { projectId })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const priority = page.getByLabel('Priority')
    await Promise.all([untilSaved(page), priority.selectOption('Urgent')])
    const card = page.locator('.card', { hasText: 'Comes first' })
    await card.getByText('Urgent').waitFor()
    await page.goto(
      `${setup().hosts.web}/projects/${projectId}?view=list&columns=name,priority&sort=priority`,
    )
    const names = page.getByRole('row').getByRole('link')
    await page.getByRole('gridcell', { name: 'Urgent' }).waitFor()
    assert.deepEqual(await names.allInnerTexts(), ['Comes first', 'Can wait'])
    await page.goto(`${setup().hosts.web}/projects/${projectId}/assignments/${id}`)
    await Promise.all([untilSaved(page), priority.selectOption('No priority')])
    await card.getByText('Urgent').waitFor({ state: 'detached' })
  })

  test('is not found if its project does not exist, or the user is not a member of it', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id } = await workspace.make('project', {
      name: 'Private',
      organizationId: workspace.organizationId,
    })
    const page = await signIn('mara@example.com', `/projects/${id}`)
    await page.getByRole('heading', { name: 'Project not found' }).waitFor()
    await page.goto(`${hosts.web}/projects/none`)
    await page.getByRole('heading', { name: 'Project not found' }).waitFor()
  })
}

const addressOf = ({ workspace }: BrowserSetup, id: string) =>
  `/projects/${workspace.projectId}/assignments/${id}`

/** Locates the error next to the field. A list that is not loaded yet shows the same text. */
const outageError = (page: Page) =>
  page.locator('.field-errors[role=alert]', { hasText: 'The server cannot be reached.' })

/** Renames the assignment of the page while the server cannot be reached. */
async function renameInOutage(page: Page, text: string, cutOff: () => Promise<void>): Promise<void> {
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  await cutOff()
  await name.fill(text)
  await name.press('Enter')
  await outageError(page).waitFor()
}

function connectionJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('is shown as lost during an outage and catches up afterwards', async () => {
    const { hosts, signIn, workspace } = setup()
    await workspace.assignment('There before the outage')
    // A column renders only the cards near its visible ones. The search makes this card one of them.
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=outage`)
    await page.getByText('Live', { exact: true }).waitFor()
    // The types of assignments are loaded, too, so that a form can offer them in the outage.
    await page.locator('.card', { hasText: 'There before the outage' }).getByText('Feature').waitFor()
    await hosts.stopRest()
    try {
      await page.getByText('Reconnecting…').waitFor()
      assert.equal(await page.getByRole('link', { name: 'There before the outage' }).count(), 1)
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      await page.getByLabel('Name', { exact: true }).fill('Typed in the outage')
      await page.getByRole('button', { name: 'Create assignment' }).click()
      await page.getByRole('dialog').getByText('The server cannot be reached.').waitFor()
    } finally {
      await hosts.startRest()
    }
    await page.getByRole('button', { name: 'Create assignment' }).click()
    await page.getByRole('link', { name: 'Typed in the outage' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('lets three windows of a browser save and receive changes', async () => {
    const { hosts, signIn } = setup()
    const { path, make } = await makeProject('In three windows')
    const id = await make('In many windows', 0, 1)
    const address = `${path}/assignments/${id}`
    const first = await signIn('mara@example.com', address)
    const name = (page: Page) => page.getByLabel('Name', { exact: true })
    await name(first).waitFor()
    const otherTabs = [await first.context().newPage(), await first.context().newPage()]
    for (const page of otherTabs) {
      await page.goto(`${hosts.web}${address}`)
      await page.locator(`#card-${id}`).waitFor()
    }
    const last = otherTabs[1] ?? first
    await name(last).fill('Saved in the last one')
    await Promise.all([untilSaved(last), name(last).press('Enter')])
    for (const page of [first, ...otherTabs])
      await page.locator(`#card-${id}`, { hasText: 'Saved in the last one' }).waitFor()
    await first.getByRole('complementary', { name: 'Saved in the last one' }).waitFor()
    await name(first).fill('Saved in the first one')
    await Promise.all([untilSaved(first), name(first).press('Enter')])
    await last.getByRole('complementary', { name: 'Saved in the first one' }).waitFor()
  })

  test('sends a change that was made offline as soon as the device is online', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Typed on the way')
    const page = await signIn('mara@example.com', addressOf(setup(), id))
    await renameInOutage(page, 'Typed in the tunnel', () => page.context().setOffline(true))
    await Promise.all([untilSaved(page), page.context().setOffline(false)])
    await outageError(page).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).name, 'Typed in the tunnel')
  })

  test('sends a change that was made in an outage once the server is back', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Typed before the restart')
    const page = await signIn('mara@example.com', addressOf(setup(), id))
    let sent: Promise<unknown> | undefined
    try {
      await renameInOutage(page, 'Typed in the restart', hosts.stopRest)
      // Wait from now on, because the change may be sent as soon as the server is back.
      sent = untilSaved(page)
    } finally {
      await hosts.startRest()
    }
    await sent
    await outageError(page).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).name, 'Typed in the restart')
  })

  test('is shown as offline while the device is offline', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByText(/^(You are offline|Offline\. Showing)/).waitFor()
    await page.getByText('Offline', { exact: true }).waitFor()
    await page.context().setOffline(false)
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('is shown as live after a response, even if the browser claims to be offline', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.addInitScript("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.equal(await page.getByText(/^(You are offline|Offline\. Showing)/).count(), 0)
  })

  test('reports that the server is busy', async () => {
    const { hosts, signIn, workspace } = setup()
    // The assignment is the first of its column, so its card is rendered.
    const id = await workspace.assignment('Patient', { startDate: '2026-01-05', endDate: '2026-01-06' })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    let rejections = 0
    await page.route(`${hosts.api}/ext/assignment`, async (route) => {
      if (route.request().method() !== 'PATCH' || rejections > 0) return route.fallback()
      rejections += 1
      await route.fulfill({
        status: 429,
        headers: {
          'retry-after': '2',
          'access-control-allow-origin': hosts.web,
          'access-control-expose-headers': 'Retry-After',
        },
        json: { statusCode: 429, message: 'Too many requests.' },
      })
    })
    await page.getByRole('link', { name: 'Patient' }).focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('The server is busy. Trying again in').waitFor()
    await page.getByText('Patient is now in Doing.').waitFor({ state: 'attached' })
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
  })

  test('needs less than half a second of the processor to show the first screen', async () => {
    const { signIn } = setup()
    const page = await signIn('mara@example.com', '/projects')
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    /** The CPU time of the thread of the page. Other work on the machine does not count. */
    const readSeconds = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN
    }
    const before = await readSeconds()
    await page.reload({ waitUntil: 'commit' })
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    const seconds = (await readSeconds()) - before
    assert.ok(seconds > 0 && seconds < 0.5, `${seconds} s`)
  })
}

// Each group has its own hosts and project: a board with the cards of all groups would slow down each page.
describeInBrowser('Assignments, part 1', {
  'my work': myWorkJourneys,
  'the board': boardJourneys,
  labels: labelJourneys,
  dependencies: dependencyJourneys,
})

describeInBrowser('Assignments, part 2', {
  'the key of an assignment': assignmentKeyJourneys,
  'the inbox': inboxJourneys,
  'the manual order': manualOrderJourneys,
  'the quick add': quickAddJourneys,
  'sub-assignments': subAssignmentJourneys,
  mentions: mentionJourneys,
  'the connection': connectionJourneys,
})
