import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identitySecretFile } from '../../config/store-settings.ts'

/** The files in the data folder that a restored store needs. */
const secretFiles = [identitySecretFile, 'demo-password']

type SecretFiles = Readonly<Record<string, string>>

export async function readSecrets(dataDirectory: string): Promise<SecretFiles> {
  const files = await Promise.all(
    secretFiles.map(async (name) => [name, await readIfExists(join(dataDirectory, name))] as const),
  )
  return Object.fromEntries(files.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Checked before anything is changed, so that a secret which may still be needed is never overwritten. */
export async function requireNoConflictingSecrets(files: SecretFiles, dataDirectory: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    if (!secretFiles.includes(name))
      throw new Error(`The backup has a file ${name}, which does not belong to this program.`)
    const file = join(dataDirectory, name)
    const existing = await readIfExists(file)
    if (existing !== undefined && existing !== text)
      throw new Error(
        `${file} differs from the one in the backup. Set DATA_DIR to a new folder, or move the file away.`,
      )
  }
}

export async function writeSecrets(files: SecretFiles, dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) {
    const file = join(dataDirectory, name)
    await writeFile(file, text, { mode: 0o600 })
    await chmod(file, 0o600)
  }
}
