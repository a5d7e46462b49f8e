import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'

export function inboxJourneys(setup: () => BrowserSetup): void {
  test('counts notifications live, and marks them as read', async () => {
    const { hosts, signIn, workspace } = setup()
    const { mara, make } = workspace
    const inga = await workspace.join('Inga Brandt')
    const page = await signIn('inga@example.com', '/inbox?show=unread')
    await page.getByText('No unread notifications').waitFor()
    // In an empty inbox, the filters are hidden as soon as none of them is set.
    await page.getByRole('button', { name: 'Everything' }).click()
    await page.getByText('Nothing here yet').waitFor()
    await page.getByRole('button', { name: 'Unread' }).waitFor({ state: 'hidden' })
    await page.goto(`${hosts.web}/inbox?show=unread`)

    const values = { userId: inga.id, startDate: '2099-01-05', endDate: '2099-01-09' }
    const painted = await workspace.assignment('Paint the hull', values)
    const welded = await workspace.assignment('Weld the ladder', values)
    const bell = page.getByRole('banner').getByRole('link', { name: /^Inbox/ })
    const inbox = page.getByRole('list', { name: 'Inbox' })
    const row = (name: string) => inbox.locator('li.row').filter({ hasText: name })
    await row('Weld the ladder').getByText('Rosa Root assigned it to you').waitFor()
    await make('comment', { text: 'Blue, please\nThe lighter one', assignmentId: painted, userId: mara.id })
    // The notification names who made the change, Rosa, not the author of the comment.
    await row('Paint the hull').getByText('Rosa Root commented').waitFor()
    await row('Paint the hull').getByText('Blue, please', { exact: true }).waitFor()
    // A row shows its newest notification, and the others on request.
    const texts = row('Paint the hull').locator('.inbox-text')
    assert.deepEqual(
      (await texts.allTextContents()).map((text) => text.trim()),
      ['Rosa Root commented'],
    )
    const earlier = row('Paint the hull').getByRole('button', { name: '1 earlier change' })
    await earlier.click()
    await texts.nth(1).waitFor()
    assert.equal((await texts.nth(1).textContent())?.trim(), 'Rosa Root assigned it to you')
    await earlier.click()
    await texts.nth(1).waitFor({ state: 'detached' })
    // On this page, the bell looks selected, like an entry of the navigation on its page.
    const surface = await bell.evaluate((element) => getComputedStyle(element).backgroundColor)
    assert.notEqual(surface, 'rgba(0, 0, 0, 0)')
    // A row shows assignment, project, time and text. The project is a color with its name as a tooltip.
    const key = row('Paint the hull').getByTitle('Website relaunch')
    await key.getByText(/^[A-Z]+-\d+$/).waitFor()
    await key.locator('.project-mark').waitFor()
    const time = row('Paint the hull').locator('time').first()
    assert.match((await time.textContent()) ?? '', /^\d min$/)
    assert.match((await time.getAttribute('title')) ?? '', /\d{4}/)
    assert.equal(await row('Paint the hull').count(), 1)
    // Rows are below the day of their newest notification.
    await hosts.database.query(sql`
      update notifications set at = at - interval '3 days' where assignment_id = ${welded}`)
    await page.reload()
    await inbox.getByRole('heading').nth(1).waitFor()
    assert.equal(
      await inbox.getByRole('list').filter({ hasText: 'Weld the ladder' }).getByRole('link').count(),
      1,
    )
    await page.getByRole('link', { name: 'Inbox: 3 unread' }).waitFor()
    // The last known number stays without an answer.
    await page.route(/\/ext\/notifications\?/, (route) => route.abort())
    await page.reload()
    await page.getByRole('link', { name: 'Inbox: 3 unread' }).waitFor()
    await page.unrouteAll()
    await page.reload()

    // The row leaves the list of unread notifications, and the next row gets the focus.
    await inbox.getByRole('link', { name: 'Paint the hull' }).press('e')
    await row('Paint the hull').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Inbox: 1 unread' }).waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent === 'Weld the ladder')
    await page.getByRole('button', { name: 'Everything' }).click()
    await inbox.getByRole('link', { name: 'Paint the hull' }).press('u')
    await page.getByRole('link', { name: 'Inbox: 3 unread' }).waitFor()
    await page.keyboard.press('j')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Weld the ladder')
    // The assignment is opened next to the list, stays there after a reload, and Escape returns to its row.
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Weld the ladder' })
    await panel.waitFor()
    await page.getByRole('link', { name: 'Inbox: 2 unread' }).waitFor()
    await page.reload()
    await panel.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await inbox.getByRole('link', { name: 'Weld the ladder' }).waitFor()
    await panel.getByRole('heading', { name: 'Weld the ladder' }).press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Weld the ladder')
    await page.getByText('Choose a notification').waitFor()
    await page.keyboard.press('Enter')
    await panel.waitFor()
    // Keys act on the open assignment, and on that of the focused row.
    await panel.getByRole('heading', { name: 'Weld the ladder' }).focus()
    await page.keyboard.press('s')
    await page.getByRole('dialog').getByRole('option', { name: 'Doing' }).click()
    await page.getByText('Weld the ladder is now in Doing.').waitFor()
    await panel.getByRole('heading', { name: 'Weld the ladder' }).focus()
    await page.keyboard.press('F2')
    await panel.locator('.panel-name:focus').waitFor()
    await page.keyboard.press('Escape')
    // The focus returns to the row later, when the step of the history is undone.
    await panel.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Weld the ladder')
    await inbox.getByRole('link', { name: 'Paint the hull' }).press('p')
    await page.getByRole('dialog').getByRole('option', { name: 'High' }).click()
    await page.getByText('Paint the hull · High').waitFor()
    await inbox.getByRole('link', { name: 'Paint the hull' }).press('F2')
    await page.getByRole('complementary', { name: 'Paint the hull' }).locator('.panel-name:focus').waitFor()
    // Leaving earlier could abort the request that marks it as read.
    await page.getByRole('banner').getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    await page.goto(`${hosts.web}/inbox`)
    await inbox.getByRole('link', { name: 'Paint the hull' }).press('u')
    await page.getByRole('link', { name: 'Inbox: 2 unread' }).waitFor()
    await inbox.getByRole('link', { name: 'Weld the ladder' }).press('Enter')
    await panel.waitFor()
    // Headings, which cover what scrolls below them, end at a whole pixel, where the edge of their list begins.
    const { height: headingHeight } = (await page.locator('.change-day > h2').first().boundingBox()) ?? {}
    assert.equal(headingHeight, 32)
    // A narrow window leads to the project.
    await page.setViewportSize({ width: 1024, height: 800 })
    await panel.waitFor({ state: 'detached' })
    await inbox.getByRole('link', { name: 'Weld the ladder' }).click()
    await page.waitForURL(`**/assignments/${welded}`)
    await page.setViewportSize({ width: 1280, height: 800 })

    // The responsible user turns notifications off.
    await page.getByRole('button', { name: 'Watch', pressed: true }).click()
    await page.getByText('You are no longer notified about this assignment.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Watch', pressed: false }).waitFor()

    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.waitForURL('**/inbox')
    await page.getByLabel('All kinds').selectOption('Comments')
    await row('Weld the ladder').waitFor({ state: 'detached' })
    await row('Paint the hull').getByText('commented').waitFor()
    await row('Paint the hull').getByText('assigned it to you').waitFor({ state: 'detached' })
    await page.goto(`${hosts.web}/inbox`)
    const markAll = page.getByRole('button', { name: 'Mark all as read' })
    await markAll.waitFor()
    await resize(page, 390, 800)
    // On a phone, the time is at the end of the first line, and the key is alone in the second.
    await key.waitFor()
    const [timeBox, keyBox, textBox] = [
      await time.boundingBox(),
      await key.boundingBox(),
      await texts.first().boundingBox(),
    ]
    assert.ok(timeBox && keyBox && textBox && timeBox.y + timeBox.height <= keyBox.y + 1)
    assert.ok(keyBox.x <= textBox.x && keyBox.y + keyBox.height <= textBox.y + 1)
    // The button is next to the title.
    const tops = [page.getByRole('heading', { name: 'Inbox' }), markAll].map((part) => part.boundingBox())
    const [title, button] = await Promise.all(tops)
    assert.ok(title && button && title.y < button.y + button.height && button.y < title.y + title.height)
    await markAll.click()
    await page.getByRole('banner').getByRole('link', { name: 'Inbox', exact: true }).waitFor()

    // A server without mail offers no choice of mails. The account page explains why.
    assert.equal(await page.getByRole('link', { name: 'Choose what is mailed' }).count(), 0)
    await page.goto(`${hosts.web}/account`)
    const choices = page.getByRole('region', { name: 'Notifications' })
    await choices.getByText('This server sends no mail. Your notifications are in your inbox.').waitFor()
    assert.equal(await choices.getByRole('combobox').count(), 0)
  })
}
