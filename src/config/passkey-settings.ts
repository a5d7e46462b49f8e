import type { Settings } from './settings.ts'
import type { TrackerSettings } from './tracker-settings.ts'

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
