import assert from 'node:assert/strict'
import { afterEach, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { chromiumPath } from '../support/chromium.ts'
import { fixture } from '../support/fixture.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openAccess } from './journeys/users.ts'
import { fillSignIn, setUpBrowser } from './support/browser-setup.ts'
import { buildClient, whileBuilding } from './support/build-client.ts'

const skip = chromiumPath === undefined && 'No browser was found.'

describe('On the pages for access, in a real browser', { skip }, () => {
  before(buildClient, whileBuilding)
  const mails = fixture(startMailServer)
  const setup = fixture(() => setUpBrowser({ SMTP_URL: mails.url, MAIL_FROM: 'tracker@example.com' }))
  afterEach(() => setup.closePages())

  /** Returns the path and secret of the link in the newest mail to an address. */
  const newestLinkTo = async (address: string) => {
    const text = (await mails.mailsTo(address)).at(-1)?.text ?? ''
    return /https?:\/\/[^/\s]+(\/[\w-]+#svl_[0-9a-f]+)/.exec(text)?.[1] ?? ''
  }

  const statusOf = async (token: string) =>
    (await fetch(`${setup.hosts.api}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status

  for (const { userName, colorScheme } of [
    { userName: 'Tom', colorScheme: 'light' },
    { userName: 'Tara', colorScheme: 'dark' },
  ] as const)
    test(`a user can create and revoke a personal access token, in ${colorScheme} colours`, async () => {
      const { login } = await setup.workspace.join(userName)
      const page = await setup.signIn(login, '/account', { colorScheme })
      await page.getByRole('button', { name: 'New token' }).click()
      const dialog = page.getByRole('dialog', { name: 'New token' })
      await dialog.getByRole('button', { name: 'Create token' }).click()
      await dialog.getByText('Name is required.').waitFor()
      await dialog.getByLabel('Name').fill('Nightly build')
      await dialog.getByLabel('Permissions').selectOption('Read everything')
      await dialog.getByLabel('Valid for').selectOption('30 days')
      await dialog.getByRole('button', { name: 'Create token' }).click()
      const secretDialog = page.getByRole('dialog', { name: 'Your new token' })
      const secret = await secretDialog.getByLabel('Token', { exact: true }).inputValue()
      assert.equal(await statusOf(secret), 200)
      await secretDialog.getByRole('button', { name: 'Done' }).click()
      const row = page.getByRole('listitem').filter({ hasText: 'Nightly build' })
      await row.getByText('Read everything, in all your projects').waitFor()
      await row.getByText('last used').waitFor()
      assert.equal(await page.getByText(secret).count(), 0)
      await row.getByRole('button', { name: 'Revoke Nightly build' }).click()
      await page.getByRole('button', { name: 'Revoke token' }).click()
      await page.getByText('Nightly build was revoked.').waitFor()
      await row.waitFor({ state: 'detached' })
    })

  test('a user can choose which notifications are mailed', async () => {
    const { login } = await setup.workspace.join('Nils Night')
    const page = await setup.signIn(login, '/inbox', { timezoneId: 'America/Sao_Paulo' })
    await page.getByRole('link', { name: 'Choose what is mailed' }).click()
    const section = page.getByRole('region', { name: 'Notifications' })
    const responseTo = (sentText: string) =>
      page.waitForResponse(
        (response) =>
          response.request().method() === 'PATCH' &&
          response.request().postData()?.includes(sentText) === true,
      )
    /** Makes a change, and returns the settings after the request that contains the text. */
    const settingsAfter = async (change: () => Promise<unknown>, sentText: string) => {
      const [response] = await Promise.all([responseTo(sentText), change()])
      return (await response.json()).settings
    }
    const daily = await settingsAfter(() => section.getByLabel('Mails').selectOption('Once a day'), 'daily')
    assert.equal(daily.notificationMails, 'daily')
    await section.getByText('Saved', { exact: true }).waitFor({ state: 'attached' })
    assert.equal(daily.timeZone, 'America/Sao_Paulo')
    await settingsAfter(() => section.getByLabel('Hour of the day').selectOption('07:00'), '7')
    await settingsAfter(() => section.getByRole('checkbox', { name: 'Comments' }).uncheck(), 'commented')
    await page.reload()
    await section.getByRole('checkbox', { name: 'Comments', checked: false }).waitFor()
    assert.equal(await section.getByLabel('Hour of the day').inputValue(), '7')
    assert.equal(await section.getByLabel('Time zone').inputValue(), 'America/Sao_Paulo')
    // A choice is kept although the response to the one before it is late.
    const late = Promise.withResolvers<void>()
    await page.route('**/ext/settings', (route) => late.promise.then(() => route.continue()), { times: 1 })
    const checkbox = (name: string) => section.getByRole('checkbox', { name })
    const earlier = responseTo('["commented","mentioned"]')
    await checkbox('Mentions').uncheck()
    await settingsAfter(async () => {
      await checkbox('Comments').check()
      late.resolve()
      await earlier
    }, '"mutedKinds":["mentioned"]')
    await page.reload()
    await section.getByRole('checkbox', { name: 'Mentions', checked: false }).waitFor()
    assert.equal(await checkbox('Comments').isChecked(), true)
    await settingsAfter(() => section.getByLabel('Mails').selectOption('Never'), 'none')
    await checkbox('Mentions').and(page.locator(':disabled')).waitFor()
  })

  test('mails of an account without a time zone are sent by UTC, as its settings say', async () => {
    const { id, login } = await setup.workspace.join('Zoe Zoneless')
    await setup.hosts.database.query(
      sql`insert into account_settings (user_id, notification_mails) values (${id}, 'daily')`,
    )
    const page = await setup.signIn(login, '/account', { timezoneId: 'America/Sao_Paulo' })
    const section = page.getByRole('region', { name: 'Notifications' })
    await section.getByLabel('Hour of the day').waitFor()
    assert.equal(await section.getByLabel('Time zone').inputValue(), 'UTC')
  })

  test('a user can create an address for calendars', async () => {
    const { login } = await setup.workspace.join('Carla Calendar')
    const page = await setup.signIn(login, '/account')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByLabel('Name').fill('My phone')
    await dialog.getByLabel('Permissions').selectOption('Show assignments in another calendar')
    await dialog.getByLabel('Where').selectOption('Website relaunch')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const address = page.getByRole('dialog', { name: 'Your calendar address' }).getByLabel('Address')
    const calendar = await fetch(await address.inputValue())
    assert.equal(calendar.status, 200)
    assert.match(await calendar.text(), /^BEGIN:VCALENDAR[\s\S]*NAME:Website relaunch/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Show assignments in another calendar, in 1 project').waitFor()
  })

  test('a token and a link can be copied by hand if the page has no clipboard', async () => {
    const { login } = await setup.workspace.join('Petra Plain')
    const page = await setup.signIn(login, '/account')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByLabel('Name').fill('By hand')
    await dialog.getByLabel('Permissions').selectOption('Read everything')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const secretDialog = page.getByRole('dialog', { name: 'Your new token' })
    // Pages on plain HTTP have no clipboard.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await secretDialog.getByRole('button', { name: 'Copy' }).click()
    await secretDialog.getByRole('button', { name: 'Select the text and copy it' }).waitFor()
    const secret = secretDialog.getByLabel('Token', { exact: true })
    assert.equal(await page.evaluate('getSelection().toString()'), await secret.inputValue())
    const address = `/projects/${setup.workspace.projectId}/assignments/${await setup.workspace.assignment('To be linked')}`
    await page.goto(setup.hosts.web + address)
    await page.locator('.panel').getByRole('button', { name: 'Actions', exact: true }).click()
    const copyLink = page.getByRole('menuitem', { name: 'Copy link' })
    await copyLink.waitFor()
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await copyLink.click()
    const key = await page.locator('.panel-path .button').textContent()
    await page.getByText(`The browser does not allow copying: ${setup.hosts.web}/a/${key}`).waitFor()
  })

  test('a text selection that ends outside the dialog of a new token does not close it', async () => {
    const { login } = await setup.workspace.join('Selma Selection')
    const page = await setup.signIn(login, '/account')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByLabel('Name').fill('Selected')
    await dialog.getByLabel('Permissions').selectOption('Read everything')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const secretDialog = page.getByRole('dialog', { name: 'Your new token' })
    const text = await secretDialog.getByText('Copy it now').boundingBox()
    assert(text)
    await page.mouse.move(text.x + text.width / 2, text.y + text.height / 2)
    await page.mouse.down()
    await page.mouse.move(5, 5, { steps: 4 })
    await page.mouse.up()
    // Once this click is handled, the click that ended the selection has been handled, too.
    await secretDialog.getByRole('button', { name: 'Copy' }).click()
    assert.equal(await secretDialog.count(), 1)
    await page.mouse.click(5, 5)
    await secretDialog.waitFor({ state: 'detached' })
  })

  test('a user sees which session is the current one, and ends another one', async () => {
    const { login } = await setup.workspace.join('Sina Sessions')
    const otherDevice = await setup.visit('/account')
    await fillSignIn(otherDevice, login)
    await otherDevice.getByRole('heading', { name: 'My account' }).waitFor()
    const page = await setup.visit('/account')
    await fillSignIn(page, login)
    const section = page.getByRole('region', { name: 'Sessions' })
    await section.getByText('(this one)').waitFor()
    const sessions = section.getByRole('listitem').filter({ hasText: 'signed in' })
    assert.equal(await sessions.count(), 2)
    await section.getByText('signed in just now').first().waitFor()
    await section.getByRole('button', { name: /^End / }).first().click()
    await page.getByText('The session was ended.').waitFor()
    await sessions.nth(1).waitFor({ state: 'detached' })
    await section.getByText('(this one)').waitFor()
  })

  test('an administrator can change the role of a user and deactivate an account', async () => {
    const { login } = await setup.workspace.join('Wanda Worker')
    const page = await setup.signIn('root@example.com', '/administration/users?search=wanda')
    await openAccess(page, 'Wanda Worker')
    const dialog = page.getByRole('dialog', { name: 'Access for Wanda Worker' })
    await dialog.getByRole('button', { name: 'Make administrator' }).click()
    await dialog.getByRole('button', { name: 'Revoke role' }).waitFor()
    const visitor = await setup.visit('/administration/users')
    await fillSignIn(visitor, login)
    await visitor.getByRole('link', { name: 'Admin', exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Revoke role' }).click()
    await dialog.getByRole('button', { name: 'Make administrator' }).waitFor()
    await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await dialog.getByRole('button', { name: 'Reactivate' }).waitFor()
    const rejected = await setup.visit('/projects')
    await fillSignIn(rejected, login)
    await rejected.getByRole('alert').waitFor()
    // The message of a deactivation can undo it.
    await page.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await dialog.getByRole('button', { name: 'Reactivate' }).click()
    await dialog.getByRole('button', { name: 'Deactivate', exact: true }).waitFor()
    await fillSignIn(rejected, login)
    await rejected.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  test('an invited user creates an account and sees the project', async () => {
    const { workspace } = setup
    const { organizationId } = await workspace.get('project', workspace.projectId)
    const { id: projectId } = await workspace.make('project', { name: 'For newcomers', organizationId })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const page = await setup.signIn('mara@example.com', `/projects/${projectId}`)
    const members = page.getByRole('button', { name: 'Members…' })
    await members.hover()
    assert.equal(await members.getAttribute('title'), 'Members…', 'The tooltip is the name.')
    await members.click()
    await page.getByLabel('Name of the person to invite (optional)').fill('Nora')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('button', { name: 'End the invitation for Nora' }).waitFor()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    const visitor = await setup.visit(link.slice(setup.hosts.web.length))
    const invitation = await visitor.getByText(/invites you/).textContent()
    const sentence =
      'Mara Lindqvist invites you to the project For newcomers of Lighthouse Studio, as a member.'
    assert.equal(invitation, `${sentence}This invitation is for Nora.`)
    assert.equal(await visitor.getByLabel('Name', { exact: true }).inputValue(), 'Nora')
    await visitor.getByLabel('Name', { exact: true }).fill('')
    await visitor.getByRole('button', { name: 'Create my account' }).click()
    await visitor.getByText('Name is required.').waitFor()
    await visitor.getByLabel('Name', { exact: true }).fill('Nora New')
    await visitor.getByLabel('Login').fill('nora@example.com')
    await visitor.getByRole('textbox', { name: 'Password' }).fill('Correct-Horse-2')
    await visitor.getByRole('button', { name: 'Create my account' }).click()
    // The new user is signed in at once.
    await visitor.getByRole('heading', { name: 'For newcomers' }).waitFor()
    await visitor.getByRole('button', { name: 'New assignment', exact: true }).waitFor()
    // The dialog that was left open and the board behind it show the new member.
    await page.getByRole('button', { name: 'Remove Nora New from the project' }).waitFor()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filter by Nora New' }).waitFor({ state: 'attached' })
    const late = await setup.visit(link.slice(setup.hosts.web.length), { locale: 'pt-BR' })
    await late.getByRole('heading', { name: 'Este convite não vale mais' }).waitFor()
    await late.getByText('Este link já foi usado').waitFor()
  })

  test('an invitation in Portuguese shows who invites, with each name in its own direction', async () => {
    const { workspace, visit, signIn } = setup
    const { id: organizationId } = await workspace.make('organization', { name: 'نادي (2)' })
    const { id } = await workspace.make('project', { name: 'רציף 12!', organizationId })
    await workspace.make('userProject', { projectId: id, userId: workspace.mara.id })
    const page = await signIn('mara@example.com', `/projects/${id}`)
    await page.getByRole('button', { name: 'Members…' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    const visitor = await visit(link.slice(setup.hosts.web.length), { locale: 'pt-BR' })
    const sentence = visitor.getByText(/convida você/)
    assert.equal(
      await sentence.textContent(),
      'Mara Lindqvist convida você para o projeto רציף 12!, de نادي (2), como membro.',
    )
    assert.equal(await sentence.locator('bdi').count(), 3)
  })

  test('a member can revoke one of two invitations', async () => {
    const { login } = await setup.workspace.join('Jette Joins')
    const project = await setup.workspace.make('project', {
      name: 'Lantern room',
      organizationId: setup.workspace.organizationId,
    })
    await setup.workspace.make('userProject', { projectId: project.id, userId: setup.workspace.mara.id })
    const page = await setup.signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Lantern room' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Members of Lantern room' })
    const createLink = dialog.getByRole('button', { name: 'Create link' })
    const invitations = dialog.getByText('Anyone with the link')
    await createLink.click()
    await invitations.first().waitFor()
    const endedLink = await dialog.getByLabel('Link', { exact: true }).inputValue()
    await dialog.getByRole('button', { name: 'Done' }).press('Enter')
    await createLink.and(page.locator(':focus')).press('Enter')
    await invitations.nth(1).waitFor()
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    // Seconds tell invitations without a name apart.
    await dialog
      .getByRole('button', { name: /^End the invitation by Mara Lindqvist until [^:]+:\d\d$/ })
      .last()
      .click()
    await dialog.getByText('By Mara Lindqvist').nth(1).waitFor({ state: 'detached' })
    const visitor = await setup.visit(endedLink.slice(setup.hosts.web.length))
    await visitor.getByRole('heading', { name: 'This invitation is no longer valid' }).waitFor()
    // The addresses of the links differ only in their hashes, so the browser does not load the page again.
    await visitor.goto(link)
    await visitor.getByRole('button', { name: 'I have an account: sign in and join' }).click()
    await fillSignIn(visitor, login)
    await visitor.getByRole('button', { name: 'Join as Jette Joins' }).click()
    await visitor.waitForURL(`**/projects/${project.id}`)
    await visitor.getByRole('heading', { name: 'Lantern room' }).waitFor()
  })

  test('a user can set a new password once with a link from an administrator', async () => {
    const { login } = await setup.workspace.join('Lucas Lost')
    const page = await setup.signIn('root@example.com', '/administration/users?search=lucas')
    await openAccess(page, 'Lucas Lost')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    const visitor = await setup.visit(link.slice(setup.hosts.web.length))
    await visitor.getByRole('textbox', { name: 'New password' }).fill('Better-Horse-2')
    await visitor.getByRole('button', { name: 'Set password' }).click()
    await visitor.getByRole('link', { name: 'Sign in' }).click()
    await fillSignIn(visitor, login, 'Better-Horse-2')
    await visitor.getByRole('heading', { name: 'My work' }).waitFor()
    const late = await setup.visit(link.slice(setup.hosts.web.length))
    await late.getByRole('textbox', { name: 'New password' }).fill('Better-Horse-3')
    await late.getByRole('button', { name: 'Set password' }).click()
    await late.getByText('This link was already used').waitFor()
  })

  test('links in mails lead to a new password and to an invitation', async () => {
    const { login } = await setup.workspace.join('Frieda Forgot')
    const visitor = await setup.visit('/account')
    await visitor.getByRole('link', { name: 'Forgot your password?' }).click()
    await visitor.getByLabel('Login').fill(login)
    await visitor.getByRole('button', { name: 'Send the link' }).click()
    await visitor.getByRole('heading', { name: 'Check your email' }).waitFor()
    await visitor.goto(setup.hosts.web + (await newestLinkTo(login)))
    await visitor.getByRole('textbox', { name: 'New password' }).fill('Better-Horse-2')
    await visitor.getByRole('button', { name: 'Set password' }).click()
    await visitor.getByRole('link', { name: 'Sign in' }).click()
    await fillSignIn(visitor, login, 'Better-Horse-2')
    await visitor.getByRole('heading', { name: 'My work' }).waitFor()
    const page = await setup.signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Website relaunch' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await page.getByLabel('Invite by mail').fill('not an address')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('must be a mail address').waitFor()
    await page.getByLabel('Invite by mail').fill('ida@example.com, olaf@example.com')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('2 invitations are on their way.').waitFor()
    for (const address of ['ida', 'olaf'])
      await page.getByRole('button', { name: `End the invitation for ${address}@example.com` }).waitFor()
    await visitor.goto(setup.hosts.web + (await newestLinkTo('ida@example.com')))
    await visitor.getByRole('heading', { name: 'You were invited' }).waitFor()
    await visitor.getByRole('button', { name: 'Join as Frieda Forgot' }).click()
    await visitor.getByRole('alert').getByText('You are already a member of this project.').waitFor()
  })

  test('a user ends all sessions at once, including the current one', async () => {
    const { login } = await setup.workspace.join('Ella Everywhere')
    const page = await setup.signIn(login, '/account')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'End all', exact: true }).click()
    await page.waitForURL('**/login/**')
    // A page that is closed while it is still loading may hang.
    await page.getByLabel('Password').waitFor()
  })

  test('the pages cause no errors and send no requests to other hosts', () => {
    assert.deepEqual(setup.offences, [])
  })
})
