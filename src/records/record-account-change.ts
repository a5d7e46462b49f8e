import type { Action } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'

/**
 * Logs administrators' changes to accounts after they are committed. No other callers can write rows with
 * this kind of access.
 */
export function recordAccountChange(
  log: SecurityLog | undefined,
  caller: Caller,
  action: Action,
  ids: readonly string[],
): void {
  for (const account of ids)
    log?.({ event: 'account-changed', outcome: action, ...callerDetails(caller), account, by: caller.id })
}
