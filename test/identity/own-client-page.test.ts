import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { freePort } from '../support/child-host.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { submit } from '../support/registered-clients.ts'

const root = join(import.meta.dirname, '..', '..')

test('the program of docs/identity.md, with the settings before it, greets the user who signs in', async (t) => {
  const page = readFileSync(join(root, 'docs', 'identity.md'), 'utf8')
  const [, settings = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
  const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  const place = `http://localhost:${await freePort()}`
  const environment = Object.fromEntries(
    [...settings.matchAll(/^export (\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace('http://localhost:3000', place),
    ]),
  )
  assert.equal(Object.keys(environment).length, 3)
  const host = await startIdentityUnderTest({ environment })
  const folder = mkdtempSync(join(tmpdir(), 'own-client-'))
  t.after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await host.stop()
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'greet.ts'), program)
  const greeter = spawn(process.execPath, [join(folder, 'greet.ts')], {
    env: { ...process.env, ISSUER: host.address, CALLBACK: `${place}/callback` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => greeter.kill())
  let printed = ''
  const ended = new Promise<void>((resolve) => greeter.on('close', () => resolve()))
  const browser = openBrowser(host.address)
  for await (const part of greeter.stdout) {
    printed += part
    const [, address] = /^Open (\S+)\n$/.exec(printed) ?? []
    if (address === undefined) continue
    const signIn = await browser.follow(await browser.get(address))
    const asked = await submit(browser, signIn, { login: host.person.login, password })
    const callback = await submit(browser, asked, { answer: 'allow' })
    assert.equal((await fetch(callback.location, { headers: { connection: 'close' } })).status, 200)
  }
  await ended
  assert.match(printed, new RegExp(`\nHello ${host.person.name} \\(${host.person.login}\\)\n$`))
  assert.equal(greeter.exitCode, 0)
})
