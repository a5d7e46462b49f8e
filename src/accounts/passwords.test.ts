import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash, verify } from '@node-rs/argon2'
import { countedPasswords } from '../../test/support/counted-passwords.ts'
import { openBudgets } from '../config/budgets.ts'
import { Problem } from '../model/problem.ts'
import { createPasswords } from './passwords.ts'

const cheapOptions = { memoryMebibytes: 1, passes: 1, lanes: 1 }

test('a password is stored as an Argon2id hash of 64 MiB, 3 passes and 2 lanes', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash('Correct-Horse-7')
  assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=2\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.ok(await passwords.verify(hash, 'Correct-Horse-7'))
})

test('a password must match exactly, including spaces and case', async () => {
  const passwords = createPasswords(cheapOptions)
  const hash = await passwords.hash(' Ünï 7 ')
  assert.ok(await passwords.verify(hash, ' Ünï 7 '))
  for (const other of ['Ünï 7', ' ünï 7 ', ' Ünï 7', '', ' Ünï 7 \0']) {
    assert.equal(await passwords.verify(hash, other), false, JSON.stringify(other))
  }
})

test('half a surrogate pair matches nothing, not even the replacement character', async () => {
  const passwords = createPasswords(cheapOptions)
  assert.equal(await passwords.verify(await passwords.hash('a\ufffdb'), 'a\ud800b'), false)
})

test('a malformed stored hash, or one that would need gigabytes, matches no password', async () => {
  const passwords = createPasswords(cheapOptions)
  const excessiveHash = `$argon2id$v=19$m=4194304,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  for (const stored of ['', 'secret', '$2b$10$abc', '$argon2id$v=19$m=64,t=1,p=1$AA', excessiveHash]) {
    assert.equal(await passwords.verify(stored, 'secret'), false, stored)
  }
})

test('an unknown login and an unusable hash cost as much as a wrong password', async () => {
  const { passwords, costs } = countedPasswords(cheapOptions)
  const hash = await passwords.hash('Correct-Horse-7')
  await passwords.verify(hash, 'guess')
  await passwords.verify('no hash at all', 'guess')
  await passwords.verify(hash, 'half a character: \ud800')
  await passwords.verifyForUnknownLogin('guess')
  assert.deepEqual(
    costs,
    Array.from({ length: 4 }, () => '$argon2id$v=19$m=1024,t=1,p=1'),
  )
})

test('four passwords are verified at once, sixteen wait, and the twenty-first is rejected', async () => {
  let runningCount = 0
  let runningCountMax = 0
  const passwords = createPasswords(cheapOptions, openBudgets(), {
    hash,
    async verify(storedHash, password) {
      runningCount += 1
      runningCountMax = Math.max(runningCountMax, runningCount)
      return verify(storedHash, password).finally(() => {
        runningCount -= 1
      })
    },
  })
  const attempts = Array.from({ length: 21 }, () => passwords.verifyForUnknownLogin('guess'))
  const results = await Promise.allSettled(attempts)
  assert.equal(runningCountMax, 4)
  const rejected = results.filter((result) => result.status === 'rejected')
  assert.equal(rejected.length, 1)
  const { reason } = results[20] as PromiseRejectedResult
  assert.ok(reason instanceof Problem && reason.kind === 'busy' && reason.retryAfterSeconds === 1)
})
