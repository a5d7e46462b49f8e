import type { Settings } from '../../configuration/settings.ts'
import {
  type RateLimitSettings,
  readPort,
  readRateLimit,
  readTrackerSettings,
  type TrackerSettings,
} from '../../configuration/tracker-settings.ts'

export interface CommandSettings extends TrackerSettings {
  /** HTTP/2 without TLS: commands, reflection and health. */
  readonly port: number
  /** HTTP/1.1: diagnostics. */
  readonly diagnosticsPort: number
  readonly audience: string
  /** In front of the names of the .NET commands. */
  readonly dotnetNamespace: string
  readonly rateLimit: RateLimitSettings
  readonly metrics: boolean
}

export function readCommandSettings(settings: Settings): CommandSettings {
  const dotnetNamespace = settings.text('COMMAND_DOTNET_NAMESPACE', 'GrpcServer.Contracts.Commands')
  if (!/^[\w.]{1,200}$/.test(dotnetNamespace)) {
    settings.refuse(
      'COMMAND_DOTNET_NAMESPACE must be a .NET namespace such as GrpcServer.Contracts.Commands.',
    )
  }
  return {
    ...readTrackerSettings(settings),
    port: readPort(settings, 'COMMAND_PORT', 5300),
    diagnosticsPort: readPort(settings, 'COMMAND_DIAGNOSTICS_PORT', 5301),
    audience: settings.text('Identity__GrpcAudience', 'svc-grpc'),
    dotnetNamespace,
    // Programs call in bursts; an operator who wants a limit sets one.
    rateLimit: readRateLimit(settings, 'Command', { permitLimit: 0, queueLimit: 0 }),
    metrics: settings.flag('METRICS', false),
  }
}
