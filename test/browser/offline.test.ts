import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import { fillSignIn, type Stage } from './support/stage.ts'

const withWorker = { serviceWorkers: 'allow' } as const

/** Waits until the worker has kept the files of the client. */
async function waitForWorker(page: Page): Promise<void> {
  await page
    .getByLabel('Password')
    .or(page.getByRole('button', { name: /^Account of/ }))
    .waitFor()
  const state = `navigator.serviceWorker.ready.then(({ active }) => active.state)`
  await until(async () => (await page.evaluate(state)) === 'activated', 'the service worker')
}

function installationJourneys(stage: () => Stage): void {
  test('nothing keeps the client from being installed', async () => {
    const page = await stage().visit('/projects')
    await page.getByLabel('Password').waitFor()
    const browser = await page.context().newCDPSession(page)
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors')
    assert.deepEqual(installabilityErrors, [])
    const { url, errors } = await browser.send('Page.getAppManifest')
    assert.deepEqual([url, errors], [`${stage().hosts.web}/manifest.webmanifest`, []])
  })

  test('the window of the installed client has the colour of the theme, chosen or not', async () => {
    const page = await stage().signIn('mara@example.com', '/projects', { colorScheme: 'light' })
    const colour = () =>
      page.evaluate(
        `[...document.querySelectorAll('meta[name=theme-color]')].find((meta) => matchMedia(meta.media).matches).content`,
      )
    assert.equal(await colour(), '#fbfcfd')
    await page.getByRole('button', { name: 'Use dark theme' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    assert.equal(await colour(), '#101214')
    await page.reload()
    assert.equal(await colour(), '#101214')
    await page.getByRole('button', { name: 'Use light theme' }).click()
    await page.locator('html[data-theme=light]').waitFor()
  })

  test('a page opens without a network, and says that the server cannot be reached', async () => {
    const page = await stage().visit('/projects', withWorker)
    await waitForWorker(page)
    await page.context().setOffline(true)
    await page.goto(`${stage().hosts.web}/week`)
    await page.getByText('The sign-in service cannot be reached.').waitFor()
  })

  test('a new version replaces the files of the one before the last', async () => {
    const page = await stage().visit('/icon.svg', withWorker)
    await page.evaluate(
      `Promise.all(['tracker-files-1', 'tracker-files-2', 'other'].map((name) => caches.open(name)))`,
    )
    await page.goto(`${stage().hosts.web}/projects`)
    await waitForWorker(page)
    const names = await page.evaluate<string[]>(`caches.keys()`)
    assert.deepEqual(names.slice(0, 2), ['tracker-files-2', 'other'])
    assert.equal(names.length, 3)
  })
}

/** In the zone of the browser, so that it is in the week that the pages show. */
const today = new Date().toISOString().slice(0, 10)

/** What this browser keeps for accounts. */
const keptKeys = `new Promise((resolve) => {
  const request = indexedDB.open('tracker', 1)
  request.onsuccess = () => {
    const keys = request.result.transaction('seen').objectStore('seen').getAllKeys()
    keys.onsuccess = () => {
      request.result.close()
      resolve(keys.result)
    }
  }
})`

/** Opens the pages until each is kept, which the beginnings of keys show. */
async function lookAround(
  page: Page,
  pages: Readonly<Record<string, readonly string[]>>,
  text: string,
): Promise<void> {
  await waitForWorker(page)
  for (const [path, starts] of Object.entries(pages)) {
    await page.goto(new URL(path, page.url()).href)
    await page.getByText(text).first().waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const areKept = async () => {
      const keys = await page.evaluate<string[][]>(keptKeys)
      return starts.every((start) => keys.some(([, key]) => key?.startsWith(start)))
    }
    await until(areKept, `the values of ${path}`)
  }
}

function seenJourneys(stage: () => Stage): void {
  for (const [name, first, options] of [
    ['a desktop', 'Desideria', withWorker],
    ['a phone', 'Philippa', { ...withWorker, viewport: { width: 390, height: 780 }, hasTouch: true }],
  ] as const)
    test(`board, own work and week show on ${name} what they showed last, even while the servers are down`, async () => {
      const { hosts, signIn, workspace } = stage()
      const { id: userId, login } = await workspace.join(`${first} Offline`)
      const seen = `Seen before the tunnel on ${name}`
      const id = await workspace.assignment(seen, { userId, startDate: today, endDate: today })
      const [board, panel] = [
        `/projects/${workspace.projectId}`,
        `/projects/${workspace.projectId}/assignments/${id}`,
      ]
      const pages = {
        [board]: [`assignment {"projectId":"${workspace.projectId}","workflowId":"${workspace.stages.Done}"`],
        [panel]: [`dependencies dependencies ${id}`, `assignment {"ids":"${id}"}`, 'attachment '],
        '/my-work': ['my work '],
        '/week': ['week recorded '],
      }
      const page = await signIn(login, '/my-work', options)
      await lookAround(page, pages, seen)
      await hosts.stopAll()
      try {
        for (const path of Object.keys(pages)) {
          await page.goto(hosts.web + path)
          await page.getByText(/^Offline\. Showing what you saw at .*\d/).waitFor()
          await page.getByText(seen).first().waitFor()
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        }
        await page.evaluate(
          `localStorage.setItem('tracker.session', JSON.stringify({ ...JSON.parse(localStorage.getItem('tracker.session')), expiresAt: 0 }))`,
        )
        await page.reload()
        await page.getByText(seen).first().waitFor()
      } finally {
        await hosts.startAll()
      }
      await workspace.assignment('Made in the tunnel', { userId, startDate: today, endDate: today })
      await page.getByText('Made in the tunnel').first().waitFor()
      await page.getByText(/^Offline/).waitFor({ state: 'detached' })
    })

  test('signing out erases what was kept', async () => {
    const { signIn, workspace } = stage()
    const { id: userId, login } = await workspace.join('Sina Signout')
    await workspace.assignment('Seen by Sina', { userId })
    const page = await signIn(login, '/my-work', withWorker)
    await lookAround(page, { '/my-work': ['my work '] }, 'Seen by Sina')
    assert.notDeepEqual(await page.evaluate(keptKeys), [])
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(await page.evaluate(keptKeys), [])
  })

  test('nothing is kept of a session that has ended, nor for another account', async () => {
    const { hosts, signIn, workspace } = stage()
    const { id: userId, login } = await workspace.join('Ena Ended')
    const other = await workspace.join('Otto Other')
    await workspace.assignment('Seen by Ena', { userId })
    const page = await signIn(login, '/my-work', withWorker)
    await lookAround(page, { '/my-work': ['my work '] }, 'Seen by Ena')
    const kept = await page.evaluate<string[][]>(keptKeys)
    assert.deepEqual([...new Set(kept.map(([account]) => account))], [userId])
    await page.context().clearCookies()
    const others = await page.context().newPage()
    await others.goto(`${hosts.web}/icon.svg`)
    await others.evaluate(`localStorage.setItem('tracker.session', JSON.stringify({ hasEnded: true }))`)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await until(async () => (await page.evaluate<unknown[]>(keptKeys)).length === 0, 'the erasure')
    await page.close()
    await others.goto(`${hosts.web}/my-work`)
    await fillSignIn(others, other.login)
    await others.getByText('Nothing to do').waitFor()
    await until(
      async () => (await others.evaluate<string[][]>(keptKeys)).some(([account]) => account === other.id),
      'the values of the other account',
    )
    assert.ok(!(await others.evaluate<string[][]>(keptKeys)).some(([account]) => account === userId))
  })
}

describeInBrowser('Without a network', {
  installing: installationJourneys,
  'what was seen last': seenJourneys,
})
