import {
  isMailConfigured,
  type MetricsSettings,
  readMetricsSettings,
  readPasskeySignInDomain,
  readTrackerSettings,
  type TrackerSettings,
} from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { webClientId } from '../../model/oidc-client.ts'

export interface WebSettings extends MetricsSettings {
  readonly host: string
  readonly port: number
  readonly logLevel: string | undefined
  readonly trustedProxies: TrackerSettings['trustedProxies']
  /** The configuration that the client needs before its first request. It is served as `/config.json`. */
  readonly client: ClientConfiguration
}

export interface ClientConfiguration {
  readonly apiUrl: string
  readonly issuer: string
  readonly clientId: string
  /** True if the hosts serve `/ext/`. */
  readonly extensions: boolean
  /** True if the identity host has a page for signing in with a passkey alone. */
  readonly passkeys: boolean
  /** True if mails with password-reset links and invitations can be sent. */
  readonly mail: boolean
  /** True if notifications are mailed. */
  readonly notificationMails: boolean
  /** The largest attachment, in MiB. */
  readonly fileMegabytes: number
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
      passkeys: readPasskeySignInDomain(settings, tracker) !== undefined,
      mail: isMailConfigured(settings) && tracker.passwords,
      notificationMails: isMailConfigured(settings),
      fileMegabytes: settings.get('Attachments__FileMegabytes'),
    },
  }
}
