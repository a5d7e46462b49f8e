import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readSettings } from '../../src/config/settings.ts'
import { readWebSettings } from '../../src/hosts/web/configuration.ts'
import { startWeb, type WebHost } from '../../src/hosts/web/main.ts'
import { createLog } from '../../src/http/log.ts'
import { buildClient, whileBuilding } from './support/build-client.ts'

const log = createLog({ level: 'fatal' })
const environment = {
  WEB_PORT: '0',
  WEB_API_URL: 'https://api.example.com',
  Jwt__Issuer: 'https://id.example.com/tenant',
  EXTENSIONS: 'off',
}

describe('The host of the web client', () => {
  let folder: string
  let host: WebHost
  let address = ''
  before(async () => {
    folder = await buildClient()
    host = await startWeb(readSettings(environment, readWebSettings), log, folder)
    address = `http://127.0.0.1:${(host.app.server.address() as AddressInfo).port}`
  }, whileBuilding)
  after(() => host.stop())
  const findScript = async () =>
    /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(address)).text())?.[1] ?? ''

  test('serves metrics if they are on', async () => {
    assert.equal((await fetch(`${address}/metrics`)).status, 404)
    const measured = await startWeb(
      readSettings({ ...environment, METRICS: 'true' }, readWebSettings),
      log,
      folder,
    )
    try {
      const { port } = measured.app.server.address() as AddressInfo
      await fetch(`http://127.0.0.1:${port}/projects`)
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
      assert.match(
        await answer.text(),
        /^http_request_duration_seconds_count\{.*route="\/\*".*status="200"\} 1$/m,
      )
    } finally {
      await measured.stop()
    }
  })

  test('sends the page for the address of every screen', async () => {
    for (const path of [
      '/',
      '/login/?authRequest=x',
      '/signin-callback/?code=x',
      '/projects/4711',
      '/a/b/c',
    ]) {
      const answer = await fetch(address + path)
      assert.equal(answer.status, 200, path)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache', path)
    }
  })

  test('responds with 404 for a missing file', async () => {
    for (const path of ['/assets/old-hash.js', '/assets/', '/robots.txt', '/../package.json', '/.env']) {
      const answer = await fetch(address + path)
      assert.equal(answer.status, 404, path)
      assert.match(await answer.text(), /"statusCode":404/, path)
    }
  })

  test('lets browsers cache files named after their content permanently', async () => {
    const answer = await fetch(address + (await findScript()))
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
  })

  test('sends the font that the page preloads', async () => {
    const page = await (await fetch(address)).text()
    const font = /rel="preload"\s+href="(\/assets\/[^"]+\.woff2)"/.exec(page)?.[1] ?? ''
    const answer = await fetch(address + font)
    assert.equal(answer.headers.get('content-type'), 'font/woff2')
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const { byteLength } = await answer.arrayBuffer()
    assert.ok(byteLength < 50_000, `${byteLength} bytes`)
    const styles = /href="(\/assets\/[^"]+\.css)"/.exec(page)?.[1] ?? ''
    assert.ok((await (await fetch(address + styles)).text()).includes(font))
  })

  test('sends the service worker without caching', async () => {
    const answer = await fetch(`${address}/worker.js`)
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
    const names: string[] = JSON.parse(/const files = (\[.*\])/.exec(await answer.text())?.[1] ?? '')
    assert.deepEqual(
      names.filter((name) => name.startsWith('/assets/')).map((name) => name.slice('/assets/'.length)),
      (await readdir(join(folder, 'assets'))).filter((name) => !/\.(gz|br)$/.test(name)).sort(),
    )
    for (const name of names) assert.equal((await fetch(address + name)).status, 200, name)
  })

  test('describes an app whose icons have the stated sizes', async () => {
    const answer = await fetch(`${address}/manifest.webmanifest`)
    assert.equal(answer.headers.get('content-type'), 'application/manifest+json')
    const { icons } = (await answer.json()) as { icons: { src: string; sizes: string }[] }
    assert.equal(icons.length, 3)
    for (const { src, sizes } of icons) {
      const icon = await fetch(address + src)
      assert.equal(icon.headers.get('content-type'), 'image/png')
      const head = Buffer.from(await icon.arrayBuffer())
      assert.equal(`${head.readUInt32BE(16)}x${head.readUInt32BE(20)}`, sizes)
    }
  })

  test('lets no browser cache the page permanently, even if the client is in a folder named assets', async (context) => {
    const parent = await mkdtemp(join(tmpdir(), 'client-'))
    context.after(() => rm(parent, { recursive: true }))
    const installed = join(parent, 'assets', 'client')
    await cp(folder, installed, { recursive: true })
    const other = await startWeb(readSettings(environment, readWebSettings), log, installed)
    context.after(() => other.stop())
    const { port } = other.app.server.address() as AddressInfo
    for (const path of ['/', '/icon.svg']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      assert.equal(answer.headers.get('cache-control'), 'no-cache', path)
    }
  })

  test('sends files compressed to browsers that accept it', async () => {
    const path = await findScript()
    const encodings = { br: 'gzip, br', gzip: 'gzip;q=0.5, br;q=0' }
    for (const [encoding, accepted] of Object.entries(encodings)) {
      const answer = await fetch(address + path, { headers: { 'accept-encoding': accepted } })
      assert.equal(answer.headers.get('content-encoding'), encoding)
      assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
    }
    const plain = await fetch(address + path, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.headers.get('content-encoding'), null)
  })

  test('answers HEAD without a body, and rejects POST', async () => {
    const head = await fetch(address, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(await head.text(), '')
    assert.equal((await fetch(address, { method: 'POST' })).status, 405)
  })

  test('sends the client its configuration without caching', async () => {
    const answer = await fetch(`${address}/config.json`)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await answer.json(), {
      apiUrl: 'https://api.example.com',
      issuer: 'https://id.example.com/tenant',
      clientId: 'svc-webclient',
      extensions: false,
      passkeys: false,
      mail: false,
      notificationMails: false,
      fileMegabytes: 25,
    })
  })

  test('reports that it is alive and ready', async () => {
    for (const path of ['/healthz', '/readyz'])
      assert.equal(await (await fetch(address + path)).text(), 'Healthy')
  })

  test('allows the page only its own files and scripts, the API and the identity provider', async () => {
    const answer = await fetch(`${address}/login/`)
    const { headers } = answer
    const page = await answer.text()
    const [, ownScript = assert.fail()] = /<script>(.*?)<\/script>/s.exec(page) ?? []
    assert.doesNotMatch(page.replace(`<script>${ownScript}`, ''), /<script(?![^>]*src=)|style=|https?:\/\//)
    const hash = createHash('sha256').update(ownScript).digest('base64')
    assert.equal(
      headers.get('content-security-policy'),
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self' blob:; font-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self' https://api.example.com https://id.example.com; form-action 'self' https://id.example.com; base-uri 'none'; frame-ancestors 'none'`,
    )
    assert.equal(headers.get('referrer-policy'), 'strict-origin')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  test('fails to start if the client is not built', async () => {
    await assert.rejects(
      startWeb(readSettings(environment, readWebSettings), log, join(folder, 'nowhere')),
      /npm run build/,
    )
  })

  test('sends less than 90 kB of compressed script in the first load', async () => {
    const assets = join(folder, 'assets')
    const { size } = await stat(join(folder, `${await findScript()}.gz`))
    assert.ok(size < 90_000, `${size} bytes`)
    const names = (await readdir(assets)).filter((name) => name.endsWith('.js.gz'))
    assert.ok(names.length > 1, names.join())
    // Other languages are loaded only by users who chose them, including the translations of errors.
    assert.doesNotMatch(await readFile(join(folder, await findScript()), 'utf8'), /Não|você/)
  })
})
