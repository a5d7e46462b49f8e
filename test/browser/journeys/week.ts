import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'

/** Replaces the box of an invisible element. Every comparison with it fails. */
const never = { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN }

export function weekJourneys(setup: () => BrowserSetup): void {
  const open = (week: string) => setup().signIn('mara@example.com', `/week?week=${week}`)
  /** Creates an assignment of Mara. Each test has its own week, in which nothing else is planned. */
  const plan = (startDate: string, endDate: string, name: string, amountHours = 10) =>
    setup().workspace.assignment(name, { startDate, endDate, amountHours })
  const record = (assignmentId: string, keepDate: string, amountHours: number, description?: string) => {
    const { mara, make } = setup().workspace
    return make('appointment', { assignmentId, userId: mara.id, keepDate, amountHours, description })
  }
  const cell = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
  /** Makes a change and returns the status of its response, for which the page itself does not wait. */
  const statusAfter = async (page: Page, change: () => Promise<unknown>) => {
    const responded = page.waitForResponse((response) => response.url().endsWith('/api/appointment'))
    await change()
    return (await responded).status()
  }

  test('scrolls in its table and not below it, however many rows there are', async () => {
    for (let row = 1; row <= 30; row += 1) await plan('2028-01-03', '2028-01-07', `Row ${row} of many`, 0)
    const page = await open('2028-01-03')
    await cell(page, 'Row 30 of many, Mon 3 Jan 2028').waitFor()
    const pixelsBelow = await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight')
    assert.ok(pixelsBelow < 40, `The page scrolls by ${pixelsBelow} pixels.`)
  })

  test('accepts hours in common notations, adds them up next to the plan, and stores them', async () => {
    await plan('2027-03-01', '2027-03-05', 'Typed hours')
    await plan('2027-03-01', '2027-03-05', 'Typed on the same day')
    const page = await open('2027-03-01')
    const monday = cell(page, 'Typed hours, Mon 1 Mar 2027')
    await page.getByText('1.5, 1,5, 1:30, 1h30 and 90m are the same.').waitFor()
    for (const { text, hours } of [
      { text: '1.5', hours: '1.5' },
      { text: '2,25', hours: '2.25' },
      { text: '1:30', hours: '1.5' },
      { text: '2,25', hours: '2.25' },
      { text: '90m', hours: '1.5' },
    ]) {
      await monday.fill(text)
      assert.equal(await statusAfter(page, () => page.keyboard.press('Enter')), 200)
      await page.getByRole('row', { name: 'Total' }).getByText(hours, { exact: true }).first().waitFor()
      await until(async () => (await monday.inputValue()) === hours, `${hours} in the cell`)
    }
    await cell(page, 'Typed hours, Wed 3 Mar 2027').fill('2')
    await statusAfter(page, () => page.keyboard.press('Tab'))
    await page.getByRole('row', { name: 'Typed hours' }).getByText('3.5/10 h', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('row', { name: 'Total' }).getByText('3.5/20 h', { exact: true }).waitFor()
    assert.equal(await monday.inputValue(), '1.5')
    // More than 24 hours of a day are questioned, even if no single entry has them.
    const sameDay = cell(page, 'Typed on the same day, Mon 1 Mar 2027')
    await sameDay.fill('23')
    await page.keyboard.press('Shift+Enter')
    await page.getByText('24.5 h on one day? Confirm once more if that is right.').waitFor()
    // They keep the focus. Leaving the cell does not confirm them; Enter, up or down, and a button do.
    await sameDay.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Tab')
    await sameDay.focus()
    await page.keyboard.press('ArrowUp')
    assert.equal(await sameDay.getAttribute('aria-invalid'), 'true')
    await sameDay.focus()
    assert.equal(await statusAfter(page, () => page.keyboard.press('Enter')), 200)
    await sameDay.fill('22.75')
    assert.equal(await statusAfter(page, () => sameDay.blur()), 200)
    await sameDay.fill('23.5')
    await sameDay.blur()
    const confirm = page.getByRole('button', { name: 'Save again' })
    assert.equal(await statusAfter(page, () => confirm.click()), 200)
    await sameDay.fill('')
    assert.equal(await statusAfter(page, () => page.keyboard.press('Enter')), 200)
    // Several entries are changed in a dialog, where the question is the same.
    await monday.press('F2')
    const newEntry = page.getByRole('dialog').getByRole('region', { name: 'New entry' })
    // The other hours of the day are loaded only for hours that can be added to them.
    const loaded: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('dateTo=2027-03-02')) loaded.push(request.url())
    })
    await newEntry.getByLabel('Hours').fill('soon')
    await newEntry.getByRole('button', { name: 'Add' }).click()
    await newEntry.getByText('Enter hours as a number').waitFor()
    assert.deepEqual(loaded, [])
    await newEntry.getByLabel('Hours').fill('23')
    await newEntry.getByRole('button', { name: 'Add' }).click()
    await newEntry.getByText('24.5 h on one day? Confirm once more if that is right.').waitFor()
    assert.equal(loaded.length, 1)
  })

  test('lists assignments with hours in this week first, and changes the order only at a reload', async () => {
    await plan('2027-07-05', '2027-07-09', 'Apart')
    const zealous = await plan('2027-07-05', '2027-07-09', 'Zealous')
    await record(zealous, '2027-07-05', 2)
    const page = await open('2027-07-05')
    const readNames = async () => {
      const texts = await page.locator('tbody th[scope=row] a').allTextContents()
      return texts.map((text) => text.trim())
    }
    await cell(page, 'Apart, Tue 6 Jul 2027').waitFor()
    assert.deepEqual(await readNames(), ['Zealous', 'Apart'])
    await cell(page, 'Apart, Tue 6 Jul 2027').fill('1')
    await statusAfter(page, () => page.keyboard.press('Enter'))
    await page.getByRole('row', { name: 'Total' }).getByText('3/20 h').waitFor()
    assert.deepEqual(await readNames(), ['Zealous', 'Apart'])
    await page.reload()
    await page.getByRole('row', { name: 'Total' }).getByText('3/20 h').waitFor()
    assert.deepEqual(await readNames(), ['Apart', 'Zealous'])
  })

  test('clears a cell by removing its entry', async () => {
    const id = await plan('2027-03-08', '2027-03-12', 'Cleared')
    const entry = await record(id, '2027-03-09', 4)
    const page = await open('2027-03-08')
    const tuesday = cell(page, 'Cleared, Tue 9 Mar 2027')
    await tuesday.fill('')
    assert.equal(await statusAfter(page, () => tuesday.blur()), 200)
    await page.getByText('The entry was removed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: 'Total' }).getByText('4', { exact: true }).first().waitFor()
    assert.equal((await setup().workspace.get('appointment', entry.id)).active, true)
  })

  test('keeps rejected hours in their cell with the reason', async () => {
    await plan('2027-03-15', '2027-03-19', 'Rejected')
    const page = await open('2027-03-15')
    const monday = cell(page, 'Rejected, Mon 15 Mar 2027')
    await monday.fill('-1')
    assert.equal(await statusAfter(page, () => monday.blur()), 400)
    // The reason is in the heading of the row, so that the tints of the columns do not stop below the row.
    const reason = page.getByRole('rowheader', { name: 'Rejected' }).getByRole('alert')
    await reason.filter({ hasText: 'Mon 15 Mar 2027: Hours must be' }).waitFor()
    assert.equal(await page.locator('.week tbody > tr').count(), 1)
    assert.equal(await monday.inputValue(), '-1')
    assert.equal(await monday.getAttribute('aria-invalid'), 'true')
    await monday.fill('much')
    await monday.blur()
    await page.getByRole('alert').filter({ hasText: 'Enter hours as a number' }).waitFor()
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'not saved yet' }).waitFor()
    assert.equal(await monday.inputValue(), 'much')
    await monday.press('Escape')
    assert.equal(await monday.inputValue(), '')
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('is filled with the keyboard alone: arrows, Enter, Escape, F2', async () => {
    const first = await plan('2027-03-22', '2027-03-26', 'Keys, above')
    await plan('2027-03-22', '2027-03-26', 'Keys, below')
    await record(first, '2027-03-22', 1)
    const page = await open('2027-03-22')
    await cell(page, 'Keys, above, Mon 22 Mar 2027').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('2')
    await statusAfter(page, () => page.keyboard.press('ArrowRight'))
    await page.keyboard.type('3')
    await statusAfter(page, () => page.keyboard.press('Enter'))
    await page.locator('[aria-label="Keys, below, Wed 24 Mar 2027"]:focus').waitFor()
    await page.keyboard.type('7')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('row', { name: 'Keys, above' }).getByText('6/10 h').waitFor()
    assert.equal(await cell(page, 'Keys, below, Wed 24 Mar 2027').inputValue(), '')
    await page.keyboard.press('F2')
    const dialog = page.getByRole('dialog', { name: 'Keys, above, Wed 24 Mar 2027' })
    await dialog.getByRole('region', { name: 'Entry of 3 h' }).getByLabel('Note').fill('Noted by keys')
    await statusAfter(page, () => page.keyboard.press('Enter'))
    await page.keyboard.press('Escape')
    await page.locator('[title="Noted by keys"]:focus').waitFor()
  })

  test('keeps the focus in a cell when Shift and an arrow key change the selection', async () => {
    await plan('2027-03-29', '2027-04-02', 'Selected')
    const page = await open('2027-03-29')
    const tuesday = cell(page, 'Selected, Tue 30 Mar 2027')
    await tuesday.fill('12')
    // The whole text is selected, as when the cell gets the focus.
    await tuesday.selectText()
    for (const key of ['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown'])
      await page.keyboard.press(key)
    await page.locator('[aria-label="Selected, Tue 30 Mar 2027"]:focus').waitFor()
    await tuesday.selectText()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.type('7')
    assert.equal(await tuesday.inputValue(), '72')
    await tuesday.press('Escape')
  })

  test('shows several entries of a cell as their sum', async () => {
    const id = await plan('2027-04-05', '2027-04-09', 'Twice a day')
    await record(id, '2027-04-06', 1.25, 'In the morning')
    await record(id, '2027-04-06', 2, 'In the afternoon')
    await record(await plan('2027-04-12', '2027-04-16', 'Planned later'), '2027-04-05', 0.5)
    const page = await open('2027-04-05')
    // A row that is not planned in this week has only its recorded hours, and the day on which its work ends.
    const later = page.getByRole('row', { name: 'Planned later' })
    await later.locator('.week-total').getByText('0.5 h', { exact: true }).waitFor()
    await later.getByText('9.5 of 10 h left · ends 16 Apr 2027').waitFor()
    const tuesday = cell(page, 'Twice a day, Tue 6 Apr 2027, 2 entries')
    assert.equal(await tuesday.inputValue(), '3.25')
    const dialog = page.getByRole('dialog')
    for (const key of ['Shift+Enter', 'Control+Enter', 'Alt+Enter']) {
      await tuesday.press(key)
      await page.evaluate(() => new Promise(requestAnimationFrame))
      assert.equal(await dialog.count(), 0, key)
    }
    await tuesday.press('Enter')
    const morning = dialog.getByRole('region', { name: 'Entry of 1.25 h' })
    await morning.getByLabel('Hours').fill('1:45')
    await statusAfter(page, () => morning.getByRole('button', { name: 'Save' }).click())
    await dialog.getByRole('region', { name: 'Entry of 1.75 h' }).waitFor()
    const newEntry = dialog.getByRole('region', { name: 'New entry' })
    await newEntry.getByRole('button', { name: 'Add' }).click()
    await newEntry.getByText('Hours is required.').waitFor()
    await newEntry.getByLabel('Hours').fill('0.5')
    await statusAfter(page, () => newEntry.getByRole('button', { name: 'Add' }).click())
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('row', { name: 'Total' }).getByText('4.25', { exact: true }).first().waitFor()
  })

  test('copies the last week after a preview, with Undo', async () => {
    const id = await plan('2027-05-03', '2027-05-14', 'Every week', 20)
    await record(id, '2027-05-03', 3, 'Planning')
    await record(id, '2027-05-05', 2)
    await record(id, '2027-05-12', 1)
    const page = await open('2027-05-10')
    await page.getByRole('button', { name: 'Copy last week…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy last week' })
    const occupiedDay = dialog.getByRole('checkbox', { name: /Wed 12 May 2027/ })
    await dialog.getByText('This day already has an entry.').waitFor()
    assert.equal(await occupiedDay.isChecked(), false)
    assert.match(
      (await dialog.getByRole('listitem').first().textContent()) ?? '',
      /Mon 10 May 2027.*Every week.*3 h.*Planning/,
    )
    await dialog.getByRole('button', { name: 'Create 1 entry, 3 h' }).click()
    await page.getByText('1 entry copied from last week.').waitFor()
    await page.getByRole('row', { name: 'Total' }).getByText('4/10 h').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: 'Total' }).getByText('1/10 h').waitFor()
  })

  test("shows another user's assignment after it was added", async () => {
    const { workspace } = setup()
    await workspace.assignment('Borrowed work', {
      startDate: '2027-06-07',
      endDate: '2027-06-11',
      userId: workspace.jonas.id,
    })
    const page = await open('2027-06-07')
    await page.getByText('Nothing is planned for this week').waitFor()
    await page.getByRole('combobox', { name: 'Add an assignment' }).fill('borrowed')
    await page.getByRole('option', { name: 'Borrowed work · Website relaunch' }).click()
    await cell(page, 'Borrowed work, Mon 7 Jun 2027').fill('1')
    await statusAfter(page, () => page.keyboard.press('Enter'))
    await page.getByRole('button', { name: 'Next week' }).click()
    await page.waitForURL('**/week?week=2027-06-14')
    await page.getByText('Nothing is planned for this week').waitFor()
    await page.goBack()
    await page.getByRole('row', { name: 'Borrowed work' }).getByText('1/8 h').waitFor()
    await page.getByRole('button', { name: 'This week' }).click()
    await page.waitForURL((url) => url.search === '')
  })

  test('lets only administrators enter hours of other users', async () => {
    const { signIn, workspace } = setup()
    await plan('2027-07-12', '2027-07-16', 'Entered for another')
    const address = `/week?week=2027-07-12&person=${workspace.mara.id}`
    const page = await signIn('root@example.com', address)
    const heading = page.getByRole('heading', { name: 'Week', exact: true })
    await heading.waitFor()
    // The choice of the person is next to the heading, and names the shown one.
    const end = (box: typeof never | null) => (box ?? never).x + (box ?? never).width
    const person = page.getByRole('combobox', { name: 'Person' })
    await until(async () => (await person.inputValue()) === 'Mara Lindqvist', 'the name of the person')
    const picker = await person.boundingBox()
    assert.ok((picker ?? never).x - end(await heading.boundingBox()) < 30)
    await cell(page, 'Entered for another, Mon 12 Jul 2027').fill('8')
    assert.equal(await statusAfter(page, () => page.keyboard.press('Enter')), 200)
    const other = await signIn('jonas@example.com', address)
    await other.getByRole('heading', { name: 'My week' }).waitFor()
    await other.getByText('Nothing is planned for this week').waitFor()
    assert.equal(await other.getByRole('combobox', { name: 'Person' }).count(), 0)
  })

  test('keeps hours that are typed in an outage', async () => {
    await plan('2027-09-06', '2027-09-10', 'Offline work')
    const page = await open('2027-09-06')
    const monday = cell(page, 'Offline work, Mon 6 Sep 2027')
    await monday.waitFor()
    await page.context().setOffline(true)
    await monday.fill('6')
    await page.keyboard.press('Enter')
    await page.getByText('Waits for the network', { exact: true }).waitFor()
    await page.getByText(/^(You are offline|Offline\. Showing)/).waitFor()
    assert.equal(await monday.inputValue(), '6')
    await page.context().setOffline(false)
    await page.getByText('Waits for the network', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'Total' }).getByText('6', { exact: true }).first().waitFor()
  })

  test('shows one day at a time on a phone', async () => {
    await plan('2027-08-02', '2027-08-06', 'On the way')
    const { signIn } = setup()
    const page = await signIn('mara@example.com', '/week?week=2027-08-02', {
      viewport: { width: 390, height: 800 },
    })
    await page.getByRole('button', { name: 'Wed 4' }).click()
    await page.getByRole('heading', { name: 'Wednesday 4 August' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: /On the way/ }).count(), 1)
    // The hours are at the end of the row, next to the name and above the sum of the week.
    const boxOf = async (selector: string) =>
      (await page.locator(`.week-row ${selector}`).first().boundingBox()) ?? never
    const name = await boxOf('a')
    const field = await boxOf('input')
    const sum = await boxOf('.week-total')
    assert.ok(name.width > 180 && name.x + name.width <= field.x, `the name is ${name.width} wide`)
    assert.ok(field.x + field.width > 360 && field.height >= 44, `the hours end at ${field.x + field.width}`)
    assert.ok(name.y < field.y + field.height && sum.y >= field.y + field.height)
    // A name on one line has the middle of its field, and the heading of the day has its sum.
    const middle = ({ y, height }: typeof never) => y + height / 2
    assert.ok(Math.abs(middle(name) - middle(field)) < 2, `${middle(name)}, the field ${middle(field)}`)
    await page.locator('.week-day').getByText('0 h', { exact: true }).waitFor({ state: 'attached' })
    await cell(page, 'On the way, Wed 4 Aug 2027').fill('2')
    assert.equal(await statusAfter(page, () => page.keyboard.press('Enter')), 200)
    await page.getByRole('button', { name: 'Wed 4 2' }).waitFor()
    // An arrow key moves to the next day, as in the wide table.
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await page.locator('[aria-label="On the way, Thu 5 Aug 2027"]:focus').waitFor()
    await page.keyboard.type('3')
    await page.keyboard.press('Home')
    assert.equal(await statusAfter(page, () => page.keyboard.press('ArrowLeft')), 200)
    await page.locator('[aria-label="On the way, Wed 4 Aug 2027"]:focus').waitFor()
    await page.getByRole('button', { name: 'Thu 5 3' }).waitFor()
  })
}
