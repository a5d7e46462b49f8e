import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { credentialsFor } from '../../clients/typescript/src/channel.ts'
import { CommandError, openCommandClient } from '../../clients/typescript/src/commands.ts'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { startTlsFront } from '../support/tls-front.ts'

describe('The typed client over TLS', { skip: !hasOpenssl && 'openssl is not installed' }, () => {
  let host: CommandsUnderTest
  before(async () => {
    host = await startCommandsUnderTest()
  })
  after(() => host.stop())

  test('trusts the authority it is given, for the name of the certificate, and no other', async (t) => {
    const certificate = makeCertificate(t, ['commands.example.com'])
    const front = await startTlsFront(host.target, certificate)
    t.after(front.stop)
    const { ca } = certificate
    const { token } = host.administrator
    const create = async (tls: Parameters<typeof openCommandClient>[0]['tls'] & object) => {
      const client = openCommandClient({ target: `localhost:${front.port}`, token, tls })
      try {
        return await client.createOrganization({ name: 'Safe' }, { withinMilliseconds: 5000 })
      } finally {
        client.close()
      }
    }
    const { organization } = await create({ ca, serverName: 'commands.example.com' })
    assert.equal(organization?.name, 'Safe')
    const otherCertificate = makeCertificate(t, ['commands.example.com'])
    for (const tls of [
      { ca },
      { serverName: 'commands.example.com' },
      { ca: otherCertificate.ca, serverName: 'commands.example.com' },
    ])
      await assert.rejects(
        create(tls),
        (error) => error instanceof CommandError && error.code === 'UNAVAILABLE',
      )
  })

  test('is what every target gets that is not this machine itself, unless it is switched off', () => {
    const isSecure = (...given: Parameters<typeof credentialsFor>) =>
      credentialsFor(...given).credentials._isSecure()
    for (const target of [
      'localhost:5300',
      '127.0.0.1:5300',
      '[::1]:5300',
      'dns:///localhost:5300',
      'unix:/run/tracker',
    ])
      assert.equal(isSecure(target), false, target)
    for (const target of [
      'commands:5300',
      '10.0.0.7:5300',
      'localhost.example.com:443',
      '127.0.0.1.example.com',
      'dns:///example.com',
    ])
      assert.equal(isSecure(target), true, target)
    assert.equal(isSecure('commands:5300', false), false)
    assert.equal(isSecure('localhost:5300', true), true)
  })
})
