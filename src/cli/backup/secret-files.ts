import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the program itself made in the data folder and a restored store needs: the first opens the keys in the store. */
export const secretFiles = ['identity-secret', 'demo-password']

type Files = Readonly<Record<string, string>>

/** Before anything is changed: a secret that something else may still need is never replaced. */
export async function requireRoomFor(files: Files, dataDirectory: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    if (!secretFiles.includes(name))
      throw new Error(`The backup has a file ${name}, which is none of this program.`)
    const file = join(dataDirectory, name)
    const found = await readFile(file, 'utf8').catch(() => undefined)
    if (found !== undefined && found !== text)
      throw new Error(
        `${file} is another one than the backup's. Set DATA_DIR to a new folder, or move the file away.`,
      )
  }
}

export async function putFiles(files: Files, dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) {
    const file = join(dataDirectory, name)
    await writeFile(file, text, { mode: 0o600 })
    await chmod(file, 0o600)
  }
}
