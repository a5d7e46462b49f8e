import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { accountsFor, dedicatedUser, idleSystemUsers, isDedicated } from './accounts.ts'

const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
const uids = accounts.map((line) => Number(line.split(':')[2]))

test('a dedicated user is the same for the same directory', () => {
  const { uid, gid } = dedicatedUser('/srv/.data/postgres')
  assert.deepEqual(dedicatedUser('/srv/.data/postgres'), { uid, gid })
  assert.notEqual(dedicatedUser('/srv/other/postgres').uid, uid)
  assert.ok(!uids.includes(uid) && uid > 65_535)
})

test('dedicated users never have an id of an account, a system or a container', () => {
  for (const uid of [...uids, 0, 1000, 60_001, 65_534, 100_000, 524_288])
    assert.equal(isDedicated(uid), false)
})

test('initdb never runs as nobody, as a user who can log in, or as a user with processes', () => {
  const users = idleSystemUsers().map(({ uid }) => uid)
  assert.ok(!users.includes(65_534) && !users.includes(userInfo().uid))
  for (const uid of users) assert.match(accounts[uids.indexOf(uid)] ?? '', /(nologin|false)$/)
})

test('root keeps the owner of a cluster who owns its directory or is a dedicated user', {
  skip: process.getuid?.() === 0 ? false : 'only root can become another user',
}, () => {
  const userOf = (cluster: number | undefined, directory: number) =>
    accountsFor('/srv/.data/postgres', { cluster, directory })[0]?.user?.uid
  const { uid } = dedicatedUser('/srv/.data/postgres')
  assert.equal(userOf(1000, 1000), 1000)
  assert.equal(userOf(70_123, 0), 70_123)
  for (const shared of [undefined, 65_534, 1]) assert.equal(userOf(shared, 0), uid)
})
