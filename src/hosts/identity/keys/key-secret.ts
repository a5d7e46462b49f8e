import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The embedded store's own secret: read from the data folder, or made there at the first start, for its owner only. */
export async function keptKeySecret(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, 'identity-secret')
  const secret = (await readSecret(file)) ?? (await makeSecret(dataDirectory, file))
  if (!secret)
    throw new Error(`${file} is empty. Restore it from a backup: it encrypts the keys in the store.`)
  return secret
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Linked into place when complete, so that of two processes starting together both read the same whole secret. */
async function makeSecret(dataDirectory: string, file: string): Promise<string | undefined> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readSecret(file)
}
