import { join } from 'node:path'
import type { HoursStep } from '../model/field.ts'
import { parseHttpUrl } from './setting-kinds.ts'
import type { Settings } from './settings.ts'

/** Settings that every host of the tracker needs. */
export interface TrackerSettings {
  readonly host: string
  readonly logLevel: string | undefined
  readonly issuer: string
  readonly metadataAddress: string
  readonly adminLogins: readonly string[]
  readonly sessionCacheSeconds: number
  readonly hoursStep: HoursStep
  readonly allowedOrigins: readonly string[]
  /** Returns the number of trusted proxies, by default `hostDefault`. 0 ignores forwarded headers. */
  trustedProxies(hostDefault: number): number
  /** True if everything beyond the contract is served: `/ext/` and the extensions' commands. */
  readonly extensions: boolean
  /** True if users may sign in by password. If not, they use external providers only. */
  readonly passwords: boolean
}

export function readTrackerSettings(settings: Settings): TrackerSettings {
  const host = settings.get('HOST')
  const issuer = settings.get('Jwt__Issuer') ?? localUrl(host, settings.get('IDENTITY_PORT'))
  return {
    host,
    logLevel: settings.get('LOG_LEVEL'),
    issuer,
    metadataAddress: settings.get('Jwt__MetadataAddress') ?? `${issuer}/.well-known/openid-configuration`,
    adminLogins: settings.get('SVC_ADMIN_LOGINS'),
    sessionCacheSeconds: settings.get('Auth__SessionValidationCacheSeconds'),
    hoursStep: settings.get('HOURS_STEP'),
    allowedOrigins: readOrigins(settings),
    trustedProxies: readTrustedProxies(settings),
    extensions: settings.get('EXTENSIONS'),
    passwords: settings.get('Identity__Passwords'),
  }
}

/** Settings that must be equal in all instances of the hosts. `doctor` and a metric report differences. */
export const sharedTrackerSettings = ({
  issuer,
  adminLogins,
  extensions,
}: Pick<TrackerSettings, 'issuer' | 'adminLogins' | 'extensions'>) => ({
  Jwt__Issuer: issuer,
  SVC_ADMIN_LOGINS: adminLogins,
  EXTENSIONS: extensions,
})

function readTrustedProxies(settings: Settings): TrackerSettings['trustedProxies'] {
  const isEnabled = settings.get('ASPNETCORE_FORWARDEDHEADERS_ENABLED')
  const configured = settings.get('TRUSTED_PROXIES')
  return (hostDefault) => (isEnabled ? configured || hostDefault : 0)
}

/** Returns the allowed origins. The default is the web client of the same installation. */
function readOrigins(settings: Settings): readonly string[] {
  const port = settings.get('WEB_PORT')
  const configured = settings.get('Cors__AllowedOrigins')
  if (configured.length === 0) return [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  return configured.flatMap((text) => {
    const url = parseHttpUrl(text)
    const isOrigin = url !== undefined && new URL(url).origin === url
    if (!isOrigin)
      settings.addProblem(
        `Cors__AllowedOrigins has ${text}, which is not an origin such as https://app.example.com.`,
      )
    return isOrigin ? [url] : []
  })
}

export interface RateLimitSettings {
  /** 0 disables the limit. */
  readonly permitLimit: number
  readonly queueLimit: number
}

export const readRateLimit = (
  settings: Settings,
  host: 'Rest' | 'Identity' | 'Command',
): RateLimitSettings => ({
  permitLimit: settings.get(`RateLimit__${host}__PermitLimit`),
  queueLimit: settings.get(`RateLimit__${host}__QueueLimit`),
})

export interface MailSettings {
  /** Contains a password, so it is never logged. */
  readonly smtpUrl: string
  readonly from: string
  /** The web client's origin, to which links lead. No request can make a mail lead to another site. */
  readonly linkOrigin: string
  /** The URL of the identity host, whose page unsubscribes from mails. */
  readonly identityUrl: string
}

/** Only the REST host calls this, because it sends the mails. Other hosts only queue them. */
export function readMailSettings(settings: Settings): MailSettings | undefined {
  const smtpUrl = settings.get('SMTP_URL')
  const from = readMailSender(settings)
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl))
    settings.addProblem(
      'SMTP_URL must be the URL of a server, such as smtps://user:password@mail.example.com.',
    )
  if ((smtpUrl === undefined) !== (from === undefined))
    settings.addProblem(
      'SMTP_URL and MAIL_FROM need each other: the server that sends mails, and their sender.',
    )
  const { extensions, allowedOrigins, issuer } = readTrackerSettings(settings)
  if (!extensions || smtpUrl === undefined || from === undefined) return undefined
  return { smtpUrl, from, linkOrigin: allowedOrigins[0] ?? '', identityUrl: issuer.replace(/\/$/, '') }
}

/**
 * True if mail is configured. Hosts that only queue mails do not get SMTP_URL, which contains a
 * password, so MAIL_FROM decides.
 */
