import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'

const bufBin = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf')

/** Clients that know nothing of this project: they learn the messages by reflection, and check every file they get. */
describe('A client that learns the commands by reflection, and is strict about it,', () => {
  let host: CommandsUnderTest
  before(async () => {
    host = await startCommandsUnderTest()
  })
  after(() => host.stop())

  function bufCurl(path: string, ...words: string[]): Promise<{ code: number; output: string }> {
    const common = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge']
    const child = spawn(process.execPath, [bufBin, ...common, ...words, `http://${host.target}${path}`])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 1, output })))
  }

  test('lists every service and method there is', async () => {
    const { code, output } = await bufCurl('', '--list-methods')
    assert.equal(code, 0, output)
    const methods = output.split('\n').filter((line) => line !== '')
    assert.equal(methods.filter((name) => name.startsWith('tracker.commands.v1.Commands/')).length, 55)
    assert.ok(methods.includes('grpc.health.v1.Health/Check'), output)
    assert.ok(methods.includes('grpc.health.v1.Health/List'), output)
  })

  test('asks for the health of the host, of one service and of all', async () => {
    const one = await bufCurl('/grpc.health.v1.Health/Check', '--data', '{}')
    assert.deepEqual(JSON.parse(one.output), { status: 'SERVING' })
    const all = await bufCurl('/grpc.health.v1.Health/List', '--data', '{}')
    assert.deepEqual(Object.keys(JSON.parse(all.output).statuses), [
      '',
      'tracker.commands.v1.Commands',
      'tracker.ext.v1.Commands',
    ])
  })

  test('creates a record and reads it', async () => {
    const header = ['--header', `Authorization: Bearer ${host.administrator.token}`]
    const created = await bufCurl(
      '/tracker.commands.v1.Commands/CreateOrganization',
      ...header,
      '--data',
      JSON.stringify({ name: 'Strictly speaking' }),
    )
    assert.equal(created.code, 0, created.output)
    const { organization, success } = JSON.parse(created.output)
    assert.equal(success, true)
    const found = await bufCurl(
      '/tracker.commands.v1.Commands/GetOrganizationById',
      ...header,
      '--data',
      JSON.stringify({ id: organization.id }),
    )
    assert.equal(JSON.parse(found.output).organization.name, 'Strictly speaking')
  })
})
