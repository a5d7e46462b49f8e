import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type IdentityUnderTest, startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'

const form = 'application/x-www-form-urlencoded'

const posts: readonly (readonly [path: string, type: string, text: string])[] = [
  ['/connect/token', form, 'grant_type=refresh_token&client_id=svc-webclient&refresh_token='],
  ['/connect/revocation', form, 'client_id=svc-webclient&token='],
  ['/api/account/login', form, 'authRequest=x&password=y&login='],
]

describe('A body that is sent to the identity host', () => {
  let host: IdentityUnderTest
  before(async () => {
    host = await startIdentityUnderTest()
  })
  after(() => host.stop())

  const post = async (path: string, type: string, body: string | Buffer<ArrayBuffer>) => {
    const response = await fetch(`${host.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, origin },
      body,
      redirect: 'manual',
    })
    return { status: response.status, text: await response.text() }
  }

  for (const [path, type, text] of posts) {
    it(`is rejected by ${path} when its bytes are not UTF-8, escaped or not`, async () => {
      for (const bytes of [Buffer.from(`${text}\xfc`, 'latin1'), `${text}%FC`, `${text}%C3%28`]) {
        const answer = await post(path, type, bytes)
        const { statusCode, errors } = JSON.parse(answer.text)
        assert.deepEqual([answer.status, statusCode], [400, 400])
        assert.deepEqual(errors, { generalErrors: ['The body is not valid UTF-8.'] })
      }
    })

    it(`is rejected by ${path} in another character set`, async () => {
      for (const charset of ['iso-8859-1', '"ISO-8859-1"']) {
        const answer = await post(path, `${type}; charset=${charset}`, `${text}a`)
        assert.deepEqual([answer.status, JSON.parse(answer.text).statusCode], [415, 415])
      }
      assert.notEqual((await post(path, `${type}; charset="UTF-8"`, `${text}%C3%BC`)).status, 415)
    })
  }
})
