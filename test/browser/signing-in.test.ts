import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createPkce, requestOf } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { type BrowserSetup, fillSignIn } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import { password } from './support/workspace.ts'

function signInJourneys(setup: () => BrowserSetup): void {
  test('leads to the page that was opened first, and signing out ends the session in all tabs', async () => {
    const { hosts, workspace, signIn } = setup()
    const board = `/projects/${workspace.projectId}`
    const { login } = await workspace.join('Olga Out')
    const page = await signIn(login, `${board}?search=nothing`)
    assert.equal(page.url(), `${hosts.web}${board}?search=nothing`)
    await page.getByRole('heading', { name: 'Website relaunch' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    await other.getByRole('heading', { name: 'Projects' }).waitFor()
    // A cached answer would not tell whether the provider can end its session now.
    const discovery = page.waitForRequest('**/.well-known/openid-configuration')
    await page.getByRole('button', { name: 'Account of Olga Out' }).click()
    // A letter leads to the item, as a capital, too.
    await page.keyboard.press('Shift+S')
    await page.locator('[role=menuitem]:focus', { hasText: 'Sign out' }).press('Enter')
    assert.equal(await (await discovery).headerValue('cache-control'), 'max-age=0')
    for (const tab of [page, other]) await tab.getByLabel('Password').waitFor()
    assert.equal(await page.evaluate('localStorage.getItem("tracker.session")'), null)
  })

  test('says that the login or the password is wrong', async () => {
    const { visit } = setup()
    const page = await visit('/projects')
    await fillSignIn(page, 'jonas@example.com', 'Wrong-Horse-1')
    await page.getByText('The login or the password is wrong.').waitFor()
    assert.equal(await page.getByLabel('Login').inputValue(), 'jonas@example.com')
    await page.locator('#password:focus').waitFor()
    await fillSignIn(page, 'jonas@example.com')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  test('fills in the login that the request expects', async () => {
    const { hosts, visit } = setup()
    const page = await visit('/projects')
    await page.getByLabel('Password').waitFor()
    const posts: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())))
    const filledLogin = async (hint: string) => {
      const request = requestOf(createPkce(), {
        redirect_uri: `${hosts.web}/signin-callback/`,
        login_hint: hint,
      })
      await page.goto(`${hosts.issuer}/connect/authorize?${new URLSearchParams(request)}`)
      await page.getByLabel('Password').waitFor()
      return page.getByLabel('Login').inputValue()
    }
    assert.equal(await filledLogin('mara@example.com'), 'mara@example.com')
    await page.locator('#password:focus').waitFor()
    assert.equal(await filledLogin('"><b>nobody</b>'), '"><b>nobody</b>')
    assert.equal(await filledLogin('x'.repeat(300)), 'x'.repeat(256))
    await page.goto(`${hosts.web}/login/?authRequest=pending&loginHint=${'x'.repeat(300)}`)
    assert.equal(await page.getByLabel('Login').inputValue(), 'x'.repeat(256))
    assert.deepEqual(posts, [])
    await filledLogin('mara@example.com')
    await fillSignIn(page, 'jonas@example.com', 'Wrong-Horse-1')
    await page.getByText('The login or the password is wrong.').waitFor()
    assert.equal(await page.getByLabel('Login').inputValue(), 'jonas@example.com')
  })

  test('asks for a missing login and password before anything is sent', async () => {
    const page = await setup().visit('/login/')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Please enter your login and your password.').waitFor()
  })

  test('counts down while the login is locked', async () => {
    const { visit, workspace } = setup()
    const { login } = await workspace.join('Locked Lena')
    const page = await visit('/projects')
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      // Each answer is another page with the same address, whose form would be filled too early.
      const answered = page.waitForEvent('load')
      await fillSignIn(page, login, `Wrong-Horse-${attempt}`)
      await answered
    }
    await fillSignIn(page, login)
    await page.getByText('this login is locked').waitFor()
    const timer = page.getByRole('timer')
    const first = (await timer.textContent()) ?? ''
    assert.match(first, /^1[45]:\d\d$/)
    await timer.filter({ hasNotText: first }).waitFor()
    assert.ok(((await timer.textContent()) ?? '') < first, 'the count goes down')
  })

  test('starts again if a sign-in cannot continue', async () => {
    const { visit } = setup()
    const page = await visit('/login/?error=request')
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('opens the pages of the provider if all hosts share an address', async () => {
    const { hosts, visit } = setup()
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

  test('waits until the server can be reached', async () => {
    const { hosts, visit } = setup()
    const page = await visit('/login/?error=request')
    await page.route(`${hosts.web}/config.json`, (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'Tracker cannot be reached' }).waitFor()
    await page.unroute(`${hosts.web}/config.json`)
    await page.getByRole('link', { name: 'Start again' }).waitFor()
    assert.equal(await page.getByText('Tracker cannot be reached.').count(), 0)
  })

  test('shows why the provider rejected a request', async () => {
    const { hosts, visit } = setup()
    const page = await visit('/login/?error=request')
    await page.goto(`${hosts.issuer}/connect/authorize?client_id=nobody&redirect_uri=${hosts.web}/`)
    await page.getByText('The sign-in service says:').waitFor()
    await page.getByRole('link', { name: 'Start again' }).waitFor()
  })

  test('rejects a response that this browser did not request', async () => {
    const page = await setup().visit('/signin-callback/?code=stolen&state=unknown')
    await page.getByText('This sign-in was not started here.').waitFor()
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('asks before a link on another site signs a user out', async () => {
    const { hosts, workspace, signIn } = setup()
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

  test('ends the session at once if the user types the address of the sign-out', async () => {
    const { hosts, workspace, signIn } = setup()
    const page = await signIn((await workspace.join('Tilda Typed')).login, '/projects')
    await page.goto(`${hosts.issuer}/connect/endsession`)
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(await page.context().cookies(hosts.issuer), [])
  })

  test('returns to a path that looks like the address of another site', async () => {
    const { hosts, visit, workspace } = setup()
    const page = await visit('//evil.example/x?next=//evil.example')
    await fillSignIn(page, (await workspace.join('Mia Malformed')).login)
    await page.waitForURL((url) => url.pathname === '//evil.example/x')
    assert.equal(new URL(page.url()).origin, hosts.web)
    await page.getByText('The address may be misspelt').waitFor()
  })

  test('rejects a response that is malformed, or lacks the issuer that the provider promises', async () => {
    const { hosts, visit } = setup()
    const page = await visit('/login/')
    await page.getByLabel('Password').waitFor()
    const key: string = await page.evaluate('Object.keys(sessionStorage).find((key) => /sign-in/.test(key))')
    await page.goto(`${hosts.web}/signin-callback/?code=x&state=${key.slice('tracker.sign-in.'.length)}`)
    await page.getByText('This response comes from another sign-in service.').waitFor()
    for (const malformed of [
      '',
      '?code',
      '?state=%E0%A4%A&code=%',
      '?state=__proto__&iss=x&error=%FF',
      '#code=x',
    ]) {
      await page.goto(`${hosts.web}/signin-callback/${malformed}`)
      await page.getByRole('link', { name: 'Start again' }).waitFor()
    }
  })
}

function accountJourneys(setup: () => BrowserSetup): void {
  const open = async (name: string) => {
    const { login } = await setup().workspace.join(name)
    return { login, page: await setup().signIn(login, '/account') }
  }
  const changePassword = async (page: Page, current: string, next: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }

  test('accepts a new name, which the bar shows at once', async () => {
    const { page } = await open('Anna Before')
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name is required.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Anna After')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Account of Anna After' }).waitFor()
  })

  test('changes the password, which ends every session and asks for the new one', async () => {
    const { login, page } = await open('Paul Password')
    const otherDevice = await setup().visit('/projects')
    await fillSignIn(otherDevice, login)
    await otherDevice.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await changePassword(page, password, 'too-simple')
    await page.getByText('New password must contain an upper-case letter.').waitFor()
    await changePassword(page, 'Wrong-Horse-1', 'Better-Horse-2')
    await page.getByRole('alert').filter({ hasText: 'Current password' }).waitFor()
    assert.equal(await page.getByLabel('New password').inputValue(), 'Better-Horse-2')
    await changePassword(page, password, 'Better-Horse-2')
    await page.waitForURL('**/login/**')
    await fillSignIn(page, login, 'Better-Horse-2')
    await page.getByRole('heading', { name: 'My work' }).waitFor()
    // This page notices the end. A page that is opened later has no input to keep, and opens the sign-in.
    await otherDevice.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  })

  test('signs out to the start page, even if requests are rejected before the page is left', async () => {
    const { login, page } = await open('Olaf Out')
    const revocation = Promise.withResolvers<void>()
    await page.route('**/connect/revocation', async (route) => {
      await revocation.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Account of Olaf Out' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    let rejectedCount = 0
    await page.route(/\/(ext|api)\//, (route) => {
      rejectedCount += 1
      return route.fulfill({ status: 401, body: '' })
    })
    await until(async () => {
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      return rejectedCount > 1
    }, 'rejected requests')
    await page.unroute(/\/(ext|api)\//)
    revocation.resolve()
    await page.waitForURL('**/login/**')
    await fillSignIn(page, login)
    await page.getByRole('heading', { name: 'My work' }).waitFor()
  })

  test('counts down a lockout after five wrong passwords', async () => {
    const { page } = await open('Lotte Locked')
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      const answered = page.waitForResponse('**/api/me/password')
      await changePassword(page, `Wrong-Horse-${attempts}`, 'Better-Horse-2')
      assert.equal((await answered).status(), 400)
      await page.getByRole('button', { name: 'Change password' }).waitFor()
    }
    await changePassword(page, password, 'Better-Horse-2')
    const countdown = page.getByRole('alert').filter({ hasText: /You can try again in 1[45]:\d\d minutes/ })
    await countdown.waitFor()
    const firstText = (await countdown.textContent()) ?? ''
    await countdown.filter({ hasText: firstText }).waitFor({ state: 'detached' })
    const button = page.getByRole('button', { name: 'Change password' })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
  })
}

const brazil = { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' }

function languageJourneys(setup: () => BrowserSetup): void {
  test('follow the language of the browser', async () => {
    const { visit, workspace } = setup()
    const { login } = await workspace.join('Paula Portuguesa')
    const page = await visit(`/projects/${workspace.projectId}`, brazil)
    await page.getByRole('heading', { name: 'Entrar' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR')
    await fillSignIn(page, login, 'errada')
    await page.getByText('O login ou a senha está incorreto.').waitFor()
    await fillSignIn(page, login)
    await page.getByRole('button', { name: 'Conta de Paula Portuguesa' }).waitFor()

    await page.getByRole('button', { name: 'Nova tarefa', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Nova tarefa' })
    await dialog.getByRole('button', { name: 'Criar tarefa' }).click()
    await dialog.getByText('Nome: preenchimento obrigatório.').waitFor()
    await dialog.getByLabel('Nome', { exact: true }).fill('Revisar o contrato')
    await dialog.getByRole('combobox', { name: 'Tipo' }).click()
    await page.getByRole('option', { name: 'Feature' }).click()
    const chip = (name: string) => dialog.getByRole('combobox', { name })
    const choose = async (name: string, typed: string, chosen: string) => {
      await chip(name).click()
      await page.keyboard.type(typed)
      await page.getByRole('option', { name: chosen }).waitFor()
      await page.keyboard.press('Enter')
      await chip(name).getByText(chosen).waitFor()
    }
    await choose('Início', '5/11/2031', '5 de nov. de 2031')
    await choose('Fim', '11/11/2031', '11 de nov. de 2031')
    // A start that is set after the end moves the end.
    await choose('Início', '5/12/2031', '5 de dez. de 2031')
    await chip('Fim').getByText('11 de dez. de 2031').waitFor()
    await chip('Horas planejadas').click()
    await page.keyboard.type('7,5')
    await page.getByRole('option', { name: '7,5 h' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Criar tarefa' }).click()
    await page.getByText('Criado: Revisar o contrato.').waitFor()
    await page.getByRole('link', { name: 'Revisar o contrato' }).first().click()

    const panel = page.getByRole('region', { name: 'Horas', exact: true })
    await panel.getByRole('button', { name: 'Apontar horas' }).click()
    await panel.getByLabel('Horas', { exact: true }).fill('1,5')
    await panel.getByRole('button', { name: 'Apontar', exact: true }).click()
    await panel.getByText('1,5 h de 7,5 h').waitFor()
    await panel.getByRole('button', { name: /^Remover 1,5 h em \d+ de \p{Ll}{3}\.$/u }).click()
    await page.getByText(/^Removido: 1,5 h em \d+ de \p{Ll}{3}\.$/u).waitFor()
    await panel.getByText('0 h de 7,5 h').waitFor()
    await page.getByRole('button', { name: 'Desfazer' }).click()
    await panel.getByText('1,5 h de 7,5 h').waitFor()
  })

  test('determine how dates, weekdays and numbers are written', async () => {
    const { signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Diana Datas')
    const week = { startDate: '2027-05-03', endDate: '2027-05-07', userId }
    const assignmentId = await workspace.assignment('Com datas', { ...week, amountHours: 1234.5 })
    await workspace.make('appointment', { assignmentId, userId, keepDate: '2027-05-03', amountHours: 2.5 })
    const page = await signIn(login, '/week?week=2027-05-03', brazil)
    await page.getByRole('heading', { name: 'Minha semana' }).waitFor()
    const monday = page.getByRole('textbox', { name: 'Com datas, seg. 3 de mai. de 2027', exact: true })
    assert.equal(await monday.inputValue(), '2,5')
    await page.getByText('2,5/1.234,5 h', { exact: true }).first().waitFor()
    await monday.fill('3,25')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Total' }).getByText('3,25', { exact: true }).first().waitFor()
  })

  test('are chosen on the account page', async () => {
    const { hosts, signIn, workspace } = setup()
    const { login } = await workspace.join('Sofia Switch')
    const page = await signIn(login, '/account')
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Português (Brasil)')
    await page.getByRole('heading', { name: 'Minha conta' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Minha conta' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    await other.getByRole('heading', { name: 'Projetos' }).waitFor()
    await page.getByRole('button', { name: 'Conta de Sofia Switch' }).click()
    await page.getByRole('menuitem', { name: 'Usar cores escuras' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    const phone = await signIn(login, '/account', { viewport: { width: 390, height: 800 }, hasTouch: true })
    await phone.getByRole('heading', { name: 'Minha conta' }).waitFor()
    await phone.locator('html[data-theme=dark]').waitFor()
    await page.getByRole('combobox', { name: 'Idioma' }).selectOption('English')
    await page.getByRole('heading', { name: 'My account' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Português (Brasil)')
    await page.getByRole('button', { name: 'Conta de Sofia Switch' }).click()
    const requestToProvider = page.waitForRequest(/\/connect\/authorize\?.*ui_locales=pt-BR/)
    await page.getByRole('menuitem', { name: 'Sair' }).click()
    await requestToProvider
    await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  })

  test('are loaded only for users who chose them', async () => {
    const { signIn, workspace } = setup()
    const loadedBy = async (name: string, options = {}) => {
      const { login } = await workspace.join(name)
      const page = await signIn(login, '/projects', options)
      await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
      return page.evaluate<string>(`performance.getEntriesByType('resource').map(({ name }) => name).join()`)
    }
    assert.match(await loadedBy('Bruna Brasil', brazil), /pt-br-/)
    assert.doesNotMatch(await loadedBy('Ellen English'), /pt-br-/)
  })
}

describeInBrowser('For users with an account', {
  'signing in and out': signInJourneys,
  'my account': accountJourneys,
  languages: languageJourneys,
})
