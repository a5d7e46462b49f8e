import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

export function progressJourneys(setup: () => BrowserSetup): void {
  test('is shown in the list of projects, with hours and dates, by a fixed number of requests', async () => {
    const { signIn, workspace } = setup()
    const { impedimentId, mara, organizationId, stages } = workspace
    const { id: projectId } = await workspace.make('project', { name: 'Half done', organizationId })
    const { id: otherId } = await workspace.make('project', { name: 'Just planned', organizationId })
    const { id: riskyId } = await workspace.make('project', { name: 'Behind', organizationId })
    const { id: emptyId } = await workspace.make('project', { name: 'Untouched', organizationId })
    const { id: finishedId } = await workspace.make('project', { name: 'Finished', organizationId })
    const undatedName = 'Undated, with a name that has no room on a line '.repeat(3).trim()
    const { id: undatedId } = await workspace.make('project', { name: undatedName, organizationId })
    for (const id of [projectId, otherId, riskyId, emptyId, finishedId, undatedId])
      await workspace.make('userProject', { projectId: id, userId: mara.id })
    const ended = { startDate: '2026-01-05', endDate: '2026-01-09' }
    await workspace.assignment('Over', { projectId: finishedId, workflowId: stages.Done, ...ended })
    await workspace.call('POST', '/ext/assignment', {
      name: 'Some day',
      projectId: undatedId,
      workflowId: stages.Doing,
      assignmentTypeId: workspace.typeId,
      userId: mara.id,
      ...ended,
      amountHours: 0,
      isUnscheduled: true,
    })
    for (const name of ['Doing', 'Done', 'Done', 'Done'])
      await workspace.assignment(`In ${name}`, { projectId, workflowId: stages[name], ...ended })
    const assignmentId = await workspace.assignment('In Backlog', { projectId, ...ended })
    const record = (id: string, amountHours: number) =>
      workspace.make('appointment', {
        assignmentId: id,
        userId: mara.id,
        keepDate: '2026-01-05',
        amountHours,
      })
    await record(assignmentId, 3)
    await workspace.make('assignmentImpediment', { assignmentId, impedimentId })
    const plan = (project: string, endDate: string) =>
      workspace.assignment(`Ends ${endDate}`, { projectId: project, startDate: '2026-01-05', endDate })
    await plan(otherId, '2096-05-09')
    await record(await plan(otherId, '2096-03-09'), 10)
    for (const day of ['2026-01-09', '2096-03-09']) await plan(riskyId, day)
    const page = await signIn('mara@example.com', '/account')
    const requestedUrls: string[] = []
    page.on('request', (request) => {
      if (/\/ext\/(reports|query)\//.test(request.url())) requestedUrls.push(request.url())
    })
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    const row = (name: string) => page.locator('.project-row', { has: page.getByRole('link', { name }) })
    await row('Half done').getByText('3 of 5 done').waitFor()
    await row('Half done').getByText('3/40 h').waitFor()
    await row('Half done').getByText('2 overdue').waitFor()
    await row('Half done').getByText('1 blocked').waitFor()
    await row('Just planned').getByText('Next end 9 Mar 2096').waitFor()
    await row('Just planned').getByText('10/16 h').waitFor()
    // Hours over the plan of one assignment count, though the project has hours left.
    await row('Just planned').getByText('2 h over').waitFor()
    const barOf = (part: string) =>
      row('Just planned')
        .locator(`.project-hours ${part}`)
        .evaluate((bar) => [bar.getAttribute('x'), bar.getAttribute('width')].map(Number))
    assert.deepEqual(await Promise.all(['.bar-part', '.bar-over'].map(barOf)), [
      [0, 8],
      [8, 2],
    ])
    await row('Just planned').getByText('Ends 9 May 2096').waitFor({ state: 'attached' })
    // The state is computed from the dates, the impediments and the hours.
    for (const [name, state] of [
      ['Half done', 'Late'],
      ['Behind', 'At risk'],
      ['Just planned', 'On track'],
      ['Untouched', ''],
    ] as const)
      assert.equal(await row(name).locator('.project-state').textContent(), state, name)
    assert.equal(await row('Just planned').getByText('overdue').count(), 0)
    await row('Untouched').getByText('No assignments').waitFor()
    await row('Undated').getByText('No dates').waitFor()
    assert.equal(await row('Finished').locator('.project-attention').textContent(), '')
    assert.equal(await row('Untouched').locator('.project-attention').textContent(), 'No assignments')
    assert.equal(await row('Untouched').locator('.project-progress').textContent(), '')
    // Projects of one color differ by their letters.
    assert.equal(await row('Half done').locator('.project-mark').textContent(), 'H')
    await assertAccessible(page, 'projects with their progress')
    assert.equal(requestedUrls.length, 6)
    // Each column has a caption, and progress and hours have a bar each.
    assert.deepEqual(await page.locator('.project-captions > span').allTextContents(), [
      'Project',
      'State',
      'Progress',
      'Hours',
      'End',
      'Members',
    ])
    for (const [cell, share] of [
      ['.project-progress', 3 / 5],
      ['.project-hours', 3 / 40],
    ] as const) {
      const part = await row('Half done').locator(`${cell} .bar-part`).boundingBox()
      const track = await row('Half done').locator(`${cell} .bar-track`).boundingBox()
      assert.ok(part && track && Math.abs(part.width / track.width - share) < 0.02)
    }
    await assertLevels(row('Half done'), row('Behind'))
    await assertNames(page, row('Undated'), row('Behind'))
  })
}

const boxOf = async (row: Locator, cell: string) =>
  (await row.locator(cell).boundingBox()) ?? {
    x: Number.NaN,
    y: Number.NaN,
    width: Number.NaN,
    height: Number.NaN,
  }

/** Asserts that the facts end before the state, which is as high as the faces, and that all hours are level with progress. */
async function assertLevels(late: Locator, withoutBar: Locator): Promise<void> {
  const [facts, state, faces] = [
    await boxOf(late, '.project-attention'),
    await boxOf(late, '.project-state > span'),
    await boxOf(late, '.faces'),
  ]
  assert.ok(facts.x + facts.width <= state.x)
  assert.ok(Math.abs(state.y + state.height / 2 - faces.y - faces.height / 2) < 2)
  const progress = await boxOf(withoutBar, '.project-progress > span')
  assert.ok(Math.abs(progress.y - (await boxOf(withoutBar, '.hours-mark')).y) < 1)
}

/** Asserts that a key follows its name at two widths, and that a phone shows the next end even if it is the last. */
async function assertNames(page: Page, named: Locator, ending: Locator): Promise<void> {
  const name = await boxOf(named, '.row-link')
  assert.ok(name.height < 30, 'a name has one line')
  assert.equal(Math.round((await boxOf(named, '.project-key')).x - name.x - name.width), 8)
  assert.equal(await ending.getByText('Next end').isVisible(), false)
  await page.setViewportSize({ width: 390, height: 800 })
  await ending.getByText('Next end').waitFor()
  const [title, key] = [await boxOf(named, '.project-title'), await boxOf(named, '.project-key')]
  assert.ok(title.height > 60, 'all of the name is shown')
  assert.ok(key.y + key.height > title.y + title.height - 10, 'the key follows the last word')
}
