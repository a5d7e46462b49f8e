import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { makeToken } from '../support/api-tokens.ts'
import { openBrowser, queryOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { registrationOf, submit, type TestClient } from '../support/registered-clients.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const assistant: TestClient = {
  id: 'assistant',
  redirectUri: 'http://127.0.0.1:8765/callback',
  postLogoutRedirectUri: 'http://127.0.0.1:8765/',
  extraSettings: { Scopes__0: 'svc.api', Scopes__1: 'offline_access' },
}

/**
 * Connects the client of the SDK with the protocol that it negotiates, or with the protocol that all clients
 * support.
 */
async function connect(address: string, token: string, mode: 'auto' | 'legacy' = 'legacy', query = '') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(`/ext/mcp${query}`, address), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return client
}

async function namesOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

async function callTool(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { isError = false, content } = await client.callTool({ name, arguments: given })
  const [first] = content as readonly { readonly text: string }[]
  const text = first?.text ?? ''
  return { isError, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

describe('Language models', () => {
  const rest = fixture(startRestUnderTest, registrationOf(assistant))
  const workspace = fixture(seed, rest)
  let projectId: string
  let assignmentId: string
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))
  before(async () => {
    projectId = await workspace.project('Moon base', ann)
    assignmentId = await workspace.assignment(projectId, ann.id, { name: 'Build the ladder' })
    await workspace.assignment(await workspace.project('Elsewhere', bob), bob.id, { name: 'Not for Ann' })
  })
  const tokenOf = async (person: Person, scopes: readonly string[], projectIds?: readonly string[]) =>
    (await makeToken(rest, person.token, { scopes, ...(projectIds && { projectIds }) })).secret

  for (const mode of ['legacy', 'auto'] as const) {
    test(`read only what their token permits, with the ${mode} protocol`, async () => {
      const client = await connect(rest.address, await tokenOf(ann, ['*:read']), mode)
      const me = await callTool(client, 'get_own_account')
      assert.equal(me.body.name, 'Ann')
      const given = { filter: 'userId eq me', fields: 'name,project.name', expand: 'project', pageSize: 5 }
      const { body } = await callTool(client, 'query_assignments', given)
      assert.deepEqual(
        body.result.data.map(({ name, project }: { name: string; project: { name: string } }) => [
          name,
          project.name,
        ]),
        [['Build the ladder', 'Moon base']],
      )
      await client.close()
    })
  }

  test('change nothing with a read-only token', async () => {
    const client = await connect(rest.address, await tokenOf(ann, ['*:read']))
    const { tools } = await client.listTools()
    assert.ok(tools.length > 20)
    for (const { name, annotations } of tools) assert.equal(annotations?.readOnlyHint, true, name)
    const rejected = await callTool(client, 'create_comment', { assignmentId, text: 'I was here' })
    assert.deepEqual(
      [rejected.isError, rejected.text],
      [true, 'There is no tool create_comment for this token.'],
    )
  })

  test('change what their token permits', async () => {
    const scopes = ['assignment:write', 'comment:write', 'project:read']
    const client = await connect(rest.address, await tokenOf(ann, scopes, [projectId]))
    const names = await namesOf(client)
    assert.ok(names.includes('update_assignment') && names.includes('remove_comment'))
    assert.ok(!names.includes('create_project') && !names.includes('query_labels'))
    const changed = await callTool(client, 'update_assignment', { id: assignmentId, priority: 3 })
    assert.equal(changed.body.assignment.priority, 3)
    const made = await callTool(client, 'create_comment', { assignmentId, text: 'Nine rungs' })
    assert.equal(made.body.comment.text, 'Nine rungs')
    const tooMuch = await callTool(client, 'update_assignment', { id: assignmentId, priority: 9 })
    assert.equal(tooMuch.isError, true)
    assert.deepEqual(Object.keys(tooMuch.body.errors), ['priority'])
    const removed = await callTool(client, 'remove_comment', { ids: [made.body.comment.id] })
    assert.deepEqual(removed.body, { success: true })
  })

  test('get only the tools to which the query of the address limits them', async () => {
    const client = await connect(rest.address, ann.token, 'legacy', '?resources=comment,label&readOnly=true')
    const all = await namesOf(await connect(rest.address, ann.token))
    const names = await namesOf(client)
    assert.deepEqual(
      names.filter((name) => name.startsWith('query')),
      ['query_comments', 'query_labels'],
    )
    assert.ok(all.includes('create_comment') && !names.includes('create_comment'))
    assert.equal((await callTool(client, 'create_comment', { assignmentId, text: 'x' })).isError, true)
    for (const [name, value] of [
      ['resources', 'planet'],
      ['resources', ''],
      ['readOnly', 'maybe'],
    ] as const) {
      const rejected = await ann.call('POST', `/ext/mcp?${name}=${value}`, {})
      assert.deepEqual([rejected.status, Object.keys(rejected.body.errors)], [400, [name]])
    }
  })

  test('never change accounts', async () => {
    const client = await connect(rest.address, rest.administrator.token)
    const names = await namesOf(client)
    assert.ok(names.includes('query_users') && names.includes('create_organization'))
    for (const action of ['create', 'update', 'remove', 'restore'])
      assert.ok(!names.includes(`${action}_user`), action)
    const rejected = await callTool(client, 'update_user', { id: ann.id, name: 'Anna' })
    assert.equal(rejected.isError, true)
  })

  test('sign users in at the provider that the host names, as the specification of MCP requires', async () => {
    const browser = openBrowser(rest.identity.address)
    const stored: { tokens?: unknown; verifier?: string; address?: URL; discovery?: unknown } = {}
    const provider: OAuthClientProvider = {
      redirectUrl: assistant.redirectUri,
      clientMetadata: { redirect_uris: [assistant.redirectUri] },
      clientInformation: () => ({ client_id: assistant.id, issuer: rest.identity.address }) as never,
      tokens: () => stored.tokens as never,
      saveTokens(tokens) {
        stored.tokens = tokens
      },
      redirectToAuthorization(address) {
        stored.address = address
      },
      saveCodeVerifier(verifier) {
        stored.verifier = verifier
      },
      codeVerifier: () => stored.verifier ?? '',
      // The client accepts a code only from the provider to which it sent the user.
      saveDiscoveryState(state) {
        stored.discovery = state
      },
      discoveryState: () => stored.discovery as never,
    }
    const url = new URL('/ext/mcp', rest.address)
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider })
    const client = new Client({ name: 'test', version: '1' })
    await assert.rejects(client.connect(first), UnauthorizedError)
    assert.equal(stored.address?.searchParams.get('scope')?.includes('svc.api'), true)
    let page = await browser.follow(await browser.get(stored.address?.href ?? ''))
    page = await submit(browser, page, { login: ann.login, password })
    page = await submit(browser, page, { answer: 'allow' })
    const { code = '', iss } = queryOf(page)
    await first.finishAuth(new URLSearchParams({ code, ...(iss && { iss }) }))
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
    assert.equal((await callTool(client, 'get_own_account')).body.id, ann.id)
    assert.ok((await namesOf(client)).includes('create_assignment'))
  })

  test('without a token get the address of the provider', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { status, headers } = await rest.call('POST', '/ext/mcp', { body: message })
    assert.equal(status, 401)
    const metadata = `${rest.address}/.well-known/oauth-protected-resource/ext/mcp`
    assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}", scope="svc.api"`)
    const { resource, authorization_servers } = (
      await rest.call('GET', '/.well-known/oauth-protected-resource/ext/mcp')
    ).body
    assert.deepEqual([resource, authorization_servers], [`${rest.address}/ext/mcp`, [rest.identity.address]])
    assert.equal((await ann.call('GET', '/ext/mcp')).status, 405)
  })

  test('that send invalid messages get errors', async () => {
    const send = async (body: unknown) => ann.call('POST', '/ext/mcp', body, headers)
    const headers = { accept: 'application/json, text/event-stream' }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    assert.equal((await send([list, list])).status, 400)
    for (const body of [{}, { jsonrpc: '2.0' }, { id: 1 }]) assert.equal((await send(body)).status, 400)
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { filter: {} } }
    assert.match(JSON.stringify((await send(listen)).body), /"?error/)
    const unknown = await connect(rest.address, ann.token)
    for (const name of ['', 'constructor', 'query_planets', 'x'.repeat(5000)])
      assert.equal((await callTool(unknown, name)).isError, true)
    const { body } = await callTool(unknown, 'query_assignments', { filter: { name: 'x' }, cursor: null })
    assert.deepEqual(Object.keys(body.errors), ['filter'])
  })
})

describe('Calls of language models', () => {
  const rest = fixture(startRestUnderTest, {
    ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
    RateLimit__Rest__PermitLimit: '12',
    RateLimit__Rest__WindowSeconds: '3600',
    RateLimit__Rest__QueueLimit: '0',
  })
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_own_account' } }
  const callFrom = async (address: string) => {
    const headers = { accept: 'application/json, text/event-stream', 'x-forwarded-for': address }
    const { status, body } = await rest.administrator.call('POST', '/ext/mcp', message, headers)
    return `${status} ${/Too many requests/.test(JSON.stringify(body)) ? 'too many' : 'fine'}`
  }

  test('count as requests of the address of the client', async () => {
    const answers = []
    for (let count = 0; count < 7; count += 1) answers.push(await callFrom('203.0.113.1'))
    // The message counts as a request, and so does the call.
    assert.deepEqual(answers, [...Array(6).fill('200 fine'), '429 too many'])
    assert.equal(await callFrom('203.0.113.2'), '200 fine')
  })
})
