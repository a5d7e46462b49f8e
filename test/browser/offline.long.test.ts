import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { until } from '../support/until.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { type BrowserSetup, fillSignIn } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

const withWorker = { serviceWorkers: 'allow' } as const
const phone = { ...withWorker, viewport: { width: 390, height: 780 }, hasTouch: true }

/** Waits until the service worker has stored the files of the client. */
async function waitForWorker(page: Page): Promise<void> {
  await page
    .getByLabel('Password')
    .or(page.getByRole('button', { name: /^Account of/ }))
    .waitFor()
  const state = `navigator.serviceWorker.ready.then(({ active }) => active.state)`
  await until(async () => (await page.evaluate(state)) === 'activated', 'the service worker')
}

function installationJourneys(setup: () => BrowserSetup): void {
  test('the client is one that browsers can install', async () => {
    const page = await setup().visit('/projects')
    await page.getByLabel('Password').waitFor()
    const browser = await page.context().newCDPSession(page)
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors')
    assert.deepEqual(installabilityErrors, [])
    const { url, errors } = await browser.send('Page.getAppManifest')
    assert.equal(url, `${setup().hosts.web}/manifest.webmanifest`)
    assert.deepEqual(errors, [])
  })

  test('the window of the installed client has the colour of the theme', async () => {
    const page = await setup().signIn('mara@example.com', '/projects', { colorScheme: 'light' })
    const colour = () =>
      page.evaluate(
        `[...document.querySelectorAll('meta[name=theme-color]')].find((meta) => matchMedia(meta.media).matches).content`,
      )
    assert.equal(await colour(), '#fbfcfd')
    const choose = async (name: string) => {
      await page.getByRole('button', { name: /^Account of / }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await choose('Use dark theme')
    await page.locator('html[data-theme=dark]').waitFor()
    assert.equal(await colour(), '#101214')
    await page.reload()
    assert.equal(await colour(), '#101214')
    await choose('Use light theme')
    await page.locator('html[data-theme=light]').waitFor()
  })

  test('a page opens without a network', async () => {
    const page = await setup().visit('/projects', withWorker)
    await waitForWorker(page)
    await page.context().setOffline(true)
    await page.goto(`${setup().hosts.web}/week`)
    await page.getByText('The sign-in service cannot be reached.').waitFor()
  })

  test('a new version deletes the files of versions before the previous one', async () => {
    const page = await setup().visit('/icon.svg', withWorker)
    await page.evaluate(
      `Promise.all(['tracker-files-1', 'tracker-files-2', 'other'].map((name) => caches.open(name)))`,
    )
    await page.goto(`${setup().hosts.web}/projects`)
    await waitForWorker(page)
    const names = await page.evaluate<string[]>(`caches.keys()`)
    assert.deepEqual(names.slice(0, 2), ['tracker-files-2', 'other'])
    assert.equal(names.length, 3)
  })
}

/** In the week that the page shows first. */
const today = new Date().toISOString().slice(0, 10)

/** Evaluates to the keys of the content that this browser stores for accounts. */
const storedKeys = `new Promise((resolve) => {
  const request = indexedDB.open('tracker', 1)
  request.onsuccess = () => {
    const keys = request.result.transaction('seen').objectStore('seen').getAllKeys()
    keys.onsuccess = () => {
      request.result.close()
      resolve(keys.result)
    }
  }
})`

/**
 * Opens each page, and waits until its content is stored. `keyPrefixes` maps the path of a page to the
 * beginnings of the keys of its content.
 */
async function storePages(
  page: Page,
  keyPrefixes: Readonly<Record<string, readonly string[]>>,
  text: string,
): Promise<void> {
  await waitForWorker(page)
  for (const [path, prefixes] of Object.entries(keyPrefixes)) {
    await page.goto(new URL(path, page.url()).href)
    await page.getByText(text).first().waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const areStored = async () => {
      const keys = await page.evaluate<string[][]>(storedKeys)
      return prefixes.every((prefix) => keys.some(([, key]) => key?.startsWith(prefix)))
    }
    await until(areStored, `the values of ${path}`)
  }
}

function storedContentJourneys(setup: () => BrowserSetup): void {
  for (const { device, firstName, options } of [
    { device: 'a desktop', firstName: 'Desideria', options: withWorker },
    { device: 'a phone', firstName: 'Philippa', options: phone },
  ])
    test(`board, my work and week show their last content on ${device} while the servers are down`, async () => {
      const { hosts, signIn, workspace } = setup()
      const { id: userId, login } = await workspace.join(`${firstName} Offline`)
      const assignmentName = `Seen before the tunnel on ${device}`
      const id = await workspace.assignment(assignmentName, { userId, startDate: today, endDate: today })
      const board = `/projects/${workspace.projectId}`
      const panel = `${board}/assignments/${id}`
      const keyPrefixes = {
        [board]: [`assignment {"projectId":"${workspace.projectId}","workflowId":"${workspace.stages.Done}"`],
        [panel]: [`dependencies dependencies ${id}`, `assignment {"ids":"${id}"}`, 'attachment '],
        '/my-work': ['my work '],
        '/week': ['week recorded '],
      }
      const page = await signIn(login, '/my-work', options)
      await storePages(page, keyPrefixes, assignmentName)
      await hosts.stopAll()
      try {
        for (const path of Object.keys(keyPrefixes)) {
          await page.goto(hosts.web + path)
          await page.getByText(/^Offline\. Showing what you saw at .*\d/).waitFor()
          await page.getByText(assignmentName).first().waitFor()
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        }
        await page.evaluate(
          `localStorage.setItem('tracker.session', JSON.stringify({ ...JSON.parse(localStorage.getItem('tracker.session')), expiresAt: 0 }))`,
        )
        await page.reload()
        await page.getByText(assignmentName).first().waitFor()
      } finally {
        await hosts.startAll()
      }
      await workspace.assignment('Made in the tunnel', { userId, startDate: today, endDate: today })
      await page.getByText('Made in the tunnel').first().waitFor()
      await page.getByText(/^Offline/).waitFor({ state: 'detached' })
    })

  test('without a network, assignments, views and projects that were not opened say so, and assignments show what lists know', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Ursula Unopened')
    const name = 'Only seen as a card'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const { organizationId } = workspace
    const { id: otherId } = await workspace.make('project', { name: 'Never opened', organizationId })
    await workspace.make('userProject', { projectId: otherId, userId })
    const otherName = 'Only seen in My work'
    const dates = { startDate: today, endDate: today }
    const listedId = await workspace.assignment(otherName, { userId, projectId: otherId, ...dates })
    const page = await signIn(login, '/my-work', withWorker)
    const board = `/projects/${workspace.projectId}`
    const stored = [
      `assignment {"projectId":"${workspace.projectId}","workflowId":"${workspace.stages.Done}"`,
    ]
    await storePages(page, { '/my-work': ['my work ', 'workflow '], [board]: stored }, name)
    const note = page.getByText('Without a network, only what you opened before is available.')
    const panel = page.getByRole('complementary')
    await hosts.stopAll()
    try {
      for (const view of ['', '?view=list']) {
        await page.goto(`${hosts.web}/projects/${otherId}${view}`)
        await page.getByRole('heading', { name: 'Offline', level: 1 }).waitFor()
        await note.waitFor()
        await page.getByText(/Showing what you saw/).waitFor({ state: 'detached' })
      }
      for (const view of ['list', 'calendar', 'timeline']) {
        await page.goto(`${hosts.web}${board}?view=${view}`)
        await note.waitFor()
        assert.equal(await page.locator('.shown-count, .list, .calendar, .timeline-track').count(), 0, view)
      }
      await page.goto(`${hosts.web}/my-work`)
      await page.getByRole('link', { name: otherName }).press('s')
      await page.getByRole('dialog').getByRole('option', { name: 'Doing' }).click()
      await page.getByText('One change waits for the network.').waitFor()
      await page.getByRole('link', { name: otherName }).click()
      await panel.getByLabel('Name', { exact: true }).waitFor()
      assert.equal(await panel.getByLabel('Stage', { exact: true }).inputValue(), workspace.stages.Doing)
      // On a phone, a message about a move covers no button.
      await page.setViewportSize({ width: 390, height: 780 })
      await panel.getByLabel('Stage', { exact: true }).selectOption('Done')
      await page.getByText(`${otherName}: saved here, and sent once there is a network.`).waitFor()
      const isUncovered = await panel.getByRole('button', { name: 'Try again' }).evaluate((button) => {
        const { x, top, bottom, width } = button.getBoundingClientRect()
        return [top + 1, bottom - 1].every((y) => document.elementFromPoint(x + width / 2, y) === button)
      })
      assert.ok(isUncovered)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(hosts.web + board)
      await page.getByRole('link', { name }).click()
      await panel.getByLabel('Name', { exact: true }).waitFor()
      assert.equal(await panel.getByLabel('Stage', { exact: true }).inputValue(), workspace.stages.Backlog)
      await note.waitFor()
      await panel.getByRole('button', { name: 'Try again' }).waitFor()
      await panel.getByRole('button', { name: 'Record hours' }).click()
      await page.keyboard.type('2\n')
      await panel.getByText('2 h ·').waitFor()
      // The hours of others are unknown, so there is no sum.
      assert.equal(await panel.locator('.time-sum').count(), 0)
    } finally {
      await hosts.startAll()
    }
    await panel.getByText(/^2 h (of|recorded)/).waitFor()
    await note.first().waitFor({ state: 'detached' })
    await page.getByText(/waits? for the network/i).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).name, name)
    assert.equal((await workspace.get('assignment', listedId)).workflowId, workspace.stages.Done)
  })

  test('signing out deletes all stored content', async () => {
    const { signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Sina Signout')
    await workspace.assignment('Seen by Sina', { userId })
    const page = await signIn(login, '/my-work', withWorker)
    await storePages(page, { '/my-work': ['my work '] }, 'Seen by Sina')
    assert.notDeepEqual(await page.evaluate(storedKeys), [])
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(await page.evaluate(storedKeys), [])
  })

  test('the end of a session deletes all stored content', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Ena Ended')
    const other = await workspace.join('Otto Other')
    await workspace.assignment('Seen by Ena', { userId })
    const page = await signIn(login, '/my-work', withWorker)
    await storePages(page, { '/my-work': ['my work '] }, 'Seen by Ena')
    const storedBefore = await page.evaluate<string[][]>(storedKeys)
    assert.deepEqual([...new Set(storedBefore.map(([account]) => account))], [userId])
    await page.context().clearCookies()
    const otherTab = await page.context().newPage()
    await otherTab.goto(`${hosts.web}/icon.svg`)
    await otherTab.evaluate(`localStorage.setItem('tracker.session', JSON.stringify({ hasEnded: true }))`)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await until(
      async () => (await page.evaluate<unknown[]>(storedKeys)).length === 0,
      'the deletion of stored content',
    )
    await page.close()
    await otherTab.goto(`${hosts.web}/my-work`)
    await fillSignIn(otherTab, other.login)
    await otherTab.getByText('Nothing to do').waitFor()
    await until(
      async () => (await otherTab.evaluate<string[][]>(storedKeys)).some(([account]) => account === other.id),
      'the values of the other account',
    )
    assert.ok(!(await otherTab.evaluate<string[][]>(storedKeys)).some(([account]) => account === userId))
  })
}

