import { constants } from 'node:fs'
import { copyFile, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Moves a complete file to its final name. Fails with EEXIST if that name is taken, whereas a rename would
 * overwrite the file. The source is removed only when the new name is durable, so a failure keeps it.
 */
export async function publishFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    if (!codesWithoutHardLinks.has((error as NodeJS.ErrnoException).code)) throw error
    await copyExclusively(source, target)
  }
  await syncDirectory(dirname(target))
  await rm(source)
}

/** The error codes of file systems without hard links, such as exFAT and some network file systems. */
const codesWithoutHardLinks: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
])

async function copyExclusively(source: string, target: string): Promise<void> {
  // Fails if the file exists. After this, the file is this process's own, so an error may remove it.
  await (await open(target, 'wx', 0o600)).close()
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE)
    const copy = await open(target, 'r+')
    await copy.sync().finally(() => copy.close())
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}

/** Flushes the directory, because a power failure could otherwise undo the new name. */
async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open directories.
  if (process.platform === 'win32') return
  const directory = await open(path)
  await directory.sync().finally(() => directory.close())
}
