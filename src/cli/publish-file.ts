import { constants } from 'node:fs'
import { copyFile, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Gives a complete file its name, and fails with EEXIST if that is taken: a rename would overwrite. The file
 * is kept if this fails.
 */
export async function publishFile(complete: string, name: string): Promise<void> {
  try {
    await link(complete, name)
  } catch (error) {
    if (!withoutLinks.has((error as NodeJS.ErrnoException).code)) throw error
    await copyExclusively(complete, name)
  }
  await rm(complete)
  await syncFolder(dirname(name))
}

/** The errors of volumes without hard links, such as USB disks with exFAT and some network folders. */
const withoutLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

async function copyExclusively(complete: string, name: string): Promise<void> {
  // Fails here if the name is taken; after this, the file is ours to remove.
  await (await open(name, 'wx', 0o600)).close()
  try {
    await copyFile(complete, name, constants.COPYFILE_FICLONE)
    const copy = await open(name, 'r+')
    await copy.sync().finally(() => copy.close())
  } catch (error) {
    await rm(name, { force: true })
    throw error
  }
}

/** A power failure could undo the new name without this. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
