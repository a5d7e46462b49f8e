import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { addDays, formatDay, today } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

const devices = [
  { device: 'a desktop', options: {} },
  { device: 'a phone', options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
]

export function newAssignmentJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('keeps a draft, and reads tokens in the name as quick add does', async () => {
    const { signIn, workspace } = setup()
    const { path } = await makeProject('Named with words')
    const page = await signIn('mara@example.com', path)
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    const name = dialog.getByLabel('Name', { exact: true })
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await name.fill('Begun yesterday')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await dialog.getByText('You had begun this assignment.').waitFor()
    assert.equal(await name.inputValue(), 'Begun yesterday')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await dialog.getByText('You had begun this assignment.').waitFor({ state: 'detached' })
    await name.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Fix the footer @jon')
    await page.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('!high tomorrow 2h')
    await dialog.locator('.quick-tokens .label-chip').nth(3).waitFor()
    await assertAccessible(page, 'the words of the name of a new assignment')
    // Shift+Tab leads from the description to what is before it, and Ctrl+Enter creates from there, too.
    const description = dialog.getByRole('textbox', { name: /^Description/ })
    await description.fill('With a word')
    await dialog.getByRole('toolbar').waitFor()
    await page.keyboard.press('Shift+Tab')
    assert.equal(await dialog.locator('.markdown-field :focus').count(), 0)
    await page.keyboard.press('Tab')
    await description.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Fix the footer was created.').waitFor()
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('complementary', { name: 'Fix the footer' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { userId, endDate, amountHours } = await workspace.get('assignment', id)
    assert.equal(userId, workspace.jonas.id)
    assert.equal(String(endDate).slice(0, 10), addDays(today(), 1))
    assert.equal(amountHours, 2)
    await page.locator('.card', { hasText: 'Fix the footer' }).getByText('High').waitFor()
  })

  test('is created by Ctrl+Enter in an open list, with what was typed there and nothing else', async () => {
    const { signIn, workspace } = setup()
    const { projectId, path } = await makeProject('With open lists')
    await workspace.make('label', { name: 'Unasked', color: 'blue', projectId })
    const page = await signIn('mara@example.com', path)
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    const create = async (name: string, list: string, text: string, active: string) => {
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByRole('combobox', { name: list }).press('Enter')
      await dialog.getByRole('dialog', { name: list }).getByRole('combobox').pressSequentially(text)
      await dialog.locator('[aria-selected=true]', { hasText: active }).waitFor()
      await page.keyboard.press('Control+Enter')
      await dialog.waitFor({ state: 'detached' })
    }
    await create('Without a label', 'Labels', '', 'Unasked')
    const card = page.getByRole('region', { name: 'Backlog' }).getByRole('listitem')
    await card.filter({ hasText: 'Without a label' }).waitFor()
    await create('In Doing', 'Stage', 'doing', 'Doing')
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name: 'In Doing' }).waitFor()
    await create('With a label', 'Labels', 'una', 'Unasked')
    await card.filter({ hasText: 'With a label' }).getByText('Unasked').waitFor()
    assert.equal(await card.filter({ hasText: 'Unasked' }).count(), 1)
  })

  test('shows why a label cannot be created, and keeps one that is chosen during a creation', async () => {
    const { signIn, workspace } = setup()
    const { projectId, path } = await makeProject('With few labels')
    await workspace.make('label', { name: 'Known', color: 'blue', projectId })
    const page = await signIn('mara@example.com', path)
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByRole('combobox', { name: 'Labels' }).click()
    await page.route('**/label', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    )
    const create = async (name: string) => {
      await page.keyboard.type(name)
      await page.getByRole('option', { name: new RegExp(`^${name}`) }).click()
    }
    await create('Rejected')
    await page.getByText('The server answered 503.').waitFor()
    await page.unroute('**/label')
    const otherIsChosen = Promise.withResolvers<void>()
    await page.route('**/label', async (route) => {
      if (route.request().method() === 'POST') await otherIsChosen.promise
      await route.continue()
    })
    await create('Created late')
    await page.getByRole('option', { name: 'Known' }).click()
    otherIsChosen.resolve()
    await dialog.getByRole('combobox', { name: 'Labels' }).getByText('2 labels').waitFor()
  })

  for (const { device, options } of devices)
    test(`has chips for properties, which are kept for the next assignment, on ${device}`, async () => {
      const { hosts, signIn, workspace } = setup()
      const { projectId, path } = await makeProject(`Made on ${device}`)
      await workspace.make('label', { name: 'Backend', color: 'blue', projectId })
      await workspace.make('label', { name: 'Design', color: 'pink', projectId })
      const page = await signIn('mara@example.com', path, options)
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'New assignment' })
      const chip = (name: string) => dialog.getByRole('combobox', { name })
      const name = dialog.getByLabel('Name', { exact: true })
      await dialog.locator('.dialog-header').getByText(`Made on ${device}`).waitFor()
      const lefts = await dialog
        .locator('.dialog-header h2, [name=name], .choice-chip, .check-line input')
        .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().left)))
      // The title, the name, the first chip and the checkbox have the same left edge.
      assert.deepEqual([lefts[0], lefts[1], lefts.at(-1)], Array(3).fill(lefts[2]))
      const names = await dialog
        .locator('.choice-chip')
        .evaluateAll((chips) => chips.map((element) => element.ariaLabel).join())
      assert.equal(names, 'Stage,Priority,Responsible,Labels,Type,Start,End,Planned hours')
      if (device === 'a desktop') {
        const tops = await page
          .locator('.choice-chip')
          .evaluateAll((chips) => chips.map((element) => element.getBoundingClientRect().top))
        assert.equal(new Set(tops).size, 1, 'the chips of an empty form are in one row')
      }
      await name.fill('Has every property')
      await chip('Stage').click()
      await page.getByRole('option', { name: 'Doing' }).click()
      if (device === 'a desktop') {
        // The list of one value begins at it.
        await chip('Stage').click()
        await page.getByRole('option', { name: 'Doing', selected: true }).waitFor()
        await page.keyboard.press('Escape')
      }
      await chip('Priority').click()
      // A phone does not open its keyboard before the field is touched.
      await page.locator('.filter-menu:popover-open input').fill('high')
      await page.keyboard.press('Enter')
      await chip('Priority').getByText('High').waitFor()
      await chip('Responsible').click()
      await page.getByRole('option', { name: /^(JW)?Jonas Weber/ }).click()
      await chip('Labels').click()
      await page.getByRole('option', { name: 'Backend' }).click()
      await page.getByRole('option', { name: 'Design' }).click()
      await assertAccessible(page, `the labels of a new assignment on ${device}`)
      await page.keyboard.press('Escape')
      await chip('Labels').getByText('2 labels').waitFor()
      await chip('Planned hours').click()
      await page.locator('.filter-menu:popover-open input').fill('1h30')
      await page.getByRole('option', { name: '1.5 h' }).click()
      await chip('Start').click()
      await page.locator('.filter-menu:popover-open .month [aria-current=date]').click()
      await chip('Start').getByText(formatDay(today())).waitFor()
      await chip('End').click()
      await page.locator('.filter-menu:popover-open input').fill('+2')
      await page.getByRole('option', { name: formatDay(addDays(today(), 2)) }).waitFor()
      await assertAccessible(page, `the days of a new assignment on ${device}`)
      await page.keyboard.press('Enter')
      await chip('End')
        .getByText(formatDay(addDays(today(), 2)))
        .waitFor()
      await dialog.getByLabel('Create another').check()
      await assertAccessible(page, `the properties of a new assignment on ${device}`)
      const chips = await page.locator('.choice-chip').evaluateAll((elements) =>
        elements.map((element) => {
          const { right, top, height } = element.getBoundingClientRect()
          const { scrollWidth, clientWidth } = document.documentElement
          // On a phone, the row of chips scrolls sideways, but the page does not.
          const isMisfit =
            innerWidth < 641 ? Math.round(height) < 44 || scrollWidth > clientWidth : right > innerWidth
          return { top, isMisfit, markup: element.outerHTML }
        }),
      )
      assert.deepEqual(
        chips.filter(({ isMisfit }) => isMisfit),
        [],
      )
      if (device === 'a phone') assert.equal(new Set(chips.map(({ top }) => top)).size, 1)
      await name.press('Enter')
      await dialog.locator('[name=name]:focus:placeholder-shown').waitFor()
      await page.keyboard.type('Has the same ones\n')
      await dialog.locator('[name=name]:focus:placeholder-shown').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      const rows = await hosts.database.query<Record<string, unknown>>(sql`
        select row.name, row.priority, row.amount_hours as hours, row.user_id as "userId", row.workflow_id as "stageId",
          to_char(row.start_date, 'YYYY-MM-DD') as "start", to_char(row.end_date, 'YYYY-MM-DD') as "end",
          array(select label.name from assignment_labels as link join labels as label on label.id = link.label_id
            where link.assignment_id = row.id order by label.name) as labels
        from assignments as row where row.project_id = ${projectId} order by row.created_at`)
      const properties = {
        priority: 3,
        hours: 1.5,
        userId: workspace.jonas.id,
        stageId: workspace.stages.Doing,
        start: today(),
        end: addDays(today(), 2),
        labels: ['Backend', 'Design'],
      }
      assert.deepEqual(
        rows.map((row) => ({ ...row, hours: Number(row.hours) })),
        [
          { name: 'Has every property', ...properties },
          { name: 'Has the same ones', ...properties },
        ],
      )
      // The choice to create another one is remembered.
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      assert.equal(await dialog.getByLabel('Create another').isChecked(), true)
      await dialog.getByLabel('Create another').uncheck()
      await dialog.getByRole('button', { name: 'Create assignment' }).click()
      await dialog.getByText('Name is required.').waitFor()
      await dialog.locator('[name=name]:focus').waitFor()
      await assertDaysClearedTogether(page)
      await chip('End').click()
      await page.locator('.filter-menu:popover-open input').fill('no day at all')
      await page.getByText('Enter a day, such as fri, 12 dec or in 2 weeks.').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    })
}

/** An assignment has both dates or neither, so clearing one day clears the other. */
async function assertDaysClearedTogether(page: Page): Promise<void> {
  const chip = (day: string) => page.getByRole('dialog').getByRole('combobox', { name: day })
  const choose = async (day: string, option: string) => {
    await chip(day).click()
    await page.getByRole('option', { name: option }).click()
  }
  for (const [day, other] of [
    ['End', 'Start'],
    ['Start', 'End'],
  ] as const) {
    await choose(day, 'Today')
    await choose(other, 'Today')
    await chip(other).getByText(formatDay(today())).waitFor()
    await choose(day, 'No dates')
    await chip(other).getByText(formatDay(today())).waitFor({ state: 'detached' })
  }
}
