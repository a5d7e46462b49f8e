import type { HoursStep } from '../model/field.ts'
import { addressIn, type Settings } from './settings.ts'

/** What every host of the tracker has to know. */
export interface TrackerSettings {
  readonly host: string
  readonly logLevel: string
  readonly issuer: string
  readonly metadataAddress: string
  readonly adminLogins: readonly string[]
  readonly sessionCacheSeconds: number
  readonly hoursStep: HoursStep
  readonly allowedOrigins: readonly string[]
  /** How many proxies in front of a host are ours, where its own number would be `byDefault`; 0 trusts no header. */
  trustedProxies(byDefault: number): number
  /** What goes beyond the contract: paths under `/ext/`, and the commands of the extensions. */
  readonly extensions: boolean
  /** Whether people may sign in by password; off, they come from outside providers only. */
  readonly passwords: boolean
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export function readTrackerSettings(settings: Settings): TrackerSettings {
  const issuer = settings.address('Jwt__Issuer', 'http://localhost:5200')
  return {
    host: settings.text('HOST', '127.0.0.1'),
    logLevel: readLogLevel(settings),
    issuer,
    metadataAddress: settings.address('Jwt__MetadataAddress', `${issuer}/.well-known/openid-configuration`),
    adminLogins: settings.entries('SVC_ADMIN_LOGINS'),
    sessionCacheSeconds: settings.wholeNumber('Auth__SessionValidationCacheSeconds', 30, {
      min: 0,
      max: 3600,
    }),
    hoursStep: readHoursStep(settings),
    allowedOrigins: readOrigins(settings),
    trustedProxies: readTrustedProxies(settings),
    extensions: settings.flag('EXTENSIONS', true),
    passwords: settings.flag('Identity__Passwords', true),
  }
}

export function readLogLevel(settings: Settings): string {
  const level = settings.text('LOG_LEVEL', 'info')
  if (!logLevels.includes(level)) settings.refuse(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`)
  return level
}

const hoursSteps: readonly HoursStep[] = [0.01, 0.25, 1]

function readHoursStep(settings: Settings): HoursStep {
  const given = settings.text('HOURS_STEP', '0.01')
  const step = hoursSteps.find((known) => String(known) === given)
  if (step === undefined)
    settings.refuse(`HOURS_STEP must be ${hoursSteps.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`)
  return step ?? 0.01
}

/** Chains of proxies are short, and each trusted proxy could forge addresses. */
const proxiesMax = 10

function readTrustedProxies(settings: Settings): TrackerSettings['trustedProxies'] {
  const isEnabled = settings.flag('ASPNETCORE_FORWARDEDHEADERS_ENABLED', false)
  const given = settings.wholeNumber('TRUSTED_PROXIES', 0, { min: 0, max: proxiesMax })
  return (byDefault) => (isEnabled ? given || byDefault : 0)
}

/** By default the web client that starts beside the other hosts. */
function readOrigins(settings: Settings): readonly string[] {
  const port = readPort(settings, 'WEB_PORT', 5400)
  const given = settings.numbered('Cors__AllowedOrigins')
  if (given.length === 0) return [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  return given.flatMap((text) => {
    const address = addressIn(text)
    const isOrigin = address !== undefined && new URL(address).origin === address
    if (!isOrigin)
      settings.refuse(`Cors__AllowedOrigins has ${text}, which is no origin such as https://app.example.com.`)
    return isOrigin ? [address] : []
  })
}

export const readPort = (settings: Settings, name: string, byDefault: number): number =>
  settings.wholeNumber(name, byDefault, { min: 0, max: 65_535 })

export interface RateLimitSettings {
  /** 0 turns the limiter off. */
  readonly permitLimit: number
  readonly queueLimit: number
}

export const readRateLimit = (
  settings: Settings,
  host: string,
  byDefault: RateLimitSettings,
): RateLimitSettings => ({
  permitLimit: settings.wholeNumber(`RateLimit__${host}__PermitLimit`, byDefault.permitLimit, {
    min: 0,
    max: 1_000_000,
  }),
  queueLimit: settings.wholeNumber(`RateLimit__${host}__QueueLimit`, byDefault.queueLimit, {
    min: 0,
    max: 10_000,
  }),
})
