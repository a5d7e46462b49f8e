import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { issuer, login, password, secret, statusOf } from './person.mjs'

const modules = '/usr/lib/apache2/modules'
const isInstalled = existsSync(join(modules, 'mod_auth_openidc.so')) && existsSync('/usr/sbin/apache2')
const place = `http://localhost:${process.env.APACHE_PORT}`

test('mod_auth_openidc signs in, refreshes and signs out', {
  skip: !isInstalled && 'Apache is not installed.',
}, async (t) => {
  const folder = join(import.meta.dirname, 'apache')
  mkdirSync(join(folder, 'secret'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), 'home')
  writeFileSync(
    join(folder, 'secret', 'index.html'),
    '<!--#echo var="REMOTE_USER" --> <!--#echo var="OIDC_CLAIM_preferred_username" -->',
  )
  const loaded = 'mpm_event authn_core authz_core authz_user alias dir mime include auth_openidc'
  const settings = `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
User www-data
Group www-data
Mutex file:${folder} default
Listen 127.0.0.1:${process.env.APACHE_PORT}
${loaded
  .split(' ')
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join('\n')}
DocumentRoot ${folder}
DirectoryIndex index.html
TypesConfig /etc/mime.types
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID apache
OIDCClientSecret ${secret}
OIDCRedirectURI ${place}/secret/callback
OIDCCryptoPassphrase ${secret}
OIDCScope "openid profile offline_access"
OIDCDefaultLoggedOutURL ${place}/
OIDCInfoHook iat access_token access_token_expires id_token userinfo refresh_token session
<Location /secret>
  AuthType openid-connect
  Require valid-user
  Options +Includes
  SetOutputFilter INCLUDES
</Location>
`
  writeFileSync(join(folder, 'apache.conf'), settings)
  const apache = spawn('/usr/sbin/apache2', ['-X', '-f', join(folder, 'apache.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => apache.once('exit', resolve))
  t.after(() => {
    apache.kill('SIGKILL')
    return ended
  })
  for (let tries = 0; tries < 100 && !(await fetch(`${place}/`).catch(() => undefined)); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))

  const { launchChromium } = await import(`${process.env.ROOT}/test/support/chromium.ts`)
  const browser = await launchChromium()
  t.after(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(25_000)
  await page.goto(`${place}/secret/`)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText(login).waitFor()
  const tokenOf = async (query) => (await (await page.goto(`${place}/secret/callback?info=json${query}`)).json()).access_token
  const first = await tokenOf('')
  assert.equal(await statusOf(first), 200)
  const second = await tokenOf('&access_token_refresh_interval=0')
  assert.notEqual(second, first)
  assert.equal(await statusOf(second), 200)
  await page.goto(`${place}/secret/callback?logout=${encodeURIComponent(`${place}/`)}`)
  await page.getByText('home').waitFor()
  assert.equal(await statusOf(second), 401)
  await page.goto(`${place}/secret/`)
  await page.getByLabel('Password').waitFor()
})
