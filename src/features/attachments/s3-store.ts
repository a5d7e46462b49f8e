import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { S3Settings } from '../../config/host-settings.ts'
import { request as requestHttp } from '../../http/node-http.ts'
import { type FileStore, filesUnavailable, sizeMismatch, type UploadedFile } from './file-store.ts'

/** Keeps files in a bucket of an S3-compatible service, each under its id. */
export function openS3Store(settings: S3Settings): FileStore {
  const send = createSend(settings)
  return {
    identity: async () => `${settings.endpoint} ${settings.bucket}`,
    async put(id, file) {
      const response = await send({ method: 'PUT', id, file })
      await requireStatus(response, 200)
      response.resume()
      await rm(file.path, { force: true })
    },
    async read(id, { size }, { start, end }) {
      const response = await send({ method: 'GET', id, range: `bytes=${start}-${end}` })
      await requireStatus(response, 206)
      if (response.headers['content-range'] !== `bytes ${start}-${end}/${size}`) {
        response.destroy()
        throw filesUnavailable(sizeMismatch(id))
      }
      return response
    },
    async delete(id) {
      const response = await send({ method: 'DELETE', id })
      await requireStatus(response, 204, 200, 404)
      response.resume()
    },
  }
}

interface StoreRequest {
  readonly method: 'PUT' | 'GET' | 'DELETE'
  readonly id: string
  readonly range?: string
  /** The body of a PUT. Its hash is signed, so the service rejects bytes that were changed on their way. */
  readonly file?: UploadedFile
}

/** Until its response begins, a request fails after this long without a byte in either direction. */
const silenceMilliseconds = 30_000

/** Returns the URL of a file. The bucket is the first part of the path, or of the host name. */
export function objectUrl(
  { endpoint, bucket, pathStyle }: Pick<S3Settings, 'endpoint' | 'bucket' | 'pathStyle'>,
  id: string,
): URL {
  const url = new URL(pathStyle ? `/${bucket}/${id}` : `/${id}`, endpoint)
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  return url
}

function createSend(settings: S3Settings) {
  const { region, accessKey, secretKey } = settings
  const key = { accessKey, secretKey, region, service: 's3' }
  const sendOnce = ({ method, id, range, file }: StoreRequest) => {
    const url = objectUrl(settings, id)
    const bodyHash = file?.sha256 ?? sha256Of('')
    const headers = {
      host: url.host,
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': amzDate(new Date()),
      ...(range && { range }),
      ...(file && { 'content-length': String(file.size), 'content-type': 'application/octet-stream' }),
    }
    const authorization = signRequest({ method, url, headers, bodyHash }, key)
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    return transfer(request(url, { method, headers: { ...headers, authorization } }), file)
  }
  return async (request: StoreRequest): Promise<IncomingMessage> => {
    try {
      return await sendOnce(request).catch((error) => {
        if (error instanceof ClosedWhileIdleError) return sendOnce(request)
        throw error
      })
    } catch (error) {
      throw filesUnavailable(error)
    }
  }
}

/**
 * The service closed a kept connection, probably before it received the request. All requests are idempotent,
 * so the request is repeated in any case.
 */
class ClosedWhileIdleError extends Error {}

/** Sends the body and resolves when the response begins. */
function transfer(request: ClientRequest, file: UploadedFile | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      // A client that reads slowly may leave the connection silent from here on.
      request.setTimeout(0)
      resolve(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasIdle = request.reusedSocket && error.code === 'ECONNRESET'
      reject(wasIdle ? new ClosedWhileIdleError(error.message, { cause: error }) : error)
    })
    request.setTimeout(silenceMilliseconds, () =>
      request.destroy(new Error(`No answer within ${silenceMilliseconds / 1000} seconds.`)),
    )
    if (file === undefined) return void request.end()
    const body = createReadStream(file.path)
    body.on('error', (error) => request.destroy(error))
    request.on('close', () => body.destroy())
    body.pipe(request)
  })
}

/** This much of an error is logged. It contains the reason, such as AccessDenied. */
const errorBytesMax = 2048
/** An error is short, so it arrives with its status or hardly later. */
const errorMilliseconds = 5000

async function requireStatus(response: IncomingMessage, ...expected: readonly number[]): Promise<void> {
  const { statusCode = 0 } = response
  if (expected.includes(statusCode)) return
  const text = await readStart(response)
  throw filesUnavailable(new Error(`The file store answered with ${statusCode}: ${text}`))
}

/** Returns the start of a response, or what arrived of it before it failed or stalled. */
async function readStart(response: IncomingMessage): Promise<string> {
  let text = ''
  const timer = setTimeout(
    () => response.destroy(new Error('The response takes too long.')),
    errorMilliseconds,
  )
  try {
    for await (const piece of response) {
      text += String(piece)
      if (text.length >= errorBytesMax) break
    }
  } catch {
    // The status is known, and fails the request in any case.
  } finally {
    clearTimeout(timer)
  }
  return text.slice(0, errorBytesMax)
}

/** A key for AWS Signature Version 4, which every S3-compatible store checks. */
export interface SigningKey {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly service: string
}

interface RequestToSign {
  readonly method: string
  readonly url: URL
  /** Must include `host` and `x-amz-date`. All headers are signed. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string
}

/**
 * Returns the value of the `authorization` header:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signRequest(request: RequestToSign, key: SigningKey): string {
  const { headers } = request
  const timestamp = headers['x-amz-date'] ?? ''
  const day = timestamp.slice(0, 8)
  const scope = `${day}/${key.region}/${key.service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', timestamp, scope, sha256Of(canonicalRequest(request))].join('\n')
  const signature = hmac(signingKeyOf(key, day), text).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=${key.accessKey}/${scope},SignedHeaders=${signedHeaders(headers)},Signature=${signature}`
}

function canonicalRequest({ method, url, headers, bodyHash }: RequestToSign): string {
  const lines = sortedEntries(headers).map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`)
  const query = sortedEntries(Object.fromEntries(url.searchParams)).map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  )
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)))
  return [method, path.join('/'), query.join('&'), lines.join(''), signedHeaders(headers), bodyHash].join(
    '\n',
  )
}

const signedHeaders = (headers: RequestToSign['headers']): string =>
  sortedEntries(headers)
    .map(([name]) => name)
    .join(';')

const sortedEntries = (values: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(values).sort(([first], [second]) => (first < second ? -1 : 1))

/** Also encodes the characters that `encodeURIComponent` leaves, but RFC 3986 reserves. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Derives the key of one day, region and service. */
const signingKeyOf = ({ secretKey, region, service }: SigningKey, day: string): Buffer =>
  [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretKey}`, day))

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The form of `x-amz-date`: 20130524T000000Z. */
export const amzDate = (date: Date): string => `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
