import {
  type MailSettings,
  type MetricsSettings,
  readMailSettings,
  readMetricsSettings,
} from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import {
  type RateLimitSettings,
  readRateLimit,
  readTrackerSettings,
  type TrackerSettings,
} from '../../config/tracker-settings.ts'

export interface RestSettings extends TrackerSettings, MetricsSettings {
  readonly port: number
  readonly audience: string
  readonly rateLimit: RateLimitSettings
  /** True if this process delivers to webhooks; another instance may do it for all. */
  readonly webhooks: boolean
  /** Receivers in addition to public https addresses: a host, or a host and a port. */
  readonly webhookReceivers: readonly string[]
  /** Undefined where no mail can be sent. */
  readonly mail: MailSettings | undefined
}

export const readRestSettings = (settings: Settings): RestSettings => ({
  ...readTrackerSettings(settings),
  port: settings.get('REST_PORT'),
  audience: settings.get('Jwt__Audience'),
  rateLimit: readRateLimit(settings, 'Rest'),
  ...readMetricsSettings(settings),
  webhooks: settings.get('WEBHOOKS'),
  webhookReceivers: settings.get('WEBHOOK_RECEIVERS'),
  mail: readMailSettings(settings),
})
