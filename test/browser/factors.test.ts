import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath } from '../support/chromium.ts'
import { fixture } from '../support/fixture.ts'
import { testApp } from '../support/second-factors.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { openAccess } from './journeys/users.ts'
import { fillSignIn, setUpBrowser } from './support/browser-setup.ts'

const skip = chromiumPath === undefined && 'No browser was found.'

describe('Second factors in a real browser', { skip }, () => {
  const setup = fixture(setUpBrowser)
  afterEach(() => setup.closePages())

  const clock = { now: () => Date.now(), advance: () => undefined }
  const openAccount = async (login: string, options = {}) => {
    const page = await setup.visit('/account', options)
    await fillSignIn(page, login)
    const section = page.getByRole('region', { name: 'Second factor' })
    await section.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
    return { page, section }
  }
  /** Deletes all data of the browser except its passkeys. */
  const deleteBrowserData = async (page: Page) => {
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.context().clearCookies()
    await page.goto(`${setup.hosts.web}/account`)
    await page.getByLabel('Password').waitFor()
  }

  for (const { userName, colorScheme } of [
    { userName: 'Olga', colorScheme: 'light' },
    { userName: 'Oskar', colorScheme: 'dark' },
  ] as const)
    test(`an authenticator app can be added, used to sign in, and removed (${colorScheme} theme)`, async () => {
      const { login } = await setup.workspace.join(userName)
      const { page, section } = await openAccount(login, { colorScheme })
      await section.getByRole('button', { name: 'Add an authenticator app' }).click()
      const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
      await dialog.getByRole('img', { name: 'The secret as a QR code' }).waitFor()
      await assertAccessible(page, 'the dialog of an app')
      const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
      const app = testApp({ address: setup.hosts.issuer, clock }, secret)
      await dialog.getByLabel('Code from the app').fill('000000')
      await dialog.getByRole('button', { name: 'Set up' }).click()
      await dialog.getByText('is wrong').waitFor()
      const usedCode = app.code()
      await dialog.getByLabel('Code from the app').fill(usedCode)
      await dialog.getByRole('button', { name: 'Set up' }).click()
      const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
      await codes.getByRole('listitem').first().waitFor()
      assert.equal(await codes.getByRole('listitem').count(), 10)
      await assertAccessible(page, 'recovery codes')
      const recoveryCode = (await codes.getByRole('listitem').first().textContent()) ?? ''
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await codes.getByRole('button', { name: 'Copy' }).click()
      await codes.getByText('Copied').waitFor()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      assert.equal(copied.split('\n').length, 10)
      await codes.getByRole('button', { name: 'I have saved them' }).click()
      await section.getByText('10 are left').waitFor()
      await deleteBrowserData(page)
      await fillSignIn(page, login)
      await page.getByRole('heading', { name: 'Second step' }).waitFor()
      await assertAccessible(page, 'the second step')
      await page.getByLabel('Code from your app').fill(usedCode)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('This code is wrong').waitFor()
      await assertAccessible(page, 'the second step after a wrong code')
      await page.getByLabel('Code from your app').fill(recoveryCode)
      await page.keyboard.press('Enter')
      await section.getByText('9 are left').waitFor()
      await section.getByRole('button', { name: 'Remove Authenticator app' }).click()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await section.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
    })

  test('a passkey can be added, renamed, used to sign in, and removed', async () => {
    const { login } = await setup.workspace.join('Petra Passkey')
    const { page, section } = await openAccount(login)
    await addAuthenticator(page)
    await section.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await section.getByText('Passkey since').waitFor()
    await section.getByRole('button', { name: /^Rename/ }).click()
    await page.getByLabel('Name', { exact: true }).last().fill('Laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await section.getByText('Laptop').first().waitFor()
    await deleteBrowserData(page)
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click()
    await section.getByText('last used').waitFor()
    await deleteBrowserData(page)
    await fillSignIn(page, login)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await assertAccessible(page, 'the second step with a passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await section.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await section.getByText('Laptop').first().waitFor({ state: 'detached' })
    await deleteBrowserData(page)
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('alert').getByText('This passkey is not registered here').waitFor()
    await assertAccessible(page, 'the page for a passkey')
    await page.getByRole('link', { name: 'Sign in with a password' }).click()
    await fillSignIn(page, login)
    await section.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
  })

  test('an administrator resets the second factor of a user who has lost it', async () => {
    const { login } = await setup.workspace.join('Paul Phone')
    const { page, section } = await openAccount(login)
    await addAuthenticator(page)
    await section.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).waitFor()
    const root = await setup.signIn('root@example.com', '/administration/users?search=paul')
    await openAccess(root, 'Paul Phone')
    const dialog = root.getByRole('dialog', { name: 'Access for Paul Phone' })
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await dialog.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' })
    const otherDevice = await setup.visit('/projects')
    await fillSignIn(otherDevice, login)
    await otherDevice.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  test('the pages cause no errors and send no requests to other hosts', () => {
    assert.deepEqual(setup.offences, [])
  })
})