function queueJourneys(setup: () => BrowserSetup): void {
  test('moves and hours that are entered offline are sent once when the network is back', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Quinn Queue')
    const name = 'Worked on in the tunnel'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const board = `/projects/${workspace.projectId}`
    const page = await signIn(login, '/my-work', phone)
    const panel = `${board}/assignments/${id}`
    await storePages(
      page,
      {
        [board]: [`assignment {"projectId":"${workspace.projectId}","workflowId":"${workspace.stages.Done}"`],
        [panel]: [`dependencies dependencies ${id}`, `assignment {"ids":"${id}"}`, 'attachment '],
        '/week': ['week recorded '],
        '/my-work': ['my work '],
      },
      name,
    )
    await hosts.stopAll()
    try {
      await page.reload()
      await page.getByText(/^Offline/).waitFor()
      await page.getByRole('button', { name: `Record hours for ${name}` }).click()
      await page.getByLabel(`Hours today for ${name}`).fill('1.5')
      await page.keyboard.press('Enter')
      await page.getByText('Waits for the network', { exact: true }).waitFor()
      await page.getByLabel(`Stage of ${name}`).selectOption('Doing')
      await page.getByText('2 changes wait for the network.').waitFor()
      await page.goto(hosts.web + panel)
      await page.getByRole('complementary').getByText('Waits for the network', { exact: true }).waitFor()
      const stage = page.getByLabel('Stage', { exact: true })
      assert.equal(await stage.inputValue(), workspace.stages.Doing)
      for (const other of ['Done', 'Doing']) await stage.selectOption(other)
      await page.getByText(`${name}: saved here, and sent once there is a network.`).waitFor()
      // A message stays while its button has the focus.
      await page.getByRole('button', { name: 'Undo' }).focus()
      // The end of the panel can be scrolled above the message.
      await page.getByRole('complementary').getByRole('button', { name: 'Try again' }).click()
      await page.goto(`${hosts.web}/week`)
      const cell = page.getByRole('textbox', { name })
      await cell.waitFor()
      assert.equal(await cell.inputValue(), '1.5')
      await page.getByText('6.5 of 8 h left').waitFor()
      await cell.fill('2')
      await page.keyboard.press('Enter')
      await page.goto(`${hosts.web}/my-work`)
      await page.getByRole('link', { name: /^2 (h|of 8 h) today$/ }).waitFor()
      await page.goto(hosts.web + board)
      const doing = page.getByRole('region', { name: 'Doing' })
      await doing.getByRole('link', { name }).waitFor()
      await doing.getByText('Waits for the network', { exact: true }).waitFor()
    } finally {
      await hosts.startAll()
    }
    await page.getByText('Waits for the network', { exact: true }).waitFor({ state: 'detached' })
    await page.getByText(/wait for the network/).waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    const hours = await hosts.database.query<{ amount: number }>(
      sql`select amount_hours::float as amount from appointments where assignment_id = ${id}`,
    )
    assert.deepEqual(hours, [{ amount: 2 }])
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name }).waitFor()
  })

  test('without a network, the lists of values and the palette offer the stages, and queue the move', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Stella Steps')
    const name = 'Moved by keys in the tunnel'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const page = await signIn(login, `/projects/${workspace.projectId}/assignments/${id}`, withWorker)
    const seen = {
      [new URL(page.url()).pathname]: [`assignment {"ids":"${id}"}`, 'projectStage ', 'workflow '],
    }
    await storePages(page, seen, name)
    const stage = page.getByLabel('Stage', { exact: true })
    await hosts.stopAll()
    try {
      await page.reload()
      await page.getByText(/^Offline/).waitFor()
      const panel = page.getByRole('complementary')
      await panel.getByText('Activity').waitFor()
      for (const [key, stageName] of [
        ['s', 'Doing'],
        ['Control+k', 'Done'],
      ] as const) {
        await page.keyboard.press(key)
        if (key !== 's') {
          await page.keyboard.type('move to a stage')
          await page.getByRole('option', { name: /^Move to a stage/ }).click()
          await page.getByRole('group', { name, exact: true }).waitFor()
        }
        await page.getByRole('dialog').getByRole('option', { name: stageName }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await page.getByText('One change waits for the network.').waitFor()
        await until(
          async () => (await stage.inputValue()) === workspace.stages[stageName],
          `the move to ${stageName}`,
        )
      }
      await page.keyboard.press('p')
      await page.getByText('Without a network, you can only change the stage and record hours.').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.getByRole('region', { name: 'Done' }).getByRole('link', { name }).press('s')
      await page.getByRole('dialog').getByRole('option', { name: 'Doing' }).click()
    } finally {
      await hosts.startAll()
    }
    await page
      .getByText(/waits? for the network/i)
      .first()
      .waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
  })

  test('hours whose response was lost are recorded only once', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Lola Lostanswer')
    const name = 'Answered into the void'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const page = await signIn(login, '/my-work')
    await page.getByLabel(`Stage of ${name}`).selectOption('Doing')
    await page.getByText(`${name} is now in Doing.`).waitFor()
    let isLost = false
    await page.route(`${hosts.api}/api/appointment`, async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.fallback()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: `Record hours for ${name}` }).click()
    await page.getByLabel(`Hours today for ${name}`).fill('3')
    await page.keyboard.press('Enter')
    await page.getByText('Waits for the network', { exact: true }).waitFor()
    await page.getByText('Waits for the network', { exact: true }).waitFor({ state: 'detached' })
    const hours = await hosts.database.query<{ amount: number }>(
      sql`select amount_hours::float as amount from appointments where assignment_id = ${id}`,
    )
    assert.deepEqual(hours, [{ amount: 3 }])
    // The message about the queued hours is gone, so the keys undo the change before them.
    await page.keyboard.press('Control+z')
    await page.getByText(`Undone: “${name} is now in Doing.”`).waitFor()
  })

  test('the undo of a move that is just being sent says that the move stays', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Lars Latecomer')
    const name = 'Moved at the last second'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const page = await signIn(login, '/my-work')
    await page.getByLabel(`Stage of ${name}`).waitFor()
    await page.context().setOffline(true)
    await page.getByLabel(`Stage of ${name}`).selectOption('Doing')
    await page.getByText(`${name}: saved here, and sent once there is a network.`).waitFor()
    const [held, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`${hosts.api}/ext/assignment`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      isHeld.resolve()
      await held.promise
      await route.fallback()
    })
    await page.context().setOffline(false)
    await isHeld.promise
    await page.keyboard.press('Control+z')
    await page.getByText(`${name}: the change was withdrawn.`).waitFor()
    held.resolve()
    await page.getByText(`${name} stays as it is.`).waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
  })

  test('a move that conflicts with a move by another user is reported', async () => {
    const { signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Olaf Overtaken')
    const name = 'Moved by two'
    const id = await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const page = await signIn(login, '/my-work')
    await page.getByLabel(`Stage of ${name}`).waitFor()
    await page.context().setOffline(true)
    await page.getByLabel(`Stage of ${name}`).selectOption('Doing')
    await page.getByText('One change waits for the network.').waitFor()
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', id)),
      workflowId: workspace.stages.Done,
    })
    await page.context().setOffline(false)
    await page.getByText('One change was not accepted.').waitFor()
    await page.getByRole('button', { name: 'Show the changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changes that were not sent' })
    await dialog.getByText('Someone else has moved it to another stage in the meantime.').waitFor()
    await assertAccessible(page, 'the changes that were not sent')
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
    await dialog.getByRole('button', { name: `Send again: ${name}` }).click()
    await dialog.getByText('No change is waiting.').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
  })

  test('signing out asks before it discards changes', async () => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Tessa Together')
    const other = await workspace.join('Ugo Unaware')
    const name = 'Discarded at the end'
    await workspace.assignment(name, { userId, startDate: today, endDate: today })
    const page = await signIn(login, '/my-work')
    await page.getByLabel(`Stage of ${name}`).waitFor()
    await page.context().setOffline(true)
    await page.getByLabel(`Stage of ${name}`).selectOption('Doing')
    await page.getByText('One change waits for the network.').waitFor()
    // The server rejects the change, so that it stays queued.
    await page.route(`${hosts.api}/ext/assignment*`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({
            status: 403,
            headers: { 'access-control-allow-origin': hosts.web },
            json: { statusCode: 403, message: 'You are not allowed to do this.' },
          })
        : route.fallback(),
    )
    await page.context().setOffline(false)
    await page.getByText('One change was not accepted.').waitFor()
    await page.evaluate(
      `localStorage.setItem('tracker.queue.${other.id}.made-by-another', '{"kind":"stage","assignmentId":"1","to":{"id":"1","name":"x"},"assignment":{"id":"1","name":"Of another","projectId":"1"},"at":1,"problem":"x"}')`,
    )
    await page.reload()
    await page.getByText('One change was not accepted.').waitFor()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changes that were not sent' })
    await dialog.getByText('They are lost when you sign out.').waitFor()
    await dialog.getByRole('button', { name: 'Discard them and sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(
      await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('tracker.queue.'))`),
      [`tracker.queue.${other.id}.made-by-another`],
    )
  })
}

describeInBrowser('Without a network', {
  'after an installation': installationJourneys,
  'with stored content': storedContentJourneys,
  'with queued changes': queueJourneys,
})