export const isMailConfigured = (settings: Settings): boolean =>
  readMailSender(settings) !== undefined && readTrackerSettings(settings).extensions

function readMailSender(settings: Settings): string | undefined {
  const from = settings.get('MAIL_FROM')
  if (from !== undefined && !fromPattern.test(from))
    settings.addProblem(
      'MAIL_FROM must be a mail address, such as tracker@example.com, or Tracker <tracker@example.com>.',
    )
  return from
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return /^smtps?:$/.test(protocol) && hostname !== ''
}

/** Matches an address alone, or `Name <address>`, without quotes or line breaks in the name. */
const fromPattern = /^(?:[^<>\r\n"]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

/**
 * The settings of telemetry, with the names of OpenTelemetry:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export interface TelemetrySettings {
  /** The URL of the collector. Without it, telemetry is disabled and its module not loaded. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The fraction of new traces that are recorded. The caller decides about a trace that it began. */
  readonly sampleRatio: number
}

export function readTelemetrySettings(settings: Settings): TelemetrySettings | undefined {
  const endpoint = settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')
  const telemetry = {
    headers: readHeaders(settings),
    serviceName: settings.get('OTEL_SERVICE_NAME'),
    sampleRatio: readSampleRatio(settings),
  }
  return endpoint === undefined ? undefined : { endpoint, ...telemetry }
}

/**
 * Parses `name=value`, with special characters percent-encoded. Values may be secrets, so the problem does
 * not quote them.
 */
function readHeaders(settings: Settings): Readonly<Record<string, string>> {
  const pairs = settings.get('OTEL_EXPORTER_OTLP_HEADERS').map((entry) => {
    const [name = '', ...value] = entry.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  // The first use of Headers makes Node load its fetch implementation, so an empty list returns before it.
  if (pairs.length === 0) return {}
  try {
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, decodeURIComponent(value)])))
  } catch {
    settings.addProblem('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.')
    return {}
  }
}

function readSampleRatio(settings: Settings): number {
  const configured = settings.get('OTEL_TRACES_SAMPLER_ARG')
  const ratio = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(configured) ? Number(configured) : Number.NaN
  if (Number.isNaN(ratio)) settings.addProblem('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return ratio
}

export interface MetricsSettings {
  /** True if `/metrics` is served. Off by default, because most ports are public. */
  readonly metrics: boolean
  /** Required from readers of the metrics. Without one, only programs on this machine may read them. */
  readonly metricsToken?: string
}

/** The syntax of a bearer token (RFC 6750, 2.1). Its minimum length makes guessing futile. */
const tokenPattern = /^[\w.~+/-]{16,256}=*$/

export function readMetricsSettings(settings: Settings): MetricsSettings {
  const metrics = settings.get('METRICS')
  const metricsToken = settings.get('METRICS_TOKEN')
  if (metricsToken === undefined) return { metrics }
  if (!tokenPattern.test(metricsToken))
    settings.addProblem('METRICS_TOKEN must have 16 to 256 characters out of A-Z, a-z, 0-9 and -._~+/.')
  return { metrics, metricsToken }
}

/** The domain to which passkeys are bound (the RP ID of WebAuthn), and our origins within it. */
export interface PasskeySettings {
  readonly domain: string
  readonly origins: readonly string[]
  /** True if users can sign in with a passkey on the identity host's own pages. */
  readonly includeIdentityHost: boolean
}

type Addresses = Pick<TrackerSettings, 'issuer' | 'allowedOrigins'>

/** Returns undefined if browsers would reject passkeys: on IP addresses, and over HTTP except on localhost. */
export function readPasskeySettings(settings: Settings, addresses: Addresses): PasskeySettings | undefined {
  const { issuer, allowedOrigins } = addresses
  const issuerOrigin = new URL(issuer).origin
  const configured = settings.get('Identity__PasskeyDomain')
  const secureOrigins = [...new Set([...allowedOrigins, issuerOrigin])].filter(isSecure)
  const domain =
    configured ?? commonDomain(new URL(allowedOrigins[0] ?? issuer).hostname, new URL(issuer).hostname)
  const origins = secureOrigins.filter((origin) => isWithin(new URL(origin).hostname, domain))
  if (configured !== undefined && (!namePattern.test(configured) || origins.length === 0))
    settings.addProblem(
      'Identity__PasskeyDomain must be the domain of the web client, or one above it, such as example.com.',
    )
  if (origins.length === 0) return undefined
  return { domain, origins, includeIdentityHost: origins.includes(issuerOrigin) }
}

/** Returns the domain of passkeys that sign in without a password, or undefined if no page accepts them. */
export function readPasskeySignInDomain(
  settings: Settings,
  tracker: Addresses & Pick<TrackerSettings, 'extensions'>,
): string | undefined {
  const passkeys = tracker.extensions ? readPasskeySettings(settings, tracker) : undefined
  return passkeys?.includeIdentityHost ? passkeys.domain : undefined
}

/** Matches a lower-case domain name: labels of letters, digits and inner hyphens (RFC 1123). */
const namePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const isSecure = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return !isAddress && (protocol === 'https:' || isWithin(hostname, 'localhost'))
}

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/**
 * Returns the common suffix of both hosts: `example.com` for app.example.com and id.example.com. Without a
 * suffix that browsers accept, returns the web client's host. The identity host is not within it, so its
 * pages offer no passkeys.
 */
