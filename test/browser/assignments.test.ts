import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { insertAccount } from '../support/insert-account.ts'
import { until } from '../support/until.ts'
import { assignmentKeyJourneys } from './journeys/assignment-keys.ts'
import { attachmentJourneys } from './journeys/attachments.ts'
import { dependencyJourneys } from './journeys/dependencies.ts'
import { eventJourneys } from './journeys/events.ts'
import { inboxJourneys } from './journeys/inbox.ts'
import { keyJourneys } from './journeys/keys.ts'
import { labelJourneys } from './journeys/labels.ts'
import { manualOrderJourneys } from './journeys/manual-order.ts'
import { mentionJourneys } from './journeys/mentions.ts'
import { impedimentJourneys, myWorkJourneys, panelJourneys } from './journeys/panel.ts'
import { quickAddJourneys } from './journeys/quick-add.ts'
import { subAssignmentJourneys } from './journeys/sub-assignments.ts'
import { unplannedJourneys } from './journeys/unplanned.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import type { Stage } from './support/stage.ts'
import { administratorLogin } from './support/tracker-hosts.ts'

const column = (page: Page, name: string) => page.getByRole('region', { name })
const cardIn = (page: Page, stage: string, name: string) => column(page, stage).getByRole('link', { name })

function boardJourneys(stage: () => Stage): void {
  const board = () => `/projects/${stage().workspace.projectId}`

  test('shows one person what another one does, without asking', async () => {
    const { signIn, workspace } = stage()
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

  test('requests the members of its project once, also with an assignment panel open', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Asked for once')
    const page = await signIn('mara@example.com', board())
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).waitFor()
    // One that broke off and was opened again is still one.
    const asked = new Set<object>()
    page.on('request', (request) => request.url().includes('/userProjects?') && asked.add(request))
    page.on('requestfailed', (request) => asked.delete(request))
    const ofMembers = () => {
      const { size } = asked
      asked.clear()
      return size
    }
    await page.reload()
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).waitFor()
    await cardIn(page, 'Backlog', 'Asked for once').waitFor()
    assert.equal(ofMembers(), 1)
    const opened = page.waitForResponse(/\/userAssignments\?/)
    await page.locator(`#card-${id}`).click()
    await opened
    assert.equal(ofMembers(), 1)
  })

  test('offers the members of its project first, however many others there are', async () => {
    const { hosts, signIn, workspace } = stage()
    const { organizationId } = workspace
    const makeProject = (name: string) => workspace.make('project', { name, organizationId })
    const [small, large] = [await makeProject('Small team'), await makeProject('Large team')]
    const add = (projectId: string, userId: string) => workspace.make('userProject', { projectId, userId })
    for (const { id } of [small, large]) await add(id, workspace.mara.id)
    const last = await insertAccount(hosts.database, { name: 'Zora Zander' })
    await add(small.id, last.id)
    // More than the picker shows, and before the members in the alphabet.
    for (let index = 0; index < 25; index += 1)
      await add(large.id, (await insertAccount(hosts.database, { name: `Aaron A${index}` })).id)
    const page = await signIn('mara@example.com', `/projects/${small.id}`)
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Responsible' }).click()
    await page.getByRole('option', { name: 'Aaron A0' }).waitFor()
    const list = page.getByRole('listbox', { name: 'Responsible' })
    const options = await list.getByRole('option').allTextContents()
    assert.deepEqual(
      options.slice(0, 4).map((text) => text.replace(/^[A-Z]{2}/, '')),
      ['Mara Lindqvist', 'Rosa Root', 'Zora Zander', 'Aaron A0Not a member'],
    )
  })

  test('is moved with keys, and the focus stays on the card', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Moved with keys')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Moved with keys').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await cardIn(page, 'Doing', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.getByText('Moved with keys is now in Doing.').waitFor({ state: 'attached' })
    await page.keyboard.press('m')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.column :focus').waitFor()
    await page.reload()
    await cardIn(page, 'Done', 'Moved with keys').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
  })

  test('is moved by dragging', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Dragged along')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Dragged along').waitFor()
    await page.locator('.card', { hasText: 'Dragged along' }).hover()
    await page.mouse.down()
    const gap = column(page, 'Done').locator('.drop-before, .drop-last')
    // A resting pointer goes on reporting where it is; here each movement does.
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

  test('takes a rejected move back, and says why', async () => {
    const { signIn, workspace } = stage()
    const { id: gone } = await workspace.make('workflow', { name: 'Short-lived', order: 9 })
    await workspace.assignment('Stays where it is')
    const page = await signIn('mara@example.com', board())
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
    await workspace.change('DELETE', 'workflow', { ids: [gone] })
    await page.getByRole('button', { name: 'Move Stays where it is to…' }).click()
    await page.getByRole('menuitem', { name: 'Short-lived' }).click()
    await page.locator('.toast.problem', { hasText: 'Stays where it is stays in Backlog.' }).waitFor()
    await cardIn(page, 'Backlog', 'Stays where it is').waitFor()
  })

  test('is filtered by text, person and days, and the address keeps that', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('Early apple', { startDate: '2026-01-05', endDate: '2026-01-06' })
    await workspace.assignment('Late apple', { startDate: '2026-03-05', endDate: '2026-03-06' })
    await workspace.assignment('Jonas’ apple', { userId: workspace.jonas.id })
    const page = await signIn('root@example.com', board())
    const shown = (name: string) => page.getByRole('link', { name })
    await shown('Early apple').waitFor()
    const openMenu = () => page.getByRole('button', { name: /^Filter( \(\d\))?$/ }).click()
    const dayField = (label: string) =>
      page.getByRole('dialog', { name: 'Days' }).getByLabel(label, { exact: true })
    await openMenu()
    await page.getByRole('option', { name: 'Days' }).click()
    await dayField('From').fill('2026-03-01')
    await dayField('To').fill('5 Mar 2026')
    await page.keyboard.press('Enter')
    await shown('Early apple').waitFor({ state: 'detached' })
    await shown('Late apple').waitFor()
    await page.reload()
    await shown('Late apple').waitFor()
    assert.equal(await shown('Early apple').count(), 0)
    // Typed the wrong way round, they mean the same.
    await page.getByRole('button', { name: /^Days: / }).click()
    await dayField('To').fill('2026-02-01')
    await page.keyboard.press('Enter')
    await page.waitForURL(/dateTo=2026-02-01/)
    await page.getByRole('button', { name: 'Days: 1 Feb to 1 Mar' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await shown('Early apple').waitFor()
    await openMenu()
    await page.getByRole('combobox', { name: 'Find a filter' }).fill('Jonas')
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await shown('Late apple').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByLabel('Search assignments').fill('apple')
    await shown('Jonas’ apple').waitFor()
    await page.waitForURL(new RegExp(`userId=${workspace.jonas.id}&search=apple`))
  })

  test('of 700 assignments shows the newest card at once, counts them all, and loads them as one scrolls', async () => {
    const { hosts, signIn, workspace } = stage()
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
    // Only what is near the view is drawn.
    assert.ok((await page.locator('.card').count()) < 120, String(await page.locator('.card').count()))
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    await page.getByLabel('Name of the new assignment in Backlog').fill('The newest')
    await column(page, 'Backlog')
      .getByText(/^\w+ · No dates · Nobody yet$/)
      .waitFor()
    await page.keyboard.press('Enter')
    await cardIn(page, 'Backlog', 'The newest').waitFor()
    await column(page, 'Backlog').getByText('602', { exact: true }).waitFor()
    // Changes of another user are visible, wherever the row is in the list.
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
    // Each time one comes to the end, the next page is there: the last of seven, in the end.
    for (let tries = 0; tries < 100 && (await last.count()) === 0; tries += 1) {
      await scroller.evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      await jonas.waitForTimeout(100)
    }
    assert.equal(await last.count(), 1)
    assert.ok((await jonas.locator('.card').count()) < 200)
  })

  test('shows everybody which stages mean done, once an administrator has said so', async () => {
    const { signIn, workspace } = stage()
    const { id: projectId } = await workspace.make('project', {
      name: 'With an archive',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const archive = await workspace.make('workflow', { name: 'Archive', order: 8 })
    const late = { projectId, startDate: '2026-01-05', endDate: '2026-01-06' }
    await workspace.assignment('Finished long ago', { ...late, workflowId: workspace.stages.Done })
    const putAway = await workspace.assignment('Put away', { ...late, workflowId: archive.id })
    const path = `/projects/${projectId}`
    const [mara, rosa] = await Promise.all([
      signIn('mara@example.com', path),
      signIn(administratorLogin, path),
    ])
    await column(mara, 'Archive').getByText('Was due').waitFor()
    assert.equal(await column(mara, 'Done').getByText('Was due').count(), 0)
    assert.equal(await mara.getByRole('button', { name: 'Stage Archive' }).count(), 0)
    // The name of the first one no longer counts once another one is marked, so both are.
    for (const name of ['Done', 'Archive']) {
      await rosa.getByRole('button', { name: `Stage ${name}` }).click()
      await rosa.getByRole('menuitem', { name: 'This stage means done' }).click()
      await column(rosa, name).getByTitle('Assignments in this stage count as done').waitFor()
    }
    await mara.reload()
    await cardIn(mara, 'Archive', 'Put away').waitFor()
    assert.equal(await mara.getByText('Was due').count(), 0)
    await workspace.change('DELETE', 'assignment', { ids: [putAway] })
    await workspace.change('DELETE', 'workflow', { ids: [archive.id] })
  })

  test('shows the priority of an assignment, by which its list is sorted', async () => {
    const { signIn, workspace } = stage()
    const { id: projectId } = await workspace.make('project', {
      name: 'By priority',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const id = await workspace.assignment('Comes first', { projectId, endDate: '2026-12-24' })
    await workspace.assignment('Can wait', { projectId })
    const page = await signIn('mara@example.com', `/projects/${projectId}/assignments/${id}`)
    const priority = page.getByLabel('Priority')
    await Promise.all([saved(page), priority.selectOption('Urgent')])
    const card = page.locator('.card', { hasText: 'Comes first' })
    await card.getByText('Urgent').waitFor()
    await page.goto(
      `${stage().hosts.web}/projects/${projectId}?view=list&columns=name,priority&sort=priority`,
    )
    const names = page.getByRole('row').getByRole('link')
    await page.getByRole('gridcell', { name: 'Urgent' }).waitFor()
    assert.deepEqual(await names.allInnerTexts(), ['Comes first', 'Can wait'])
    await page.goto(`${stage().hosts.web}/projects/${projectId}/assignments/${id}`)
    await Promise.all([saved(page), priority.selectOption('No priority')])
    await card.getByText('Urgent').waitFor({ state: 'detached' })
  })

  test('of a project that is not one’s own is not found', async () => {
    const { hosts, signIn, workspace } = stage()
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

const addressOf = ({ workspace }: Stage, id: string) => `/projects/${workspace.projectId}/assignments/${id}`

const saved = (page: Page) =>
  page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().endsWith('/ext/assignment'),
  )

/** The text next to the field: a list that has not loaded yet shows the same. */
const unreached = (page: Page) =>
  page.locator('.field-errors[role=alert]', { hasText: 'The server cannot be reached.' })

/** A new name for the assignment of the page, which finds no server. */
async function typed(page: Page, text: string, cutOff: () => Promise<void>): Promise<void> {
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  await cutOff()
  await name.fill(text)
  await name.press('Enter')
  await unreached(page).waitFor()
}

function connectionJourneys(stage: () => Stage): void {
  test('is shown when it is lost, keeps what is there, and catches up when it is back', async () => {
    const { hosts, signIn, workspace } = stage()
    await workspace.assignment('There before the outage')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByText('Live', { exact: true }).waitFor()
    // The types of assignments have come too, and a form can choose from them in the outage.
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

  test('is saved and followed in three windows side by side, though a browser has six connections for all', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('In many windows')
    const first = await signIn('mara@example.com', addressOf(stage(), id))
    const name = (page: Page) => page.getByLabel('Name', { exact: true })
    await name(first).waitFor()
    const others = [await first.context().newPage(), await first.context().newPage()]
    for (const page of others) {
      await page.goto(`${hosts.web}${addressOf(stage(), id)}`)
      await page.locator(`#card-${id}`).waitFor()
    }
    const last = others[1] ?? first
    await name(last).fill('Saved in the last one')
    await Promise.all([saved(last), name(last).press('Enter')])
    for (const page of [first, ...others])
      await page.locator(`#card-${id}`, { hasText: 'Saved in the last one' }).waitFor()
    await first.getByRole('complementary', { name: 'Saved in the last one' }).waitFor()
    await name(first).fill('Saved in the first one')
    await Promise.all([saved(first), name(first).press('Enter')])
    await last.getByRole('complementary', { name: 'Saved in the first one' }).waitFor()
  })

  test('sends what could not be sent for want of a network as soon as there is one', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Typed on the way')
    const page = await signIn('mara@example.com', addressOf(stage(), id))
    await typed(page, 'Typed in the tunnel', () => page.context().setOffline(true))
    await Promise.all([saved(page), page.context().setOffline(false)])
    await unreached(page).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).name, 'Typed in the tunnel')
  })

  test('sends it, too, once a server is back without notice', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('Typed before the restart')
    const page = await signIn('mara@example.com', addressOf(stage(), id))
    let sent: Promise<unknown> | undefined
    try {
      await typed(page, 'Typed in the restart', hosts.stopRest)
      // Listened for before the server is back, because it may be sent at once.
      sent = saved(page)
    } finally {
      await hosts.startRest()
    }
    await sent
    await unreached(page).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).name, 'Typed in the restart')
  })

  test('shows when the device is offline', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByText(/^(You are offline|Offline\. Showing)/).waitFor()
    await page.getByText('Offline', { exact: true }).waitFor()
    await page.context().setOffline(false)
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('believes an answer rather than a browser that knows of no network', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.addInitScript("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.equal(await page.getByText(/^(You are offline|Offline\. Showing)/).count(), 0)
  })

  test('waits when the server asks for patience, says so, and then does what was wanted', async () => {
    const { hosts, signIn, workspace } = stage()
    // The first of its column, which renders only cards near the visible ones.
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

  test('brings the first view within a second', async () => {
    const { signIn } = stage()
    const page = await signIn('mara@example.com', '/projects')
    const times: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await page.reload({ waitUntil: 'commit' })
      await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
      times.push(Number(await page.evaluate('performance.now()')))
    }
    // The best of three: other work on the machine is not what this measures.
    assert.ok(Math.min(...times) < 1000, times.map(Math.round).join(', '))
  })
}

describeInBrowser('Assignments', {
  'my work': myWorkJourneys,
  'the board': boardJourneys,
  labels: labelJourneys,
  dependencies: dependencyJourneys,
  'the key of an assignment': assignmentKeyJourneys,
  'the inbox': inboxJourneys,
  'the manual order': manualOrderJourneys,
  'the quick add': quickAddJourneys,
  'sub-assignments': subAssignmentJourneys,
  mentions: mentionJourneys,
  attachments: attachmentJourneys,
  'an assignment': panelJourneys,
  'what happened': eventJourneys,
  'keys alone': keyJourneys,
  ideas: unplannedJourneys,
  impediments: impedimentJourneys,
  'the connection': connectionJourneys,
})
