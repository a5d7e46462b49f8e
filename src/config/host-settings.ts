import type { Settings } from './settings.ts'
import { readTrackerSettings, type TrackerSettings } from './tracker-settings.ts'

/** The settings for sending mails; undefined where nothing is configured. */
export interface MailSettings {
  /** The server's address with the account there: never logged or shown. */
  readonly smtpUrl: string
  readonly from: string
  /** The web client, to which links lead: taken from the settings, never from a request. */
  readonly linkOrigin: string
}

/** Called by the host that sends mails. */
export function readMailSettings(settings: Settings): MailSettings | undefined {
  const smtpUrl = settings.get('SMTP_URL')
  const from = readMailSender(settings)
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl))
    settings.reject(
      'SMTP_URL must be the address of a server, such as smtps://user:password@mail.example.com.',
    )
  if ((smtpUrl === undefined) !== (from === undefined))
    settings.reject('SMTP_URL and MAIL_FROM need each other: the server that sends mails, and their sender.')
  const { extensions, allowedOrigins } = readTrackerSettings(settings)
  if (!extensions || smtpUrl === undefined || from === undefined) return undefined
  return { smtpUrl, from, linkOrigin: allowedOrigins[0] ?? '' }
}

/** Hosts that only queue mails detect the setup by the sender; they have no password for the mail server. */
export const canMail = (settings: Settings): boolean =>
  readMailSender(settings) !== undefined && readTrackerSettings(settings).extensions

function readMailSender(settings: Settings): string | undefined {
  const from = settings.get('MAIL_FROM')
  if (from !== undefined && !fromPattern.test(from))
    settings.reject(
      'MAIL_FROM must be a mail address, such as tracker@example.com, or Tracker <tracker@example.com>.',
    )
  return from
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return /^smtps?:$/.test(protocol) && hostname !== ''
}

const fromPattern = /^(?:[^<>\r\n"]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

/** Named as in OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export interface TelemetrySettings {
  /** Nothing is measured without an address, and the module is not loaded. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The share of traces that begin here; for a trace of the caller, the caller decides. */
  readonly sampledShare: number
}

export function readTelemetrySettings(settings: Settings): TelemetrySettings | undefined {
  const endpoint = settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')
  const telemetry = {
    headers: readHeaders(settings),
    serviceName: settings.get('OTEL_SERVICE_NAME'),
    sampledShare: readShare(settings),
  }
  return endpoint === undefined ? undefined : { endpoint, ...telemetry }
}

/** Parses `name=value`, with special characters percent-encoded. Values may be secrets, so no problem repeats them. */
function readHeaders(settings: Settings): Readonly<Record<string, string>> {
  const pairs = settings.get('OTEL_EXPORTER_OTLP_HEADERS').map((entry) => {
    const [name = '', ...value] = entry.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  // Node loads all of `fetch` with the first of them.
  if (pairs.length === 0) return {}
  try {
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, decodeURIComponent(value)])))
  } catch {
    settings.reject('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.')
    return {}
  }
}

function readShare(settings: Settings): number {
  const given = settings.get('OTEL_TRACES_SAMPLER_ARG')
  const share = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(given) ? Number(given) : Number.NaN
  if (Number.isNaN(share)) settings.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return share
}

export interface MetricsSettings {
  /**
   * Serves metrics at `/metrics`. They are for operators and most ports are public, so this is off by
   * default.
   */
  readonly metrics: boolean
  /** Required from readers of the metrics. Without one, only programs on this machine may read them. */
  readonly metricsToken?: string
}

/** RFC 6750, 2.1, with enough characters that it cannot be guessed. */
const tokenPattern = /^[\w.~+/-]{16,256}=*$/

export function readMetricsSettings(settings: Settings): MetricsSettings {
  const metrics = settings.get('METRICS')
  const metricsToken = settings.get('METRICS_TOKEN')
  if (metricsToken === undefined) return { metrics }
  if (!tokenPattern.test(metricsToken))
    settings.reject('METRICS_TOKEN must have 16 to 256 characters out of A-Z, a-z, 0-9 and -._~+/.')
  return { metrics, metricsToken }
}

/** The domain that passkeys are bound to (the RP ID of WebAuthn), and our origins within it. */
export interface PasskeySettings {
  readonly domain: string
  readonly origins: readonly string[]
  /** True if the pages of the identity host are among them: users sign in with a passkey there. */
  readonly areForSignIn: boolean
}

type Addresses = Pick<TrackerSettings, 'issuer' | 'allowedOrigins'>

/** Undefined where browsers would reject passkeys: on addresses without a name, and without TLS except on localhost. */
export function readPasskeySettings(settings: Settings, addresses: Addresses): PasskeySettings | undefined {
  const { issuer, allowedOrigins } = addresses
  const issuerOrigin = new URL(issuer).origin
  const given = settings.get('Identity__PasskeyDomain')
  const ours = [...new Set([...allowedOrigins, issuerOrigin])].filter(isSecure)
  const domain =
    given ?? commonDomain(new URL(allowedOrigins[0] ?? issuer).hostname, new URL(issuer).hostname)
  const origins = ours.filter((origin) => isWithin(new URL(origin).hostname, domain))
  if (given !== undefined && (!namePattern.test(given) || origins.length === 0))
    settings.reject(
      'Identity__PasskeyDomain must be the domain of the web client, or one above it, such as example.com.',
    )
  if (origins.length === 0) return undefined
  return { domain, origins, areForSignIn: origins.includes(issuerOrigin) }
}

const namePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const isSecure = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return !isAddress && (protocol === 'https:' || isWithin(hostname, 'localhost'))
}

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/**
 * Returns the common suffix of both hosts, if it is more than a public suffix: `example.com` for
 * app.example.com and id.example.com.
 */
function commonDomain(web: string, identity: string): string {
  const [ours, others] = [web.split('.').reverse(), identity.split('.').reverse()]
  const end = ours.findIndex((label, index) => label !== others[index])
  const common = end === -1 ? ours : ours.slice(0, end)
  return common.length >= labelsMin || common.length === ours.length ? common.reverse().join('.') : web
}

const labelsMin = 2
