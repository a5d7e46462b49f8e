import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { createPkce, openBrowser, queryOf, requestOf } from '../support/browser.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { type OutsideProviderUnderTest, startOutsideProvider } from '../support/outside-provider.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

const root = join(import.meta.dirname, '..', '..')

/** Those that want a token. */
async function routesOfContract(): Promise<readonly { readonly path: string; readonly method: string }[]> {
  const { paths } = JSON.parse(await readFile(join(root, 'docs/contract/rest.v1.json'), 'utf8'))
  return Object.entries<Readonly<Record<string, unknown>>>(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({ path, method: method.toUpperCase() })),
    )
    .filter(({ method }) => /^(GET|POST|PATCH|DELETE)$/.test(method))
}

describe('With EXTENSIONS=off on a store that has used them', () => {
  let outside: OutsideProviderUnderTest
  let rest: RestUnderTest
  let commands: CommandsUnderTest
  let address: string
  /** A personal access token that works wherever the extensions are on. */
  let secret: string
  before(async () => {
    outside = await startOutsideProvider()
    rest = await startRestUnderTest()
    ;({ secret } = await makeToken(rest, rest.administrator.token))
    ;({ address } = await rest.startAnother({ extensions: false }))
    commands = await startCommandsUnderTest({ EXTENSIONS: 'off' }, { beside: rest })
  })
  after(async () => {
    await commands?.stop()
    await rest?.stop()
    await outside?.stop()
  })

  test('a personal access token is accepted by no route of the contract', async () => {
    assert.equal((await rest.call('GET', '/api/me', { token: secret })).status, 200)
    const asked = await routesOfContract()
    for (const { path, method } of asked) {
      const body = method === 'GET' ? {} : { body: {} }
      assertEnvelope(await send(address, method, path, { token: secret, ...body }), 401)
    }
    assert.ok(asked.length > 40, String(asked.length))
    const stream = await send(address, 'GET', '/api/projects', {
      token: secret,
      headers: { accept: 'text/event-stream' },
    })
    assert.equal(stream.status, 401)
  })

  test('nor by a command, on either wire', async () => {
    const [calls, dotnet] = [openCommandCalls(commands.target), openDotnetCalls(commands.target)]
    const { code } = await calls.call('ListOrganizations', { pagination: {} }, { token: secret })
    assert.equal(code, status.UNAUTHENTICATED)
    const answer = await dotnet.call('Organization', 'ListOrganizationsCommand', {}, { token: secret })
    assert.equal(answer.code, status.UNAUTHENTICATED)
    calls.close()
    dotnet.close()
  })

  test('the identity host has no providers, no pages and no addresses beyond the contract', async () => {
    const identity = await rest.identity.startAnother({ EXTENSIONS: 'off', ...outside.settings('corp') })
    const browser = openBrowser(identity.address)
    const gone = [
      ...['/ext/providers', '/ext/sign-in/with', '/ext/sign-in/from/corp', '/ext/connect'],
      ...['/ext/signed-out/return', '/ext/sign-in', '/.well-known/oauth-authorization-server'],
      ...['/swagger/extensions', '/swagger/extensions.v1.json'],
    ]
    for (const path of gone) {
      assert.equal((await browser.get(path)).status, 404, path)
      assert.equal((await browser.post(path, {}, { origin: identity.address })).status, 404, path)
    }
    assert.equal(
      (await browser.get('/connect/userinfo', {}, { authorization: `Bearer ${secret}` })).status,
      401,
    )
    // The web client's page gets nothing beyond the contract.
    const hinted = requestOf(createPkce(), { login_hint: 'mara@example.com' })
    const page = await browser.follow(await browser.get('/connect/authorize', hinted))
    assert.deepEqual(Object.keys(queryOf(page)), ['authRequest'])
  })
})
