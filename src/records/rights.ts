import { lockAdministrators } from '../accounts/administrators.ts'
import type { Queries } from '../db/database.ts'
import type { Action } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { webClientId } from '../model/oidc-client.ts'
import { forbidden } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { resources } from '../resources/all.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import type { Context } from './context.ts'

export type Purpose = 'read' | 'write'

/** The properties of a caller that conditions in SQL need. */
export interface CallerInSql {
  /** SQL if a statement writes rows of several callers. */
  readonly id: string | Sql
  readonly isAdministrator: boolean
  readonly token?: Caller['token']
}

/**
 * Returns whether the rows are accounts. No token can change accounts, because they determine who can sign
 * in.
 */
export const isAccountResource = ({ access }: ListedResource): boolean =>
  access.kind === 'administrators' || access.kind === 'colleagues'

/**
 * This scope covers only the calendar feed. Calendar programs store the URL of the feed, which contains the
 * token.
 */
export const calendarScope = 'calendar:read'

/** Every scope that a token may have. */
export const tokenScopes: readonly string[] = [
  '*:read',
  '*:write',
  calendarScope,
  ...[person, ...resources].flatMap((resource) =>
    isAccountResource(resource)
      ? [`${resource.name}:read`]
      : [`${resource.name}:read`, `${resource.name}:write`],
  ),
]

/**
 * Returns whether the token of the caller permits this purpose. Callers without a token are not limited.
 * Write access includes read access.
 */
export function isCovered({ token }: CallerInSql, resource: ListedResource, purpose: Purpose): boolean {
  if (!token) return true
  if (purpose === 'write' && isAccountResource(resource)) return false
  // Rows of a user belong to no project.
  if (token.projectIds && resource.access.kind === 'owner') return false
  const has = (right: Purpose) =>
    token.scopes.includes(`${resource.name}:${right}`) || token.scopes.includes(`*:${right}`)
  return has('write') || (purpose === 'read' && has('read'))
}

/** Checks the role, the token and the app of the caller. It is called before the request is parsed. */
export function requireAccess(resource: ListedResource, caller: Caller, purpose: Purpose): void {
  if (purpose === 'write' && isAccountResource(resource)) rejectThirdPartyApp(caller)
  if (!isCovered(caller, resource, purpose))
    throw forbidden(
      `The token is not for ${purpose === 'read' ? 'reading' : 'changing'} ${resource.pluralNoun}.`,
    )
  if (caller.isAdministrator) return
  const { kind } = resource.access
  if (kind === 'administrators' || (kind === 'catalog' && purpose === 'write'))
    throw onlyAdministratorsProblem(resource, purpose)
}

const onlyAdministratorsProblem = ({ pluralNoun }: ListedResource, purpose: Purpose) =>
  forbidden(`Only administrators may ${purpose === 'read' ? 'read' : 'change'} ${pluralNoun}.`)

/**
 * Locks all administrators before an account is removed, because two administrators may remove each other at
 * the same time.
 */
export async function requireAccessToRemove(
  transaction: Queries,
  { administrators }: Pick<Context, 'administrators'>,
  resource: ListedResource,
  caller: Caller,
): Promise<void> {
  if (!isAccountResource(resource)) return
  const isStillAdministrator = await lockAdministrators(transaction, administrators, caller.id)
  if (!isStillAdministrator) throw onlyAdministratorsProblem(resource, 'write')
}

/** Allows only sessions of the web client. It guards credentials that outlive the tokens of an app. */
export function requireWebClientSession(caller: Caller): void {
  rejectToken(caller)
  if (caller.origin?.clientId !== webClientId) throw notForAppsProblem()
}

/** Rejects sessions of third-party apps. Personal access tokens and service clients have no session. */
export function rejectThirdPartyApp({ origin }: Caller): void {
  if (origin?.sessionId !== undefined && origin.clientId !== webClientId) throw notForAppsProblem()
}

const notForAppsProblem = () =>
  forbidden('Only someone who has signed in with the web client may do this, not an app.')

/** Guards actions that a personal access token must not perform, such as ending sessions. */
export function rejectToken({ token }: Caller): void {
  if (token) throw forbidden('Only someone who has signed in may do this, not a token.')
}

/** Logs changes to accounts after the commit. Only administrators can change accounts here. */
export function recordAccountChange(
  log: SecurityLog | undefined,
  caller: Caller,
  action: Action,
  ids: readonly string[],
): void {
  for (const account of ids)
    log?.({ event: 'account-changed', outcome: action, ...callerDetails(caller), account, by: caller.id })
}
