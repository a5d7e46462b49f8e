import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fillSignIn, type Stage } from '../support/stage.ts'
import { password } from '../support/workspace.ts'

export function accountJourneys(stage: () => Stage): void {
  const open = async (name: string) => {
    const { login } = await stage().workspace.join(name)
    return { login, page: await stage().signIn(login, '/account') }
  }
  const change = async (page: Page, current: string, next: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }

  test('takes a new name, which the bar shows at once', async () => {
    const { page } = await open('Anna Before')
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name is required.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Anna After')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Account of Anna After' }).waitFor()
  })

  test('changes the password, which ends every session and leads to signing in with the new one', async () => {
    const { login, page } = await open('Paul Password')
    const elsewhere = await stage().visit('/projects')
    await fillSignIn(elsewhere, login)
    await elsewhere.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await change(page, password, 'too-simple')
    await page.getByText('New password must contain an upper-case letter.').waitFor()
    await change(page, 'Wrong-Horse-1', 'Better-Horse-2')
    await page.getByRole('alert').filter({ hasText: 'Current password' }).waitFor()
    assert.equal(await page.getByLabel('New password').inputValue(), 'Better-Horse-2')
    await change(page, password, 'Better-Horse-2')
    await page.waitForURL('**/login/**')
    await fillSignIn(page, login, 'Better-Horse-2')
    await page.getByRole('heading', { name: 'My work' }).waitFor()
    // It finds out by itself; a page that is opened after that has nothing to keep, and goes to the sign-in.
    await elsewhere.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  })

  test('counts down a lockout after five wrong passwords, even for the right one', async () => {
    const { page } = await open('Lotte Locked')
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      const answered = page.waitForResponse('**/api/me/password')
      await change(page, `Wrong-Horse-${attempts}`, 'Better-Horse-2')
      assert.equal((await answered).status(), 400)
      await page.getByRole('button', { name: 'Change password' }).waitFor()
    }
    await change(page, password, 'Better-Horse-2')
    const told = page.getByRole('alert').filter({ hasText: /You can try again in 1[45]:\d\d minutes/ })
    await told.waitFor()
    const before = await told.textContent()
    await told.filter({ hasText: before ?? '' }).waitFor({ state: 'detached' })
    const button = page.getByRole('button', { name: 'Change password' })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
  })
}
