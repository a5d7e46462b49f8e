import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileStore, hasOtherSize, unavailable } from './file-store.ts'

/** Keeps files in a folder, which several instances have to share. */
export function openDiskStore(folder: string): FileStore {
  const pathOf = (id: string) => pathOfFile(folder, id)
  return {
    identity: () => identityOf(folder),
    put: (id, file) => orUnavailable(() => publish(file.path, pathOf(id))),
    read: (id, { size }, { start, end }) =>
      orUnavailable(async () => {
        const handle = await open(pathOf(id))
        const stored = await handle.stat()
        if (stored.size === size) return handle.createReadStream({ start, end })
        await handle.close()
        throw hasOtherSize(id)
      }),
    delete: (id) => orUnavailable(() => rm(pathOf(id), { force: true })),
  }
}

/** Two characters at the end of an id are random, those at its beginning are the time. */
export const pathOfFile = (folder: string, id: string): string => join(folder, id.slice(-2), id)

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw unavailable(error)
  }
}

/** Moves a complete file to its name, so that no reader sees a part of it. Its content is on the disk already. */
async function publish(source: string, target: string): Promise<void> {
  const folder = dirname(target)
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 })
  await rename(source, target)
  await syncFolder(folder)
  if (firstCreated !== undefined) await syncFolder(dirname(folder))
}

/** Without this, a power failure could undo the new name. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** A name that the folder keeps, so that instances notice when they do not share it. */
async function identityOf(folder: string): Promise<string> {
  const file = join(folder, 'id')
  const readExisting = () => readFile(file, 'utf8').catch(() => undefined)
  const existing = await readExisting()
  if (existing !== undefined) return existing
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `id.${randomUUID()}`)
  await writeFile(draft, randomUUID(), { mode: 0o600 })
  // Unlike a rename, a link keeps the name that another instance has given in the meantime.
  await link(draft, file).catch(() => undefined)
  await rm(draft)
  return (await readExisting()) ?? ''
}
