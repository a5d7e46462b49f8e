import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { S3Settings } from '../../config/attachment-settings.ts'
import { request as requestHttp } from '../../http/node-http.ts'
import { type FileStore, hasOtherSize, type UploadedFile, unavailable } from './file-store.ts'
import { amzDate, sha256Of, signRequest } from './sign-request.ts'

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
        throw unavailable(hasOtherSize(id))
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

/** The time without a byte in either direction, until the response begins. */
const silenceMilliseconds = 30_000

/** Returns the address of a file. The bucket is the beginning of the path, or of the name of the host. */
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
  return async (wanted: StoreRequest): Promise<IncomingMessage> => {
    try {
      return await sendOnce(wanted).catch((error) => {
        if (error instanceof ClosedWhileIdleError) return sendOnce(wanted)
        throw error
      })
    } catch (error) {
      throw unavailable(error)
    }
  }
}

/** The service has closed a connection that was kept for the next request, which it did not receive. */
class ClosedWhileIdleError extends Error {}

/** Sends the body and resolves when the response begins. */
function transfer(request: ClientRequest, file: UploadedFile | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      // From here on, a slow reader may leave the connection silent.
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

/** The part of an error that is logged: it names the reason, such as AccessDenied. */
const errorBytesMax = 2048

async function requireStatus(response: IncomingMessage, ...expected: readonly number[]): Promise<void> {
  const { statusCode = 0 } = response
  if (expected.includes(statusCode)) return
  let text = ''
  for await (const piece of response) {
    text += String(piece)
    if (text.length >= errorBytesMax) break
  }
  throw unavailable(new Error(`The file store answered with ${statusCode}: ${text.slice(0, errorBytesMax)}`))
}
