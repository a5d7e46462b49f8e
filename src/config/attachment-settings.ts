import { join } from 'node:path'
import type { Settings } from './settings.ts'

const mebibyte = 1024 ** 2

export interface AttachmentSettings {
  readonly fileBytesMax: number
  readonly projectBytesMax: number
  /** A body that has not arrived after this time is cut off. */
  readonly uploadMilliseconds: number
  /** Holds files that are being uploaded, and without `s3` all files. */
  readonly directory: string
  /** Undefined where the files are in the directory. */
  readonly s3: S3Settings | undefined
}

export interface S3Settings {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** True if the path begins with the bucket; false if the host does. */
  readonly pathStyle: boolean
}

/** 25 MiB over a connection of 0.7 Mbit/s. */
const uploadMilliseconds = 5 * 60_000

export const readAttachmentSettings = (settings: Settings): AttachmentSettings => ({
  fileBytesMax: settings.get('Attachments__FileMegabytes') * mebibyte,
  projectBytesMax: settings.get('Attachments__ProjectMegabytes') * mebibyte,
  uploadMilliseconds,
  directory: join(settings.get('DATA_DIR'), 'attachments'),
  s3: readS3Settings(settings),
})

/** All of them are necessary, so that files do not go into the folder because of one missing variable. */
const requiredNames = ['Endpoint', 'Bucket', 'AccessKey', 'SecretKey'] as const

function readS3Settings(settings: Settings): S3Settings | undefined {
  const endpoint = settings.get('Attachments__S3__Endpoint')
  const bucket = settings.get('Attachments__S3__Bucket')
  const accessKey = settings.get('Attachments__S3__AccessKey')
  const secretKey = settings.get('Attachments__S3__SecretKey')
  const [region, pathStyle] = [
    settings.get('Attachments__S3__Region'),
    settings.get('Attachments__S3__PathStyle'),
  ]
  const values = [endpoint, bucket, accessKey, secretKey]
  if (values.every((value) => value === undefined)) return undefined
  const missing = requiredNames.filter((_, index) => values[index] === undefined)
  if (missing.length > 0)
    settings.reject(
      `Files in an S3-compatible store also need ${missing.map((name) => `Attachments__S3__${name}`).join(', ')}.`,
    )
  if (bucket !== undefined && !bucketPattern.test(bucket))
    settings.reject('Attachments__S3__Bucket must have 3 to 63 characters out of a-z, 0-9, dots and dashes.')
  if (endpoint === undefined || !bucket || !accessKey || !secretKey) return undefined
  if (new URL(endpoint).pathname !== '/')
    settings.reject('Attachments__S3__Endpoint must be an address without a path.')
  return { endpoint, bucket, region, accessKey, secretKey, pathStyle }
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
