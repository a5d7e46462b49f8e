import {
  canMail,
  type MetricsSettings,
  readMetricsSettings,
  readPasskeySettings,
} from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { readTrackerSettings, type TrackerSettings } from '../../config/tracker-settings.ts'
import { webClientId } from '../../model/client.ts'

export interface WebSettings extends MetricsSettings {
  readonly host: string
  readonly port: number
  readonly logLevel: string | undefined
  readonly trustedProxies: TrackerSettings['trustedProxies']
  /** The configuration that the client needs before its first request; served unchanged. */
  readonly client: ClientConfiguration
}

export interface ClientConfiguration {
  readonly apiUrl: string
  readonly issuer: string
  readonly clientId: string
  /** True if `/ext/` is served: names of people, lists of removed records. */
  readonly extensions: boolean
  /** True if the identity host has a page for signing in with a passkey alone. */
  readonly passkeys: boolean
  /** True if mails can be sent, for new passwords and invitations. */
  readonly mail: boolean
}

export function readWebSettings(settings: Settings): WebSettings {
  const tracker = readTrackerSettings(settings)
  const { host, logLevel, trustedProxies, issuer, extensions } = tracker
  return {
    host,
    port: settings.get('WEB_PORT'),
    logLevel,
    trustedProxies,
    ...readMetricsSettings(settings),
    client: {
      apiUrl: settings.get('WEB_API_URL') ?? `http://localhost:${settings.get('REST_PORT')}`,
      issuer,
      clientId: webClientId,
      extensions,
      passkeys: extensions && readPasskeySettings(settings, tracker)?.includeIdentityHost === true,
      mail: canMail(settings) && tracker.passwords,
    },
  }
}
