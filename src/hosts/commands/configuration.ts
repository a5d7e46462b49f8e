import {
  type MetricsSettings,
  type RateLimitSettings,
  readMetricsSettings,
  readRateLimit,
  readTrackerSettings,
  sharedTrackerSettings,
  type TrackerSettings,
} from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { type Retention, readRetention } from '../../config/store-settings.ts'
import type { SharedSettings } from '../../db/instances.ts'

export interface CommandSettings extends TrackerSettings, MetricsSettings {
  /** HTTP/2 without TLS: commands, reflection and health. */
  readonly port: number
  /** HTTP/1.1: diagnostics. */
  readonly diagnosticsPort: number
  readonly audience: string
  /** The prefix of the names of the .NET commands. */
  readonly dotnetNamespace: string
  readonly rateLimit: RateLimitSettings
  readonly retention: Retention
  /** The settings that all instances must have in common. */
  readonly shared: SharedSettings
}

export function readCommandSettings(settings: Settings): CommandSettings {
  const dotnetNamespace = settings.get('COMMAND_DOTNET_NAMESPACE')
  if (!/^[\w.]{1,200}$/.test(dotnetNamespace)) {
    settings.addProblem(
      'COMMAND_DOTNET_NAMESPACE must be a .NET namespace such as GrpcServer.Contracts.Commands.',
    )
  }
  const tracker = readTrackerSettings(settings)
  const retention = readRetention(settings)
  const audience = settings.get('Identity__GrpcAudience')
  return {
    ...tracker,
    port: settings.get('COMMAND_PORT'),
    diagnosticsPort: settings.get('COMMAND_DIAGNOSTICS_PORT'),
    audience,
    dotnetNamespace,
    rateLimit: readRateLimit(settings, 'Command'),
    ...readMetricsSettings(settings),
    retention,
    shared: {
      ...sharedTrackerSettings(tracker),
      Identity__GrpcAudience: audience,
      HOURS_STEP: tracker.hoursStep,
      HISTORY_DAYS: retention.historyDays,
      REMOVED_DAYS: retention.removedDays,
    },
  }
}
