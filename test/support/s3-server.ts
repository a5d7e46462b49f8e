import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface S3Server {
  readonly address: string
  /** The settings of a host that stores its files on this server. */
  readonly environment: Readonly<Record<string, string>>
  /** The objects by their path: /bucket/key. */
  readonly objects: Map<string, Buffer>
  /** The requests that were accepted. */
  readonly requests: string[]
  /** Handles requests instead of the server while it is set. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  stop(): Promise<void>
}

const credentials = { accessKey: 'AKIDTEST', secretKey: 'a secret of S3', region: 'eu-test-1' }
const bucket = 'tracker-files'

/**
 * Starts a server with the three S3 operations that the tracker uses. It checks signatures with a separate
 * implementation, and rejects requests that S3 would reject.
 */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    if (state.fault) return state.fault(request, response)
    const body = await buffer(request)
    const problem = problemOf(request, body)
    if (problem) return void response.writeHead(403).end(`<Error><Code>${problem}</Code></Error>`)
    requests.push(`${request.method} ${request.url}`)
    serve(objects, request, body, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state: S3Server = {
    address,
    environment: {
      Attachments__S3__Endpoint: address,
      Attachments__S3__Bucket: bucket,
      Attachments__S3__Region: credentials.region,
      Attachments__S3__AccessKey: credentials.accessKey,
      Attachments__S3__SecretKey: credentials.secretKey,
    },
    objects,
    requests,
    fault: undefined,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return state
}

function serve(
  objects: Map<string, Buffer>,
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  if (!url.startsWith(`/${bucket}/`)) return void response.writeHead(404).end('<Code>NoSuchBucket</Code>')
  const stored = objects.get(url)
  if (method === 'PUT') {
    objects.set(url, body)
    return void response.writeHead(200).end()
  }
  if (method === 'DELETE') {
    objects.delete(url)
    return void response.writeHead(204).end()
  }
  if (!stored) return void response.writeHead(404).end('<Code>NoSuchKey</Code>')
  // The tracker reads every file by ranges.
  const [, start = '', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const part = stored.subarray(Number(start), Number(end) + 1)
  const last = Number(start) + part.length - 1
  response
    .writeHead(206, {
      'content-range': `bytes ${start}-${last}/${stored.length}`,
      'content-length': part.length,
    })
    .end(part)
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

/** The largest difference between the clocks that S3 accepts. */
const clockMilliseconds = 15 * 60_000

/** Returns the error code with which S3 would reject the request. */
function problemOf({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!authorization) return 'AccessDenied'
  const [, accessKey, day = '', region = '', signedNames = '', signature] = authorization
  if (accessKey !== credentials.accessKey) return 'InvalidAccessKeyId'
  const date = String(headers['x-amz-date'])
  const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < clockMilliseconds) || !date.startsWith(day)) return 'RequestTimeTooSkewed'
  const names = signedNames.split(';')
  for (const required of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.includes(required)) return 'AccessDenied'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = url.split('?')
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    signedNames,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const dayKey = hmac(`AWS4${credentials.secretKey}`, day)
  const key = hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request')
  return hmac(key, text).toString('hex') === signature && region === credentials.region
    ? undefined
    : 'SignatureDoesNotMatch'
}
