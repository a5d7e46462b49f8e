import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { passwordHash } from '../support/cheap-passwords.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { startExternalProvider } from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import { insertAccount } from '../support/insert-account.ts'
import { assertAccessible } from './journeys/accessibility.ts'
import { fillSignIn } from './support/browser-setup.ts'
import { administratorLogin, startTrackerHosts } from './support/tracker-hosts.ts'

/** The time limit of a step on a busy machine. */
const stepMilliseconds = 30_000

describe('With external providers and apps, in a real browser', {
  skip: chromiumPath === undefined && 'No browser was found.',
}, () => {
  const external = fixture(startExternalProvider)
  const hosts = fixture(async () => {
    const started = await startTrackerHosts(
      external.settings('corp', { Name: 'Our company', CreateAccounts: 'true' }),
    )
    external.register(started.issuer, 'corp')
    return started
  })
  const browser = fixture(launchChromium)

  const visit = async (path: string, colorScheme: 'light' | 'dark') => {
    const page = await (await browser.newContext({ colorScheme })).newPage()
    page.setDefaultTimeout(stepMilliseconds)
    const policyViolations: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) policyViolations.push(message.text())
    })
    await page.goto(hosts.web + path)
    return { page, policyViolations }
  }

  test('a provider signs in a user who has no account yet', async () => {
    external.person = { sub: 'nina', email: 'nina@example.com', email_verified: true, name: 'Nina New' }
    const { page, policyViolations } = await visit('/account', 'light')
    await page.getByRole('link', { name: 'Sign in with Our company' }).waitFor()
    await assertAccessible(page, 'sign-in with providers')
    await page.getByRole('link', { name: 'Sign in with Our company' }).click()
    await page.getByRole('heading', { name: 'Linked accounts' }).waitFor()
    await page.getByText('via corp').waitFor()
    await page.getByText('nina@example.com').first().waitFor()
    await page.getByRole('button', { name: 'Nina New' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    // The external provider asks for confirmation.
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('link', { name: 'Sign in with Our company' }).waitFor()
    assert.ok(page.url().startsWith(`${hosts.web}/login/`))
    assert.deepEqual(policyViolations, [])
  })

  test('the owner of an account connects and disconnects a provider', async () => {
    const login = 'olga@example.com'
    await insertAccount(hosts.database, { login, name: 'Olga Old', passwordHash: await passwordHash() })
    external.person = { sub: 'olga', email: 'olga@corp.example', name: 'Olga' }
    const { page, policyViolations } = await visit('/account', 'dark')
    await fillSignIn(page, login)
    await page.getByRole('button', { name: 'Connect Our company' }).click()
    // Connecting requires another sign-in.
    await fillSignIn(page, login)
    await page.getByRole('heading', { name: 'Connect Our company?' }).waitFor()
    await page.getByText('Olga Old (olga@example.com)').waitFor()
    await assertAccessible(page, 'the question whether to connect')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('olga@corp.example').first().waitFor()
    await assertAccessible(page, 'the account with identities')
    await page.getByRole('button', { name: 'Disconnect olga@corp.example' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Our company was disconnected.').waitFor()
    await page.getByText('olga@corp.example').first().waitFor({ state: 'detached' })
    assert.deepEqual(policyViolations, [])
  })

  test('an administrator registers and deletes a third-party app', async () => {
    await insertAccount(hosts.database, {
      login: administratorLogin,
      name: 'Rosa Root',
      passwordHash: await passwordHash(),
    })
    const { page, policyViolations } = await visit('/clients', 'light')
    await fillSignIn(page, administratorLogin)
    await page.getByRole('button', { name: 'New app' }).click()
    await page.getByLabel('Name').fill('The wiki')
    await page.getByLabel('Callback addresses').fill('javascript:alert(1)')
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByText('must have at most 20 addresses').waitFor()
    await page.getByLabel('Callback addresses').fill('https://wiki.example.com/callback')
    await assertAccessible(page, 'a new app')
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByText('it is only shown once').waitFor()
    assert.match(await page.getByLabel('Secret').inputValue(), /^[\w-]{43}$/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('https://wiki.example.com/callback').waitFor()
    await assertAccessible(page, 'apps')
    await page.getByRole('button', { name: 'Actions for The wiki' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('https://wiki.example.com/callback').waitFor({ state: 'detached' })
    assert.deepEqual(policyViolations, [])
  })
})
