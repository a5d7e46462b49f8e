import type { Action } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { Resource } from '../resources/define-resource.ts'

/** What administrators do to accounts is written once it is committed. Nobody else can write rows of that kind of access. */
export function noteAccountChange(
  log: SecurityLog | undefined,
  { access }: Resource,
  caller: Caller,
  action: Action,
  ids: readonly string[],
): void {
  if (access.kind !== 'administrators' || log === undefined) return
  for (const account of ids)
    log({ event: 'account-changed', outcome: action, ...callerDetails(caller), account, by: caller.id })
}

export const notePasswordChange = (log: SecurityLog | undefined, caller: Caller, account: string): void =>
  log?.({ event: 'password-changed', ...callerDetails(caller), account, by: caller.id })
