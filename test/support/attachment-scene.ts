import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Environment } from '../../src/config/settings.ts'
import { type Answer, type Person, type RestUnderTest, startRestUnderTest } from './rest-host.ts'
import { seed, type Workspace } from './seed.ts'

/** The content of an upload. */
export type FileBytes = Uint8Array | string

export interface UploadOptions {
  readonly name?: string
  readonly assignmentId?: string
  readonly by?: Person | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The address of a host, if it is not the host of the scene. */
  readonly address?: string
}

export interface Download {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** A host with a member, a stranger, and an assignment in the member's project. */
export interface AttachmentScene {
  readonly rest: RestUnderTest
  readonly workspace: Workspace
  readonly member: Person
  readonly stranger: Person
  readonly projectId: string
  readonly assignmentId: string
  upload(bytes: FileBytes, options?: UploadOptions): Promise<Answer>
  /** Uploads a file that must be accepted, and returns its record. */
  // biome-ignore lint/suspicious/noExplicitAny: a record is what came over the network
  attach(bytes: FileBytes, options?: UploadOptions): Promise<any>
  download(
    id: string,
    options?: Omit<UploadOptions, 'name'> & { readonly method?: string },
  ): Promise<Download>
  /** Returns the names of the files in the directory of the host, including uploads in progress. */
  storedFiles(): Promise<string[]>
  /** Creates one more project of the member, with an assignment. */
  another(): Promise<{ readonly projectId: string; readonly assignmentId: string }>
  stop(): Promise<void>
}

export async function attachmentScene(
  environment: Environment = {},
  options?: Parameters<typeof startRestUnderTest>[1],
): Promise<AttachmentScene> {
  const rest = await startRestUnderTest(environment, options)
  const workspace = await seed(rest)
  const [member, stranger] = await Promise.all([
    rest.signUp({ name: 'Member' }),
    rest.signUp({ name: 'Stranger' }),
  ])
  const another = async () => {
    const projectId = await workspace.project('Relaunch', member)
    return { projectId, assignmentId: await workspace.assignment(projectId, member.id) }
  }
  const first = await another()
  const upload: AttachmentScene['upload'] = (bytes, uploadOptions = {}) =>
    uploadTo(uploadOptions.address ?? rest.address, bytes, {
      by: member,
      assignmentId: first.assignmentId,
      ...uploadOptions,
    })
  return {
    rest,
    workspace,
    member,
    stranger,
    ...first,
    upload,
    another,
    async attach(bytes, uploadOptions) {
      const answer = await upload(bytes, uploadOptions)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.attachment
    },
    async download(id, { by = member, headers, address = rest.address, method = 'GET' } = {}) {
      const response = await fetch(`${address}/ext/attachment/content?id=${id}`, {
        method,
        headers: { authorization: `Bearer ${by.token}`, ...headers },
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes }
    },
    storedFiles: () => filesIn(join(rest.dataDirectory, 'attachments')),
    stop: () => rest.stop(),
  }
}

async function uploadTo(
  address: string,
  bytes: FileBytes,
  { name = 'notes.txt', assignmentId = '', by, headers }: UploadOptions,
): Promise<Answer> {
  const response = await fetch(`${address}/ext/attachment?${new URLSearchParams({ assignmentId, name })}`, {
    method: 'POST',
    headers: { ...(by && { authorization: `Bearer ${by.token}` }), ...headers },
    body: bytes as BodyInit,
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

/** Returns the names of all files below a directory, except `id`, the file that identifies the directory. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name !== 'id').map(({ name }) => name)
}

export const sha256 = (bytes: FileBytes): string => createHash('sha256').update(bytes).digest('hex')

/** The first bytes of a PNG. They are enough to detect its type. */
export const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** An upload whose body is sent piece by piece. */
export interface OpenUpload {
  /** The response. It may arrive before the body is complete. */
  readonly answer: Promise<Answer>
  /** Resolves when the piece was passed to the connection. */
  write(piece: FileBytes): Promise<void>
  end(): void
  /** Closes the connection. */
  cut(): void
}

/** Sends the headers of an upload, with `length` as Content-Length. Without it, the body is chunked. */
export function openUpload(
  { rest, member, assignmentId }: Pick<AttachmentScene, 'rest' | 'member' | 'assignmentId'>,
  { length, ...options }: UploadOptions & { readonly length?: number } = {},
): OpenUpload {
  const { name = 'notes.txt', by = member, address = rest.address } = options
  const query = new URLSearchParams({ assignmentId: options.assignmentId ?? assignmentId, name })
  const sent = request(`${address}/ext/attachment?${query}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${by.token}`,
      ...(length !== undefined && { 'content-length': String(length) }),
      ...options.headers,
    },
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const body = await text(response)
      const headers = new Headers(response.headers as Record<string, string>)
      resolve({ status: response.statusCode ?? 0, headers, body: JSON.parse(body) })
    })
  })
  // The test of an interrupted upload expects that there is no response.
  answer.catch(() => undefined)
  sent.flushHeaders()
  return {
    answer,
    write: (piece) => new Promise((resolve) => sent.write(piece, () => resolve())),
    end: () => void sent.end(),
    cut: () => void sent.destroy(),
  }
}
