import { type MetricsSettings, readMetricsSettings } from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import {
  type RateLimitSettings,
  readRateLimit,
  readTrackerSettings,
  type TrackerSettings,
} from '../../config/tracker-settings.ts'

export interface CommandSettings extends TrackerSettings, MetricsSettings {
  /** HTTP/2 without TLS: commands, reflection and health. */
  readonly port: number
  /** HTTP/1.1: diagnostics. */
  readonly diagnosticsPort: number
  readonly audience: string
  /** The prefix of the names of the .NET commands. */
  readonly dotnetNamespace: string
  readonly rateLimit: RateLimitSettings
}

export function readCommandSettings(settings: Settings): CommandSettings {
  const dotnetNamespace = settings.get('COMMAND_DOTNET_NAMESPACE')
  if (!/^[\w.]{1,200}$/.test(dotnetNamespace)) {
    settings.reject(
      'COMMAND_DOTNET_NAMESPACE must be a .NET namespace such as GrpcServer.Contracts.Commands.',
    )
  }
  return {
    ...readTrackerSettings(settings),
    port: settings.get('COMMAND_PORT'),
    diagnosticsPort: settings.get('COMMAND_DIAGNOSTICS_PORT'),
    audience: settings.get('Identity__GrpcAudience'),
    dotnetNamespace,
    rateLimit: readRateLimit(settings, 'Command'),
    ...readMetricsSettings(settings),
  }
}