function commonDomain(web: string, identity: string): string {
  const webLabels = web.split('.').reverse()
  const identityLabels = identity.split('.').reverse()
  const firstDifference = webLabels.findIndex((label, index) => label !== identityLabels[index])
  const common = firstDifference === -1 ? web : webLabels.slice(0, firstDifference).reverse().join('.')
  return common === web || (common.includes('.') && !isPublicSuffix(common)) ? common : web
}

/**
 * Returns whether the domain is a public suffix. Hosts below it belong to different owners, so browsers bind
 * no passkey to it. The lists are incomplete. If a suffix is missing, operators set
 * `Identity__PasskeyDomain`.
 */
const isPublicSuffix = (domain: string): boolean => countrySuffix.test(domain) || platformSuffixes.has(domain)

const countrySuffix = /^(ac|co|com|edu|go|gob|gov|gv|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/

const platformSuffixes: ReadonlySet<string> = new Set(
  [
    'amplifyapp.com appspot.com azurewebsites.net cloudfront.net deno.dev duckdns.org firebaseapp.com fly.dev',
    'github.io gitlab.io herokuapp.com koyeb.app netlify.app ngrok-free.app ngrok.app ngrok.io nip.io onrender.com',
    'ondigitalocean.app pages.dev run.app sslip.io surge.sh up.railway.app vercel.app web.app workers.dev',
  ].flatMap((line) => line.split(' ')),
)

const mebibyte = 1024 ** 2

export interface AttachmentSettings {
  readonly fileBytesMax: number
  readonly projectBytesMax: number
  /** An upload that takes longer is aborted. */
  readonly uploadMilliseconds: number
  /** Holds files that are being uploaded, and without `s3` all files. */
  readonly directory: string
  /** Undefined if the files are stored in the directory. */
  readonly s3: S3Settings | undefined
}

export interface S3Settings {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** True if the path begins with the bucket. False if the host does. */
  readonly pathStyle: boolean
}

/** Suffices for 25 MiB, the largest file by default, at 0.7 Mbit/s. */
const uploadMilliseconds = 5 * 60_000

export const readAttachmentSettings = (settings: Settings): AttachmentSettings => ({
  fileBytesMax: settings.get('Attachments__FileMegabytes') * mebibyte,
  projectBytesMax: settings.get('Attachments__ProjectMegabytes') * mebibyte,
  uploadMilliseconds,
  directory: join(settings.get('DATA_DIR'), 'attachments'),
  s3: readS3Settings(settings),
})

/** If only some of these are set, that is a problem: files would silently be stored in the directory. */
const requiredNames = ['Endpoint', 'Bucket', 'AccessKey', 'SecretKey'] as const

function readS3Settings(settings: Settings): S3Settings | undefined {
  const endpoint = settings.get('Attachments__S3__Endpoint')
  const bucket = settings.get('Attachments__S3__Bucket')
  const accessKey = settings.get('Attachments__S3__AccessKey')
  const secretKey = settings.get('Attachments__S3__SecretKey')
  const region = settings.get('Attachments__S3__Region')
  const pathStyle = settings.get('Attachments__S3__PathStyle')
  const values = [endpoint, bucket, accessKey, secretKey]
  if (values.every((value) => value === undefined)) return undefined
  const missing = requiredNames.filter((_, index) => values[index] === undefined)
  const missingSettings = missing.map((name) => `Attachments__S3__${name}`).join(', ')
  if (missing.length > 0) settings.addProblem(`Files in an S3-compatible store also need ${missingSettings}.`)
  if (bucket !== undefined && !bucketPattern.test(bucket))
    settings.addProblem(
      'Attachments__S3__Bucket must have 3 to 63 characters out of a-z, 0-9, dots and dashes.',
    )
  if (endpoint === undefined || !bucket || !accessKey || !secretKey) return undefined
  if (new URL(endpoint).pathname !== '/')
    settings.addProblem('Attachments__S3__Endpoint must be a URL without a path.')
  return { endpoint, bucket, region, accessKey, secretKey, pathStyle }
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Puts an IPv6 address in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const httpUrl = (host: string, port: number): string => `http://${hostAndPort(host, port)}`

/** A URL to open in a browser on this machine. A browser cannot open a wildcard address such as 0.0.0.0. */
export const localUrl = (host: string, port: number): string =>
  httpUrl(ownAddresses.has(host) ? 'localhost' : host, port)

const ownAddresses: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '0.0.0.0', '::'])
