import type { Settings } from './settings.ts'
import { readTrackerSettings, type TrackerSettings } from './tracker-settings.ts'

/** The settings for sending mails; undefined where nothing is configured. */
export interface MailSettings {
  /** The server's address with the account there: never logged or shown. */
  readonly smtpUrl: string
  readonly from: string
  /** The web client, to which links lead: taken from the settings, never from a request. */
  readonly linkOrigin: string
  /** The identity host, whose page ends mails. */
  readonly identityUrl: string
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
  const { extensions, allowedOrigins, issuer } = readTrackerSettings(settings)
  if (!extensions || smtpUrl === undefined || from === undefined) return undefined
  return { smtpUrl, from, linkOrigin: allowedOrigins[0] ?? '', identityUrl: issuer.replace(/\/$/, '') }
}

/**
 * True if mail is configured. Hosts that only queue mails are not given SMTP_URL, which contains a password, so
 * MAIL_FROM decides.
 */
export const isMailConfigured = (settings: Settings): boolean =>
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
  /** Fraction of new traces that are recorded. A trace that the caller started follows the caller's decision. */
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

/** Parses `name=value`, with special characters percent-encoded. Values may be secrets, so no problem repeats them. */
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
    settings.reject('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.')
    return {}
  }
}

function readSampleRatio(settings: Settings): number {
  const given = settings.get('OTEL_TRACES_SAMPLER_ARG')
  const ratio = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(given) ? Number(given) : Number.NaN
  if (Number.isNaN(ratio)) settings.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return ratio
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
  /** True if users can sign in with a passkey on the identity host's own pages. */
  readonly includeIdentityHost: boolean
}

type Addresses = Pick<TrackerSettings, 'issuer' | 'allowedOrigins'>

/** Undefined where browsers would reject passkeys: on IP addresses, and over plain HTTP except on localhost. */
export function readPasskeySettings(settings: Settings, addresses: Addresses): PasskeySettings | undefined {
  const { issuer, allowedOrigins } = addresses
  const issuerOrigin = new URL(issuer).origin
  const given = settings.get('Identity__PasskeyDomain')
  const secureOrigins = [...new Set([...allowedOrigins, issuerOrigin])].filter(isSecure)
  const domain =
    given ?? commonDomain(new URL(allowedOrigins[0] ?? issuer).hostname, new URL(issuer).hostname)
  const origins = secureOrigins.filter((origin) => isWithin(new URL(origin).hostname, domain))
  if (given !== undefined && (!namePattern.test(given) || origins.length === 0))
    settings.reject(
      'Identity__PasskeyDomain must be the domain of the web client, or one above it, such as example.com.',
    )
  if (origins.length === 0) return undefined
  return { domain, origins, includeIdentityHost: origins.includes(issuerOrigin) }
}

/** Returns the domain of passkeys that sign in alone; undefined where no page accepts them. */
export function readPasskeySignInDomain(
  settings: Settings,
  tracker: Addresses & Pick<TrackerSettings, 'extensions'>,
): string | undefined {
  const passkeys = tracker.extensions ? readPasskeySettings(settings, tracker) : undefined
  return passkeys?.includeIdentityHost ? passkeys.domain : undefined
}

const namePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const isSecure = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return !isAddress && (protocol === 'https:' || isWithin(hostname, 'localhost'))
}

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/**
 * Returns the common suffix of both hosts: `example.com` for app.example.com and id.example.com. Without one that
 * browsers accept, returns the web client's host: the identity host is not within it, so passkeys are not offered.
 */
function commonDomain(web: string, identity: string): string {
  const [webLabels, identityLabels] = [web.split('.').reverse(), identity.split('.').reverse()]
  const firstDifference = webLabels.findIndex((label, index) => label !== identityLabels[index])
  const common = firstDifference === -1 ? web : webLabels.slice(0, firstDifference).reverse().join('.')
  return common === web || (common.includes('.') && !isPublicSuffix(common)) ? common : web
}

/**
 * The kinds of public suffixes under which hosts of different owners are neighbours: browsers bind no passkey to
 * them. Not complete: `Identity__PasskeyDomain` decides where this does not know a suffix.
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
