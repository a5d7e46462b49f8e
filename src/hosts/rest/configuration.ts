import {
  type AttachmentSettings,
  type MailSettings,
  type MetricsSettings,
  type RateLimitSettings,
  readAttachmentSettings,
  readMailSettings,
  readMetricsSettings,
  readPasskeySignInDomain,
  readRateLimit,
  readTrackerSettings,
  sharedTrackerSettings,
  type TrackerSettings,
} from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { type Retention, readRetention } from '../../config/store-settings.ts'
import type { SharedSettings } from '../../db/instances.ts'

export interface RestSettings extends TrackerSettings, MetricsSettings {
  readonly port: number
  readonly audience: string
  readonly rateLimit: RateLimitSettings
  /** True if this process delivers to webhooks; another instance may do it for all. */
  readonly webhooks: boolean
  /** Receivers in addition to public https addresses: a host, or a host and a port. */
  readonly webhookReceivers: readonly string[]
  readonly attachments: AttachmentSettings
  /** Undefined if no mail can be sent. */
  readonly mail: MailSettings | undefined
  readonly passkeySignInDomain: string | undefined
  readonly retention: Retention
  /** The settings that all instances must have in common. */
  readonly shared: SharedSettings
}

export function readRestSettings(settings: Settings): RestSettings {
  const tracker = readTrackerSettings(settings)
  const retention = readRetention(settings)
  const passkeySignInDomain = readPasskeySignInDomain(settings, tracker)
  const audience = settings.get('Jwt__Audience')
  const attachments = readAttachmentSettings(settings)
  return {
    ...tracker,
    port: settings.get('REST_PORT'),
    audience,
    rateLimit: readRateLimit(settings, 'Rest'),
    ...readMetricsSettings(settings),
    retention,
    webhooks: settings.get('WEBHOOKS'),
    webhookReceivers: settings.get('WEBHOOK_RECEIVERS'),
    attachments,
    mail: readMailSettings(settings),
    passkeySignInDomain,
    shared: {
      ...sharedTrackerSettings(tracker),
      Jwt__Audience: audience,
      Identity__Passwords: tracker.passwords,
      Identity__PasskeyDomain: passkeySignInDomain,
      Cors__AllowedOrigins: tracker.allowedOrigins,
      HOURS_STEP: tracker.hoursStep,
      Attachments__FileMegabytes: attachments.fileBytesMax,
      Attachments__ProjectMegabytes: attachments.projectBytesMax,
      HISTORY_DAYS: retention.historyDays,
      REMOVED_DAYS: retention.removedDays,
    },
  }
}
