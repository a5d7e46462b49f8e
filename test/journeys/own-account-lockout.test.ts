import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { password } from '../support/cheap-passwords.ts'
import { accountsOf, another, assertLocked, assertWrong } from '../support/known-passwords.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

describe('The own account', { concurrency: false }, () => {
  let rest: RestUnderTest
  const { join, change, me } = accountsOf(() => rest)

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
  })
  after(() => rest.stop())

  test('locks password changes after five wrong ones, even for the right one, and nothing else', async () => {
    const [own, other] = [await join(), await join()]
    for (let guess = 1; guess <= 5; guess += 1)
      assertWrong(await change(own.token, `Wrong-${guess}`, another))
    assertLocked(await change(own.token, password, another))
    assertLocked(await change(own.token, 'Wrong-6', another))
    assert.equal((await me(own.token)).status, 200)
    assert.equal((await change(other.token, password, another)).status, 200)
  })

  test('locks password changes whatever else is wrong with the request, and only for who is signed in', async () => {
    const { token } = await join()
    const post = (body: BodyInit | undefined, headers: Record<string, string> = {}, as = token) =>
      fetch(`${rest.address}/api/me/password`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      })
    const right = { currentPassword: password, newPassword: another }
    const requests: readonly (readonly [number, () => Promise<Response>])[] = [
      [400, () => post(undefined)],
      [400, () => post('{}')],
      [400, () => post('{"currentPassword":')],
      [400, () => post('[]')],
      [400, () => post(JSON.stringify({ ...right, newPassword: 'weak' }))],
      [400, () => post(JSON.stringify({ ...right, newPassword: password }))],
      [400, () => post(JSON.stringify({ ...right, currentPassword: 7 }))],
      [400, () => post(JSON.stringify(right), { 'idempotency-key': 'x'.repeat(1000) })],
      [413, () => post(JSON.stringify({ ...right, more: 'x'.repeat(2_000_000) }))],
      [415, () => post('text', { 'content-type': 'text/plain' })],
    ]
    for (const [status, send] of requests) assert.equal((await send()).status, status)
    for (let guess = 1; guess <= 5; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    for (const [, send] of requests) {
      const { status, headers } = await send()
      const seconds = Number(headers.get('retry-after'))
      assert.equal(status, 429)
      assert.ok(seconds > 890 && seconds <= 900, String(seconds))
    }
    assert.equal((await post('{}', {}, 'made-up')).status, 401)
  })

  test('clears four wrong ones after a right one', async () => {
    const { login, token } = await join()
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assert.equal((await change(token, password, another)).status, 200)
    const { access_token: fresh } = await rest.identity.signIn(login, { password: another })
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(fresh, `Wrong-${guess}`, password))
    assert.equal((await change(fresh, another, password)).status, 200)
  })

  /** Moves the recorded failures fifteen minutes into the past. */
  const letQuarterPass = (id: string) =>
    rest.database.transaction((store) =>
      store.query(sql`update lockouts set
        failed_at = array(select at - interval '15 minutes' from unnest(failed_at) as failed(at)),
        locked_until = locked_until - interval '15 minutes'
        where subject = ${id}`),
    )

  test('is open again fifteen minutes later', async () => {
    const { id, token } = await join()
    for (let guess = 1; guess <= 5; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assertLocked(await change(token, password, another))
    await letQuarterPass(id)
    assertWrong(await change(token, 'Wrong-6', another))
    assert.equal((await change(token, password, another)).status, 200)
  })

  test('counts no wrong one that is older than fifteen minutes', async () => {
    const { id, token } = await join()
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    await letQuarterPass(id)
    for (let guess = 5; guess <= 8; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assert.equal((await change(token, password, another)).status, 200)
  })

  test('counts wrong ones of two instances together', async () => {
    const { token } = await join()
    const { address } = await rest.startAnother()
    const there = (currentPassword: string) =>
      send(address, 'POST', '/api/me/password', { token, body: { currentPassword, newPassword: another } })
    for (let guess = 1; guess <= 3; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    for (let guess = 4; guess <= 5; guess += 1) assertWrong(await there(`Wrong-${guess}`))
    assertLocked(await there(password))
    assertLocked(await change(token, password, another))
  })

  test('is not opened by guessing in parallel: of twenty guesses at once five are looked at', async () => {
    const { token } = await join()
    const guesses = Array.from({ length: 20 }, (_, guess) => change(token, `Wrong-${guess}`, another))
    const answers = await Promise.all(guesses)
    const wrong = answers.filter(({ status }) => status === 400)
    assert.equal(wrong.length, 5)
    for (const answer of answers) if (answer.status !== 400) assertLocked(answer)
    assertLocked(await change(token, password, another))
  })

  test('lets exactly one of several changes at once win', async () => {
    const { token } = await join()
    const changes = Array.from({ length: 4 }, (_, index) => change(token, password, `Another-${index}`))
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    for (const status of statuses) assert.ok([200, 400, 401].includes(status), String(status))
  })

  test('answers forty people who change their passwords at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => join()))
    const answers = await Promise.all(people.map(({ token }) => change(token, password, another)))
    for (const answer of answers) if (answer.status !== 200) assertLocked(answer)
    assert.ok(answers.filter(({ status }) => status === 200).length >= 20)
  })
})
