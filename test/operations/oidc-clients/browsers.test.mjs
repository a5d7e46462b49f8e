import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { issuer, login, password, statusOf } from './person.mjs'

const { ROOT, PAGES_PORT } = process.env
const { launchChromium } = await import(`${ROOT}/test/support/chromium.ts`)
const { build } = await import(`${ROOT}/node_modules/vite/dist/node/index.js`)

const names = ['oidc-client-ts', 'react-oidc-context', 'keycloak-js', 'oidc-spa', 'okta-auth-js']
const folder = import.meta.dirname
const addressOf = (name) => `http://localhost:${PAGES_PORT}/${name}/`

let browser
let server
before(async () => {
  for (const name of names) {
    await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      define: {
        ISSUER: JSON.stringify(issuer),
        HERE: JSON.stringify(addressOf(name)),
        'process.env.NODE_ENV': '"production"',
      },
      build: {
        target: 'esnext',
        outDir: join(folder, 'made', name),
        lib: { entry: join(folder, 'pages', `${name}.js`), formats: ['es'], fileName: () => 'app.js' },
      },
    })
    mkdirSync(join(folder, 'made', name), { recursive: true })
    writeFileSync(
      join(folder, 'made', name, 'index.html'),
      '<!doctype html><html lang="en"><title>App</title><body><script type="module" src="./app.js"></script>',
    )
  }
  server = createServer((request, response) => {
    const [path] = request.url.split('?')
    try {
      const file = readFileSync(join(folder, 'made', path.endsWith('/') ? `${path}index.html` : path))
      response.writeHead(200, { 'content-type': path.endsWith('/') ? 'text/html' : 'text/javascript' })
      response.end(file)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(PAGES_PORT, resolve))
  browser = await launchChromium()
})
after(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})

/** Waits until the expression has the value, even if the browser loads other pages meanwhile. */
async function until(page, expression, value) {
  let seen
  for (let tries = 0; tries < 250; tries += 1) {
    seen = await page.evaluate(expression).catch((error) => error.message)
    if (seen === value) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.fail(`${page.url()}: ${seen}, not ${value}`)
}
const loginOf = `(async () => window.app ? (await window.app.login()) ?? 'nobody' : 'loading')()`
const call = (page, name) => page.evaluate(`window.app.${name}()`).catch(() => undefined)
/** Renews the token in the page, or by a sign-in that shows no page. */
async function renew(page) {
  if (await page.evaluate('!!window.app.refresh'))
    return page.evaluate('Promise.resolve(window.app.refresh()).then(() => 0)')
  const before = await tokenOf(page)
  await call(page, 'renew')
  await until(
    page,
    `!!window.app && window.app.token() !== undefined && window.app.token() !== '${before}'`,
    true,
  )
}
const tokenOf = (page) => page.evaluate('window.app.token()')

for (const name of names)
  test(`${name} signs in, refreshes in two tabs at once, and signs out`, async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.on('pageerror', (error) => console.error(`${name}: ${error.message}`))
    page.setDefaultTimeout(30_000)
    await page.goto(addressOf(name))
    await until(page, loginOf, 'nobody')
    await call(page, 'signIn')
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await Promise.race([
      page
        .getByRole('button', { name: 'Allow', exact: true })
        .click()
        .catch(() => undefined),
      until(page, loginOf, login),
    ])
    await until(page, loginOf, login)
    const first = await tokenOf(page)
    assert.equal(await statusOf(first), 200)

    const tab = await context.newPage()
    await tab.goto(addressOf(name))
    await until(tab, '!!window.app', true)
    if ((await tab.evaluate(loginOf)) !== login) await call(tab, 'signIn')
    await until(tab, loginOf, login)
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([page, tab].map(renew))
      for (const tabPage of [page, tab]) assert.equal(await statusOf(await tokenOf(tabPage)), 200, `round ${round}`)
    }
    const last = await tokenOf(page)
    assert.notEqual(last, first)

    await call(page, 'signOut')
    await until(page, loginOf, 'nobody')
    assert.ok(page.url().startsWith(addressOf(name)), page.url())
    assert.equal(await statusOf(last), 401)
    await context.close()
  })
