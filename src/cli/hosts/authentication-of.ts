import { administratorsOf } from '../../accounts/administrators.ts'
import { createAuthentication } from '../../authentication/authenticate.ts'
import type { TrackerSettings } from '../../configuration/tracker-settings.ts'
import type { Log } from '../../http/log.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { createSecurityLog } from '../../security-log/security-log.ts'

/** Of a host that checks tokens for itself. */
export const authenticationOf = (
  { database }: Tracker,
  settings: TrackerSettings & { readonly audience: string },
  scope: string,
  log: Log,
) =>
  createAuthentication({
    ...settings,
    database,
    scope,
    administrators: administratorsOf(settings),
    log: log.ofStrangers,
    securityLog: createSecurityLog(log),
  })
