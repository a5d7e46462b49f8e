import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

/** Opens the dialog for the access of a user, from the table of users. */
export async function openAccess(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Role and sign-in…' }).click()
}

export function userJourneys(setup: () => BrowserSetup): void {
  test('shows role, last sign-in and state of users, and the settings of the sign-in, also on a phone', async () => {
    const { workspace } = setup()
    await workspace.join('Dora Dormant')
    await setup().signIn('jonas@example.com', '/projects')
    const page = await setup().signIn('root@example.com', '/administration/users')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await row('Rosa Root').getByText('Administrator', { exact: true }).waitFor()
    await row('Dora Dormant').getByRole('cell', { name: 'Never' }).waitFor()
    const height = (await row('Dora Dormant').boundingBox())?.height ?? 0
    assert.ok(Math.abs(height - 48) <= 1, String(height))
    await assertAccessible(page, 'users')
    const edgeOf = async (locator: Locator, edge: 'x' | 'y') =>
      Math.round((await locator.boundingBox())?.[edge] ?? 0)
    const search = page.getByRole('searchbox', { name: 'Search users' })
    assert.ok((await edgeOf(search, 'y')) < (await edgeOf(page.locator('.users-table'), 'y')))
    // All facts have the same text size.
    const sizes = await row('Dora Dormant')
      .locator('td:not(.user-menu), td:not(.user-menu) *')
      .evaluateAll((all) => [...new Set(all.map((cell) => getComputedStyle(cell).fontSize))])
    const time = row('Jonas Weber').locator('time')
    const timeSize = await time.evaluate((element) => getComputedStyle(element).fontSize)
    assert.deepEqual(sizes, [timeSize])
    // Facts are words, and only an administrator without a second factor stands out.
    await row('Dora Dormant')
      .locator('td', { hasText: /^None$/ })
      .waitFor()
    assert.equal(await row('Dora Dormant').locator('.warning').count(), 0)
    await row('Rosa Root')
      .locator('.warning', { hasText: /^None$/ })
      .waitFor()
    // The filters say how many users of each kind there are.
    const rowCount = await page.locator('.users-table tbody tr').count()
    await page.getByRole('button', { name: `All ${rowCount}`, exact: true }).waitFor()
    // A tooltip shows the exact time of the last sign-in.
    assert.match((await row('Jonas Weber').locator('time').getAttribute('title')) ?? '', /20\d\d/)
    await page.getByRole('button', { name: 'Last sign-in' }).click()
    await page.locator('.users-table th[aria-sort=descending]', { hasText: 'Last sign-in' }).waitFor()
    const names = await page.locator('.users-table tbody bdi').allTextContents()
    assert.ok(names.indexOf('Jonas Weber') < names.indexOf('Dora Dormant'), names.join())
    await page.getByRole('button', { name: 'Administrators', pressed: false }).click()
    await row('Jonas Weber').waitFor({ state: 'detached' })
    await row('Rosa Root').waitFor()
    await page.getByRole('button', { name: 'Never signed in' }).click()
    await row('Dora Dormant').waitFor()
    assert.equal(await row('Rosa Root').count(), 0)
    // The State column appears with the first deactivated user.
    await page.getByRole('button', { name: 'All', pressed: false }).click()
    await row('Jonas Weber').waitFor()
    const state = page.getByRole('columnheader', { name: 'State' })
    const deactivated = page.locator('.user-deactivated')
    assert.equal(await state.count(), (await deactivated.count()) === 0 ? 0 : 1)
    await openAccess(page, 'Dora Dormant')
    await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await row('Dora Dormant').locator(deactivated).waitFor()
    await state.waitFor()
    // Even with this column, names and logins have room in a narrow table.
    await resize(page, 768, 800)
    const { height: rowHeight = 0 } = (await row('Dora Dormant').boundingBox()) ?? {}
    assert.ok(rowHeight <= 52, `the row is ${rowHeight} pixels high`)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Sign-in', exact: true }).click()
    await page.getByText('Read only.').waitFor()
    // On the page of the sign-in, the variable is next to the title of its setting, and the boxes are as wide as
    // the tabs.
    const passwords = page.getByRole('listitem').filter({ hasText: 'Identity__Passwords' })
    assert.ok(
      Math.abs(
        (await edgeOf(passwords.locator('code'), 'y')) - (await edgeOf(passwords.locator('bdi'), 'y')),
      ) < 6,
    )
    await passwords.locator('.setting-state[data-color=green]', { hasText: /^On$/ }).waitFor()
    await page.locator('.setting-state:not([data-color])', { hasText: /^Off$/ }).first().waitFor()
    const limit = page.getByRole('listitem').filter({ hasText: 'Inactivity limit' })
    await limit.locator('.setting-state', { hasText: /^(None|\d+ min)$/ }).waitFor()
    // A click copies the variable.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await passwords.getByRole('button', { name: 'Copy Identity__Passwords' }).click()
    await page.getByText('Identity__Passwords was copied.').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'Identity__Passwords')
    // So does a click on the id of an app.
    await page.getByRole('link', { name: 'Apps' }).click()
    await page.getByRole('button', { name: 'New app' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Wiki')
    await page.getByLabel('Callback addresses').fill('https://wiki.example.com/callback')
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    const app = page.getByRole('listitem').filter({ hasText: 'Wiki' })
    await app.getByText('With a secret').waitFor()
    await app.getByText('Asks for consent').waitFor()
    const id = await app.locator('code').textContent()
    await app.getByRole('button', { name: `Copy ${id}` }).click()
    await page.getByText(`${id} was copied.`).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), id)
    await page.goBack()
    // Without mail, no login can be verified by mail: the state and the sentence say so.
    const logins = page.getByRole('listitem').filter({ hasText: 'Identity__LoginsAreVerified' })
    await logins.locator('.setting-state[data-color=amber]', { hasText: 'Not possible' }).waitFor()
    await logins.getByText('Logins are verified by a mailed link, but mail is off.').waitFor()
    const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.width
    assert.equal(await widthOf('.sections .rows'), await widthOf('.tabs'))
    await page.goBack()
    await row('Dora Dormant').waitFor()
    await resize(page, 390, 800)
    const card = await row('Dora Dormant').boundingBox()
    assert.ok(card && card.width <= 390 && card.height < 110, JSON.stringify(card))
    // On a phone, all facts are a line below the name, and the filter is a select.
    const name = await edgeOf(row('Dora Dormant').locator('bdi'), 'x')
    const facts = row('Dora Dormant').getByRole('cell', { name: 'never signed in' })
    assert.equal(await edgeOf(facts, 'x'), name)
    assert.equal(await facts.textContent(), 'Deactivated · User · never signed in · no second factor')
    await page
      .getByLabel('Filter')
      .locator('option', { hasText: /^Administrators \(\d+\)$/ })
      .waitFor({ state: 'attached' })
    await page.getByLabel('Filter').selectOption({ value: 'administrators' })
    await row('Dora Dormant').waitFor({ state: 'detached' })
    await page.getByLabel('Filter').selectOption({ value: 'all' })
    await row('Dora Dormant').waitFor()
    // Not all tabs fit, but the current one is in view, even after the page has become narrower.
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.locator('.tabs').getByRole('link', { name: 'Sign-in' }).click()
    await page.locator('.tabs [aria-current]', { hasText: 'Sign-in' }).waitFor()
    await resize(page, 320, 800)
    const current = page.locator('.tabs [aria-current]')
    await until(async () => {
      const box = await current.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 320
    }, 'the current tab')
    // Tabs fade at the edge that hides others, and not at all if all of them fit.
    const fade = () => page.locator('.tabs').evaluate((tabs) => getComputedStyle(tabs).maskImage)
    await until(async () => (await fade()) !== 'none', 'tabs that fade')
    await page.setViewportSize({ width: 800, height: 800 })
    await until(async () => (await fade()) === 'none', 'tabs that do not fade')
  })
}
