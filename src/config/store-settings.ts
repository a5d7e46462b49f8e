import { accessSync, constants } from 'node:fs'
import { daysKeptMin } from './declared-settings.ts'
import { readTelemetrySettings, type TelemetrySettings } from './host-settings.ts'
import type { Settings } from './settings.ts'

/** The file in the data directory whose content encrypts the keys in the store. */
export const identitySecretFile = 'identity-secret'

export interface StoreSettings {
  /** Undefined if the embedded PostgreSQL is used. */
  readonly databaseUrl: string | undefined
  /** The URLs of standbys, which serve reads. */
  readonly readUrls: readonly string[]
  readonly dataDirectory: string
  /** If undefined, the start detects whether a pooler prevents named statements. */
  readonly namedStatements: boolean | undefined
  /** The most connections of one process. */
  readonly connections: number
  /** 0 disables the log of slow statements. */
  readonly slowStatementMilliseconds: number
  readonly logLevel: string | undefined
  /** Undefined if no collector is configured. */
  readonly telemetry: TelemetrySettings | undefined
  readonly demoLogin: string
  readonly demoPassword: string | undefined
  readonly demoData: boolean
  /** True if an empty store gets the demo account. */
  readonly seedsDemoAccount: boolean
}

export function readStoreSettings(settings: Settings): StoreSettings {
  const configuredUrl = settings.get('DATABASE_URL')
  const databaseUrl = configuredUrl && readDatabaseUrl(settings, 'DATABASE_URL', configuredUrl)
  const isEmbedded = databaseUrl === undefined
  const readUrls = settings
    .get('DATABASE_READ_URL')
    .map((url) => readDatabaseUrl(settings, 'DATABASE_READ_URL', url))
  if (readUrls.length > 0 && isEmbedded)
    settings.addProblem('DATABASE_READ_URL needs DATABASE_URL: the embedded store has no standbys.')
  const demoLogin = settings.get('SVC_DEMO_LOGIN')
  const demoPassword = settings.get('SVC_DEMO_PASSWORD')
  const demoData = settings.get('SVC_DEMO_DATA') ?? isEmbedded
  return {
    databaseUrl,
    readUrls,
    dataDirectory: settings.get('DATA_DIR'),
    namedStatements: settings.get('DB_NAMED_STATEMENTS'),
    connections: settings.get('DB_CONNECTIONS'),
    slowStatementMilliseconds: settings.get('SLOW_STATEMENT_MILLISECONDS'),
    logLevel: settings.get('LOG_LEVEL'),
    telemetry: readTelemetrySettings(settings),
    demoLogin: demoLogin ?? 'demo@example.com',
    demoPassword,
    demoData,
    // A store at DATABASE_URL may be reachable by strangers, so it gets no account with a well-known login
    // unless the settings require one.
    seedsDemoAccount: isEmbedded || demoLogin !== undefined || demoPassword !== undefined || demoData,
  }
}

/**
 * The supported modes of libpq (all but `allow`): https://www.postgresql.org/docs/current/libpq-ssl.html.
 * Unlike in libpq, `prefer` never falls back to plain text.
 */
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']
const tlsFiles = ['sslrootcert', 'sslcert', 'sslkey']

/** The parameters that the driver understands. It would silently ignore any other. */
const urlParameters = [
  'host',
  'port',
  'user',
  'password',
  'sslmode',
  ...tlsFiles,
  'uselibpqcompat',
  'options',
  'application_name',
]

/** Advice for URLs in settings. */
export const percentEncodingAdvice = 'Percent-encode / as %2F, # as %23, ? as %3F, @ as %40 and % as %25'

/**
 * Checks the URL. Returns it with `uselibpqcompat`, so that `sslmode` means the same as for libpq (except
 * `prefer`: see `tlsModes`).
 */
function readDatabaseUrl(settings: Settings, name: string, url: string): string {
  const addProblem = (problem: string) => settings.addProblem(`${name} ${problem}`)
  if (!/^postgres(ql)?:\/\//.test(url)) addProblem('must start with postgresql://.')
  else if (!isParsedAsMeant(url))
    addProblem(
      `must be postgresql://user:password@host:port/database. ${percentEncodingAdvice} in each of its parts.`,
    )
  else return readUrlParameters(url, addProblem)
  return url
}

function readUrlParameters(url: string, addProblem: (problem: string) => void): string {
  const parameters = new URLSearchParams(/\?(.*)$/.exec(url)?.[1])
  for (const parameter of parameters.keys())
    if (!urlParameters.includes(parameter))
      addProblem(`has a parameter ${parameter}, which is none of ${urlParameters.join(', ')}.`)
  for (const file of tlsFiles) {
    const path = parameters.get(file)
    if (path !== null && !isReadable(path)) addProblem(`has a ${file} that cannot be read: ${path}`)
  }
  const mode = parameters.get('sslmode')
  if (mode === null) return url
  if (!tlsModes.includes(mode)) addProblem(`has sslmode=${mode}, which is none of ${tlsModes.join(', ')}.`)
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    addProblem('has sslmode=verify-ca, which needs sslrootcert, the file of your certificate authority.')
  return parameters.has('uselibpqcompat') ? url : `${url}&uselibpqcompat=true`
}

/**
 * Returns false if a `/`, `#` or `?` in the password ends the authority of the URL, so that its `@` is in the
 * path. The driver would then connect to a wrong host, and a message about any part could reveal the
 * password.
 */
function isParsedAsMeant(url: string): boolean {
  const [, beforePath = '', path = ''] = /^\w+:\/\/([^/?#]*)(.*)$/.exec(url) ?? []
  if (/[@#]/.test(path)) return false
  // `URL` is stricter than the driver, which accepts a URL without a host (a parameter names the socket) and
  // a lone `%`.
  const withHost = `postgresql://${beforePath.replace(/@$/, '@socket')}`.replaceAll(
    /%(?![\da-f]{2})/gi,
    '%25',
  )
  if (!URL.canParse(withHost)) return false
  try {
    const { username, password } = new URL(withHost)
    // Throws on an invalid escape.
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Only hosts that purge read these settings. */
export interface Retention {
  /** 0 keeps the history forever. */
  readonly historyDays: number
  /** 0 keeps removed rows forever. */
  readonly removedDays: number
}

export const readRetention = (settings: Settings): Retention => ({
  historyDays: readDaysKept(settings, 'HISTORY_DAYS'),
  removedDays: readDaysKept(settings, 'REMOVED_DAYS'),
})

function readDaysKept(settings: Settings, name: 'HISTORY_DAYS' | 'REMOVED_DAYS'): number {
  const days = settings.get(name)
  if (days > 0 && days < daysKeptMin)
    settings.addProblem(`${name} must be 0 (forever) or at least ${daysKeptMin}.`)
  return days
}
