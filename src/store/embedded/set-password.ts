import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Gives the role of a server that asks for nothing yet a password, and returns once `askForIt` has come into force. */
export async function setPassword(host: string, password: string, askForIt: () => void): Promise<void> {
  const asNobody = { host, port: 5432, user: 'tracker', database: 'tracker', password: '' }
  const client = new pg.Client(asNobody)
  client.on('error', () => {})
  await client.connect()
  try {
    // No parameter is possible here; the password consists of hexadecimal digits.
    await client.query(`alter role tracker password '${password}'`)
    askForIt()
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
  const deadline = performance.now() + reloadSecondsMax * 1000
  while (await isLetIn(asNobody)) {
    if (performance.now() > deadline) throw new Error('The database does not ask for its password.')
    await sleep(reloadPauseMilliseconds)
  }
}

async function isLetIn(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    // Refused or not: a connection left in the middle of its sign-in delays a `drop database` by a minute.
    // Not awaited: one that failed may never say that it has ended.
    client.end().catch(() => {})
  }
}

/** The server looks at its files again within milliseconds. */
const reloadSecondsMax = 10
const reloadPauseMilliseconds = 10
