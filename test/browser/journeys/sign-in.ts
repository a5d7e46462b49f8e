import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPkce, requestOf } from '../../support/browser.ts'
import { fillSignIn, type Stage } from '../support/stage.ts'

export function signInJourneys(stage: () => Stage): void {
  test('leads to the page that was opened first, and signing out back to the sign-in page, in every tab', async () => {
    const { hosts, workspace, signIn } = stage()
    const board = `/projects/${workspace.projectId}`
    const { login } = await workspace.join('Olga Out')
    const page = await signIn(login, `${board}?search=nothing`)
    assert.equal(page.url(), `${hosts.web}${board}?search=nothing`)
    await page.getByRole('heading', { name: 'Website relaunch' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    await other.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByRole('button', { name: 'Account of Olga Out' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [page, other]) await tab.getByLabel('Password').waitFor()
    assert.equal(await page.evaluate('localStorage.getItem("tracker.session")'), null)
  })

  test('says that the login or the password is wrong, and keeps the login', async () => {
    const { visit } = stage()
    const page = await visit('/projects')
    await fillSignIn(page, 'jonas@example.com', 'Wrong-Horse-1')
    await page.getByText('The login or the password is wrong.').waitFor()
    assert.equal(await page.getByLabel('Login').inputValue(), 'jonas@example.com')
    await page.locator('#password:focus').waitFor()
    await fillSignIn(page, 'jonas@example.com')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  test('fills in whom the request expects, and sends nothing by itself', async () => {
    const { hosts, visit } = stage()
    const page = await visit('/projects')
    await page.getByLabel('Password').waitFor()
    const posts: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())))
    const ask = async (login_hint: string) => {
      const request = requestOf(createPkce(), { redirect_uri: `${hosts.web}/signin-callback/`, login_hint })
      await page.goto(`${hosts.issuer}/connect/authorize?${new URLSearchParams(request)}`)
      await page.getByLabel('Password').waitFor()
      return page.getByLabel('Login').inputValue()
    }
    assert.equal(await ask('mara@example.com'), 'mara@example.com')
    await page.locator('#password:focus').waitFor()
    assert.equal(await ask('"><b>nobody</b>'), '"><b>nobody</b>')
    assert.equal(await ask('x'.repeat(300)), 'x'.repeat(256))
    await page.goto(`${hosts.web}/login/?authRequest=pending&loginHint=${'x'.repeat(300)}`)
    assert.equal(await page.getByLabel('Login').inputValue(), 'x'.repeat(256))
    assert.deepEqual(posts, [])
    await ask('mara@example.com')
    await fillSignIn(page, 'jonas@example.com', 'Wrong-Horse-1')
    await page.getByText('The login or the password is wrong.').waitFor()
    assert.equal(await page.getByLabel('Login').inputValue(), 'jonas@example.com')
  })

  test('asks for what is missing before anything is sent', async () => {
    const page = await stage().visit('/login/')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Please enter your login and your password.').waitFor()
  })

  test('counts down while the login is locked', async () => {
    const { visit, workspace } = stage()
    const { login } = await workspace.join('Locked Lena')
    const page = await visit('/projects')
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await fillSignIn(page, login, `Wrong-Horse-${attempt}`)
      await page.waitForURL(/error=invalid/)
    }
    await fillSignIn(page, login)
    await page.getByText('this login is locked').waitFor()
    const timer = page.getByRole('timer')
    const first = (await timer.textContent()) ?? ''
    assert.match(first, /^1[45]:\d\d$/)
    await timer.filter({ hasNotText: first }).waitFor()
    assert.ok(((await timer.textContent()) ?? '') < first, 'the count goes down')
  })

  test('starts again where a sign-in cannot go on', async () => {
    const { visit } = stage()
    const page = await visit('/login/?error=request')
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('leaves for the pages of the provider where all hosts share an address', async () => {
    const { hosts, visit } = stage()
    const page = await visit('/login/')
    await page.getByLabel('Password').waitFor()
    await page.route(`${hosts.web}/config.json`, async (route) => {
      const json = await (await route.fetch()).json()
      await route.fulfill({ json: { ...json, issuer: hosts.web, passkeys: true, mail: true } })
    })
    const providers = { passwords: true, providers: [{ id: 'corp', name: 'Our company' }] }
    await page.route(`${hosts.web}/ext/**`, (route) =>
      route.request().isNavigationRequest()
        ? route.fulfill({ body: 'A page of the provider', contentType: 'text/html' })
        : route.fulfill({ json: providers }),
    )
    const links = page.getByRole('main').getByRole('link')
    const open = async () => {
      await page.goto(`${hosts.web}/login/?authRequest=pending`)
      await page.getByRole('link', { name: 'Sign in with Our company' }).waitFor()
      return links.count()
    }
    const count = await open()
    assert.equal(count, 3)
    for (let index = 0; index < count; index += 1) {
      await links.nth(index).click()
      await page.getByText('A page of the provider').waitFor()
      await open()
    }
  })

  test('shows why the provider rejected a request', async () => {
    const { hosts, visit } = stage()
    const page = await visit('/login/?error=request')
    await page.goto(`${hosts.issuer}/connect/authorize?client_id=nobody&redirect_uri=${hosts.web}/`)
    await page.getByText('The sign-in service says:').waitFor()
    await page.getByRole('link', { name: 'Start again' }).waitFor()
  })

  test('rejects a response that was not requested here', async () => {
    const page = await stage().visit('/signin-callback/?code=stolen&state=unknown')
    await page.getByText('This sign-in was not started here.').waitFor()
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('asks before a link on another site signs a user out', async () => {
    const { hosts, workspace, signIn } = stage()
    const page = await signIn((await workspace.join('Asta Asked')).login, '/projects')
    const followLink = async () => {
      await page.goto(`data:text/html,<a href="${hosts.issuer}/connect/endsession">A link</a>`)
      await page.getByRole('link', { name: 'A link' }).click()
    }
    await followLink()
    await page.getByRole('link', { name: 'Stay signed in' }).click()
    await page.getByRole('heading', { name: 'My work' }).waitFor()
    await followLink()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    assert.equal(await page.evaluate('localStorage.getItem("tracker.session")'), null)
  })

  test('is signed out at once by the address of the sign-out, and asked to sign in again', async () => {
    const { hosts, workspace, signIn } = stage()
    const page = await signIn((await workspace.join('Tilda Typed')).login, '/projects')
    await page.goto(`${hosts.issuer}/connect/endsession`)
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(await page.context().cookies(hosts.issuer), [])
  })

  test('comes back to an address that looks like another site’s, and stays here', async () => {
    const { hosts, visit, workspace } = stage()
    const page = await visit('//evil.example/x?next=//evil.example')
    await fillSignIn(page, (await workspace.join('Mia Malformed')).login)
    await page.waitForURL((url) => url.pathname === '//evil.example/x')
    assert.equal(new URL(page.url()).origin, hosts.web)
    await page.getByText('The address may be misspelt').waitFor()
  })

  test('rejects an answer without the issuer that the provider promises, and broken ones', async () => {
    const { hosts, visit } = stage()
    const page = await visit('/login/')
    await page.getByLabel('Password').waitFor()
    const key: string = await page.evaluate('Object.keys(sessionStorage).find((key) => /sign-in/.test(key))')
    await page.goto(`${hosts.web}/signin-callback/?code=x&state=${key.slice('tracker.sign-in.'.length)}`)
    await page.getByText('This response comes from another sign-in service.').waitFor()
    for (const query of [
      '',
      '?code',
      '?state=%E0%A4%A&code=%',
      '?state=__proto__&iss=x&error=%FF',
      '#code=x',
    ]) {
      await page.goto(`${hosts.web}/signin-callback/${query}`)
      await page.getByRole('link', { name: 'Start again' }).waitFor()
    }
  })
}
