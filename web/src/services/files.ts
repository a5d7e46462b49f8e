import { type ReadonlySignal, signal } from '@preact/signals'
import type { Api, RecordOf } from '../api/api.ts'
import type { PageTracker } from '../api/page-tracker.ts'
import { sentenceOf } from '../api/problems.ts'
import type { Configuration } from '../session/configuration.ts'
import { t } from '../texts/text.ts'
import type { Toasts } from './toasts.ts'

type Attachment = RecordOf<'attachment'>

/** A file that is not stored yet. */
export interface Upload {
  readonly id: string
  readonly assignmentId: string
  readonly file: File
  /** The fraction that has been sent, from 0 to 1. */
  readonly progress: number
  /** Set once the upload has failed. */
  readonly problem?: string | undefined
}

/** Uploads and downloads of attachments. Uploads continue when the panel that began them is closed. */
export interface Files {
  readonly uploads: ReadonlySignal<readonly Upload[]>
  /** Returns undefined if the upload fails or is cancelled. A message or the list of uploads shows why. */
  upload(assignmentId: string, file: File): Promise<Attachment | undefined>
  retry(id: string): void
  /** Cancels an upload, or removes one that has failed. */
  cancel(id: string): void
  download(attachmentId: string, signal?: AbortSignal): Promise<Blob>
}

/** The server accepts four uploads at once from an account, which may have several windows. */
const parallelUploadsMax = 2
/** A browser has six connections to a host, and the page needs some for its lists. */
const parallelDownloadsMax = 4
/** Limits the length of the list. Memory is no concern, because a `File` only refers to its content. */
const uploadsMax = 100

const mebibyte = 1024 ** 2

interface FileServices extends Pick<PageTracker, 'tracker' | 'openUploadClient'> {
  readonly api: Api
  readonly toasts: Toasts
  readonly configuration: Pick<Configuration, 'fileMegabytes'>
}

export function createFiles({ tracker, openUploadClient, api, toasts, configuration }: FileServices): Files {
  const { fileMegabytes } = configuration
  const uploads = signal<readonly Upload[]>([])
  const controllers = new Map<string, AbortController>()
  const acquireUpload = createSemaphore(parallelUploadsMax)
  const acquireDownload = createSemaphore(parallelDownloadsMax)
  const change = (id: string, changes: Partial<Upload>) => {
    uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload))
  }
  const remove = (id: string) => {
    uploads.value = uploads.value.filter((upload) => upload.id !== id)
  }
  const send = async ({ id, assignmentId, file }: Upload): Promise<Attachment | undefined> => {
    const controller = new AbortController()
    controllers.set(id, controller)
    const { signal } = controller
    const release = await acquireUpload()
    try {
      signal.throwIfAborted()
      const client = openUploadClient((progress) => change(id, { progress }))
      const stored = await client.upload(file, { assignmentId, name: nameOf(file) }, { signal })
      remove(id)
      api.announce('attachment')
      return stored
    } catch (error) {
      if (!signal.aborted) change(id, { problem: sentenceOf(error) })
      return undefined
    } finally {
      release()
      controllers.delete(id)
    }
  }
  const problemOf = ({ name, size }: File) => {
    if (size > fileMegabytes * mebibyte)
      return t('{name} is too large. A file may have at most {count} MB.', { name, count: fileMegabytes })
    return uploads.value.length >= uploadsMax
      ? t('At most {count} files can be uploaded at once.', { count: uploadsMax })
      : undefined
  }
  return {
    uploads,
    async upload(assignmentId, file) {
      const text = problemOf(file)
      if (text !== undefined) {
        toasts.show({ kind: 'problem', text })
        return undefined
      }
      const upload = { id: crypto.randomUUID(), assignmentId, file, progress: 0 }
      uploads.value = [...uploads.value, upload]
      return send(upload)
    },
    retry(id) {
      const failed = uploads.value.find((upload) => upload.id === id)
      if (failed === undefined || controllers.has(id)) return
      change(id, { progress: 0, problem: undefined })
      void send(failed)
    },
    cancel(id) {
      controllers.get(id)?.abort()
      remove(id)
    },
    async download(attachmentId, signal) {
      const release = await acquireDownload()
      try {
        return await tracker.download(attachmentId, { signal })
      } finally {
        release()
      }
    },
  }
}

/** Browsers name every pasted image `image.png`, so its time is added. */
const nameOf = ({ name, lastModified }: File): string =>
  name === 'image.png'
    ? `image-${new Date(lastModified).toISOString().slice(0, 19).replaceAll(':', '-')}.png`
    : name

/**
 * Lets up to `max` tasks run at once, in the order of their calls. Each task gets the function that releases
 * its place.
 */
function createSemaphore(max: number): () => Promise<() => void> {
  let running = 0
  const waiting: (() => void)[] = []
  const release = () => {
    // The place passes to the next task, if there is one.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
  return async () => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return release
  }
}

/** Lets the browser save a file that is already loaded: a plain link would not send the access token. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
