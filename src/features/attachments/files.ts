import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Budgets } from '../../config/budgets.ts'
import type { AttachmentSettings } from '../../config/host-settings.ts'
import type { Budget } from '../../model/budget.ts'
import { type FileStore, openDiskStore } from './file-store.ts'
import { openS3Store } from './s3-store.ts'

/** Everything that the routes of attachments and the sweep share. */
export interface Files {
  readonly limits: AttachmentSettings
  readonly store: FileStore
  /** Holds files while they arrive. */
  readonly uploadDirectory: string
  readonly budgets: Readonly<Record<FileBudget, Budget>>
  /** The bytes of files since the start, for the metrics. */
  readonly bytes: { stored: number; served: number }
  /** The identity of the store. Undefined if the directory cannot be used. */
  readonly identity: string | undefined
}

type FileBudget = 'uploads' | 'uploadsOfAccount' | 'downloads' | 'downloadsOfAccount'

export interface FilesOptions {
  readonly settings: AttachmentSettings
  readonly budgets: Budgets
  /** Called if the directory cannot be used. Everything except attachments works nevertheless. */
  readonly onFailure: (error: unknown) => void
}

export async function openFiles({ settings, budgets, onFailure }: FilesOptions): Promise<Files> {
  const store = openStore(settings)
  const uploadDirectory = uploadDirectoryOf(settings)
  const prepare = async () => {
    await mkdir(uploadDirectory, { recursive: true, mode: 0o700 })
    return store.identity()
  }
  return {
    limits: settings,
    store,
    uploadDirectory,
    budgets: {
      uploads: budgets.budget('uploads'),
      uploadsOfAccount: budgets.budget('uploadsOfAccount'),
      downloads: budgets.budget('downloads'),
      downloadsOfAccount: budgets.budget('downloadsOfAccount'),
    },
    bytes: { stored: 0, served: 0 },
    identity: await prepare().catch((error) => void onFailure(error)),
  }
}

export const openStore = ({ s3, directory }: AttachmentSettings): FileStore =>
  s3 ? openS3Store(s3) : openDiskStore(directory)

/** Uploads are within the directory of the store, so that a complete file only has to be renamed. */
export const uploadDirectoryOf = ({ directory }: Pick<AttachmentSettings, 'directory'>): string =>
  join(directory, 'uploads')
