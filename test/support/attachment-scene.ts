import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Environment } from '../../src/config/settings.ts'
import { type Answer, type Person, type RestUnderTest, startRestUnderTest } from './rest-host.ts'
import { seed, type Workspace } from './seed.ts'

/** Bytes to upload. */
export type FileBytes = Uint8Array | string

export interface UploadOptions {
  readonly name?: string
  readonly assignmentId?: string
  readonly by?: Person | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The host, if there are several. */
  readonly address?: string
}

export interface Download {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** A member and a stranger, and an assignment of the member's project. */
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
  /** The files of the host's folder, complete ones and those that are arriving. */
  storedFiles(): Promise<string[]>
  /** A new project with an assignment of the member. */
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
  const own = await another()
  const upload: AttachmentScene['upload'] = (bytes, given = {}) =>
    uploadTo(given.address ?? rest.address, bytes, {
      by: member,
      assignmentId: own.assignmentId,
      ...given,
    })
  return {
    ...{ rest, workspace, member, stranger, ...own, upload, another },
    async attach(bytes, given) {
      const answer = await upload(bytes, given)
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

/** The names of all files below a folder, without the one that names the folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name !== 'id').map(({ name }) => name)
}

export const sha256 = (bytes: FileBytes): string => createHash('sha256').update(bytes).digest('hex')

/** The smallest image that begins like a PNG. */
export const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** An upload whose body is written by hand. */
export interface OpenUpload {
  /** The answer, whenever it comes. */
  readonly answer: Promise<Answer>
  /** Resolves when the piece was handed to the connection. */
  write(piece: FileBytes): Promise<void>
  end(): void
  /** Cuts the connection. */
  cut(): void
}

/** Sends the headers of an upload; with a length, the body is announced, else it is chunked. */
export function openUpload(
  { rest, member, assignmentId }: Pick<AttachmentScene, 'rest' | 'member' | 'assignmentId'>,
  { length, ...given }: UploadOptions & { readonly length?: number } = {},
): OpenUpload {
  const { name = 'notes.txt', by = member, address = rest.address } = given
  const query = new URLSearchParams({ assignmentId: given.assignmentId ?? assignmentId, name })
  const sent = request(`${address}/ext/attachment?${query}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${by.token}`,
      ...(length !== undefined && { 'content-length': String(length) }),
      ...given.headers,
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
  // A cut upload has no answer, which its test expects.
  answer.catch(() => undefined)
  sent.flushHeaders()
  return {
    answer,
    write: (piece) => new Promise((resolve) => sent.write(piece, () => resolve())),
    end: () => void sent.end(),
    cut: () => void sent.destroy(),
  }
}
