import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreSettings } from '../../configuration/store-settings.ts'
import { type Finding, fine, look, wrong } from './finding.ts'

const gibibyte = 1024 ** 3
/** PostgreSQL stops at zero, and its journal alone may take one. */
const freeBytesMin = gibibyte
/** Time to do something about it. */
const freeBytesGood = 5 * gibibyte

/** Everything in it that somebody else must not read. */
const secrets = ['postgres.password', 'identity-secret', 'demo-password']

export async function checkFolder({
  dataDirectory,
  databaseUrl,
}: StoreSettings): Promise<readonly Finding[]> {
  if (!existsSync(dataDirectory)) return []
  return [
    await checkWritable(dataDirectory),
    ...(databaseUrl === undefined ? [await checkDisk(dataDirectory)] : []),
    await checkSecrets(dataDirectory),
  ]
}

async function checkWritable(folder: string): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return fine('permissions', `this user may write to ${folder}`)
  } catch {
    return wrong('permissions', `this user may not write to ${folder}`, 'Start as the user who made it.')
  }
}

async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  return gradeDisk(bavail * bsize)
}

export function gradeDisk(free: number): Finding {
  const found = `${(free / gibibyte).toFixed(1)} GiB are free`
  const advice = 'Make room: without it the store stops, and answers nobody.'
  if (free < freeBytesMin) return wrong('disk', found, advice)
  return free < freeBytesGood ? look('disk', found, advice) : fine('disk', found)
}

async function checkSecrets(folder: string): Promise<Finding> {
  if (process.platform === 'win32') return fine('secrets', 'not looked at on Windows')
  const open: string[] = []
  for (const name of secrets) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && (found.mode & 0o077) !== 0) open.push(join(folder, name))
  }
  if (open.length === 0) return fine('secrets', 'files with secrets are for their owner only')
  return wrong('secrets', `others may read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)
}
