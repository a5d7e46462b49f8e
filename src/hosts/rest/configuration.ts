import { type MailSettings, readMailSettings } from '../../configuration/mail-settings.ts'
import type { Settings } from '../../configuration/settings.ts'
import {
  type RateLimitSettings,
  readPort,
  readRateLimit,
  readTrackerSettings,
  type TrackerSettings,
} from '../../configuration/tracker-settings.ts'

export interface RestSettings extends TrackerSettings {
  readonly port: number
  readonly audience: string
  readonly rateLimit: RateLimitSettings
  /** Measurements at `/metrics`; off unless asked for, because the port is public. */
  readonly metrics: boolean
  /** Whether this process delivers to webhooks; another instance may do it for all. */
  readonly webhooks: boolean
  /** Receivers beside public https addresses: a host, or a host and a port. */
  readonly webhookReceivers: readonly string[]
  /** None where no mail can be sent. */
  readonly mail: MailSettings | undefined
}

export const readRestSettings = (settings: Settings): RestSettings => ({
  ...readTrackerSettings(settings),
  port: readPort(settings, 'REST_PORT', 5100),
  audience: settings.text('Jwt__Audience', 'svc-api'),
  rateLimit: readRateLimit(settings, 'Rest', { permitLimit: 300, queueLimit: 20 }),
  metrics: settings.flag('METRICS', false),
  webhooks: settings.flag('WEBHOOKS', true),
  webhookReceivers: settings.entries('WEBHOOK_RECEIVERS'),
  mail: readMailSettings(settings),
})
