import { createHash, createHmac } from 'node:crypto'

/** AWS Signature Version 4, as every S3-compatible store checks it. */
export interface SigningKey {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly service: string
}

export interface RequestToSign {
  readonly method: string
  readonly url: URL
  /** All of them are signed, so `host` and `x-amz-date` are among them. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string
}

/** Returns the header `authorization`: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
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
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1))

/** RFC 3986, without the characters that `encodeURIComponent` leaves beyond it. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** A key for one day, region and service. */
const signingKeyOf = ({ secretKey, region, service }: SigningKey, day: string): Buffer =>
  [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretKey}`, day))

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The form of `x-amz-date`: 20130524T000000Z. */
export const amzDate = (date: Date): string => `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
