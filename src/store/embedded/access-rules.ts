import { createHash } from 'node:crypto'
import { fchownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setup } from './choose-setup.ts'
import { replaceFile } from './password.ts'

/** Whether a connection needs this very password; the sum tells a cluster that was copied from elsewhere. */
export const asksFor = (cluster: string, password: string): boolean =>
  readRules(cluster) === rulesWith(password)

/** From the server's next look at its rules on. */
export const askForPassword = (setup: Setup, password: string) => writeRules(setup, rulesWith(password))

/** Only to give the role a password: the socket is closed to every other user of the machine. */
export const askForNothing = (setup: Setup) => writeRules(setup, 'local all tracker trust\n')

const rulesWith = (password: string) => `# Written by the program that runs this server.
# Password: ${createHash('sha256').update(password).digest('hex')}
${process.platform === 'win32' ? 'host all all 127.0.0.1/32' : 'local all all'} scram-sha-256
`

const fileIn = (cluster: string) => join(cluster, 'pg_hba.conf')

function readRules(cluster: string): string | undefined {
  try {
    return readFileSync(fileIn(cluster), 'utf8')
  } catch {
    return undefined
  }
}

function writeRules({ cluster, account: { user } }: Setup, text: string): void {
  replaceFile(fileIn(cluster), text, (handle) => {
    if (user !== undefined && process.getuid?.() === 0) fchownSync(handle, user.uid, user.gid)
  })
}
