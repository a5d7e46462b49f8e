import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import { addDays, formatDay, today } from '../../../web/src/time/days.ts'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

const sizes = {
  'a desktop': {},
  'a phone': { viewport: { width: 390, height: 844 }, hasTouch: true },
}

export function newAssignmentJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('reads tokens in the name as quick add does, and restores an unfinished draft', async () => {
    const { signIn, workspace } = stage()
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
    await page.keyboard.type('Fix the footer @jon')
    await page.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('!high tomorrow 2h')
    await dialog.locator('.quick-tokens .label-chip').nth(3).waitFor()
    await assertAccessible(page, 'the words of the name of a new assignment')
    await page.keyboard.press('Enter')
    await page.getByText('Fix the footer was created.').waitFor()
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('complementary', { name: 'Fix the footer' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { userId, endDate, amountHours } = await workspace.get('assignment', id)
    assert.deepEqual(
      [userId, String(endDate).slice(0, 10), amountHours],
      [workspace.jonas.id, addDays(today(), 1), 2],
    )
    await page.locator('.card', { hasText: 'Fix the footer' }).getByText('High').waitFor()
  })

  test('shows why a label cannot be created, and keeps labels that were chosen meanwhile', async () => {
    const { signIn, workspace } = stage()
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
    await create('Refused')
    await page.getByText('The server answered 503.').waitFor()
    await page.unroute('**/label')
    const late = Promise.withResolvers<void>()
    await page.route('**/label', async (route) => {
      if (route.request().method() === 'POST') await late.promise
      await route.continue()
    })
    await create('Created late')
    await page.getByRole('option', { name: 'Known' }).click()
    late.resolve()
    await dialog.getByRole('combobox', { name: 'Labels' }).getByText('2 labels').waitFor()
  })

  for (const [size, options] of Object.entries(sizes))
    test(`has chips for properties, which the next assignment gets, too, on ${size}`, async () => {
      const { hosts, signIn, workspace } = stage()
      const { projectId, path } = await makeProject(`Made on ${size}`)
      for (const [name, color] of [
        ['Backend', 'blue'],
        ['Design', 'pink'],
      ])
        await workspace.make('label', { name, color, projectId })
      const page = await signIn('mara@example.com', path, options)
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'New assignment' })
      const chip = (name: string) => dialog.getByRole('combobox', { name })
      const name = dialog.getByLabel('Name', { exact: true })
      await name.fill('Has every property')
      await chip('Stage').click()
      await page.getByRole('option', { name: 'Doing' }).click()
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
      await assertAccessible(page, `the labels of a new assignment on ${size}`)
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
      await assertAccessible(page, `the days of a new assignment on ${size}`)
      await page.keyboard.press('Enter')
      await chip('End')
        .getByText(formatDay(addDays(today(), 2)))
        .waitFor()
      await dialog.getByLabel('Create another').check()
      await assertAccessible(page, `the properties of a new assignment on ${size}`)
      const faults = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.choice-chip')].filter((element) => { const box = element.getBoundingClientRect(); return box.right > innerWidth || (innerWidth < 641 && Math.round(box.height) < 44) }).map((element) => element.outerHTML)`,
      )
      assert.deepEqual(faults, [])
      // On a phone they stand in two columns.
      const edges = await page.evaluate<number[]>(
        `[...new Set([...document.querySelectorAll('.choice-chip')].map((chip) => chip.getBoundingClientRect().left))]`,
      )
      if (size === 'a phone') assert.equal(edges.length, 2)
      await name.press('Enter')
      await dialog.locator('[name=name]:focus:placeholder-shown').waitFor()
      await page.keyboard.type('Has the same ones\n')
      await dialog.locator('[name=name]:focus:placeholder-shown').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      const rows = await hosts.database.query<Record<string, unknown>>(sql`
        select a.name, a.priority, a.amount_hours as hours, a.user_id as "userId", a.workflow_id as "stageId",
          to_char(a.start_date, 'YYYY-MM-DD') as "start", to_char(a.end_date, 'YYYY-MM-DD') as "end",
          array(select l.name from assignment_labels al join labels l on l.id = al.label_id
            where al.assignment_id = a.id order by l.name) as labels
        from assignments a where a.project_id = ${projectId} order by a.created_at`)
      const shared = {
        ...{ priority: 3, hours: 1.5, userId: workspace.jonas.id, stageId: workspace.stages.Doing },
        ...{ start: today(), end: addDays(today(), 2), labels: ['Backend', 'Design'] },
      }
      assert.deepEqual(
        rows.map((row) => ({ ...row, hours: Number(row.hours) })),
        ['Has every property', 'Has the same ones'].map((title) => ({ name: title, ...shared })),
      )
      // The choice is remembered.
      await page.getByRole('button', { name: 'New assignment', exact: true }).click()
      assert.equal(await dialog.getByLabel('Create another').isChecked(), true)
      await dialog.getByLabel('Create another').uncheck()
      await dialog.getByRole('button', { name: 'Create assignment' }).click()
      await dialog.getByText('Name is required.').waitFor()
      await dialog.locator('[name=name]:focus').waitFor()
      await chip('End').click()
      await page.locator('.filter-menu:popover-open input').fill('no day at all')
      await page.getByText('Enter a day, such as fri, 12 dec or in 2 weeks.').waitFor()
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    })
}
