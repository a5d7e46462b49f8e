import type { HoursStep } from '../model/field.ts'
import { localUrl } from '../model/host-url.ts'
import { parseAddress } from './setting-kinds.ts'
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
  /**
   * The number of trusted proxies in front of a host whose own default is `hostDefault`; 0 trusts no header.
   */
  trustedProxies(hostDefault: number): number
  /** Enables everything beyond the contract: paths under `/ext/`, and the commands of the extensions. */
  readonly extensions: boolean
  /** True if users may sign in by password; if not, they use external providers only. */
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

/** The settings that all instances of the tracker's hosts must have in common. */
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
  const given = settings.get('TRUSTED_PROXIES')
  return (byDefault) => (isEnabled ? given || byDefault : 0)
}

/** The default is the web client that starts with the other hosts. */
function readOrigins(settings: Settings): readonly string[] {
  const port = settings.get('WEB_PORT')
  const given = settings.get('Cors__AllowedOrigins')
  if (given.length === 0) return [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  return given.flatMap((text) => {
    const address = parseAddress(text)
    const isOrigin = address !== undefined && new URL(address).origin === address
    if (!isOrigin)
      settings.reject(
        `Cors__AllowedOrigins has ${text}, which is not an origin such as https://app.example.com.`,
      )
    return isOrigin ? [address] : []
  })
}

export interface RateLimitSettings {
  /** 0 turns the limiter off. */
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
