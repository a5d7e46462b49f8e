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

/** The parts of a caller that conditions in SQL need. A `Caller` has them. */
export interface CallerInSql {
  /** SQL if a statement writes rows of several callers: it selects the caller of each row. */
  readonly id: string | Sql
  readonly isAdministrator: boolean
  readonly token?: Caller['token']
}

/**
 * True for users and people. Accounts have passwords and determine who can sign in, so no token can change
 * them.
 */
export const isAccountResource = ({ access }: ListedResource): boolean =>
  access.kind === 'administrators' || access.kind === 'colleagues'

/** Covers only the calendar feed, because calendar programs store its URL, which contains the token. */
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
 * Returns whether the caller's token, if there is one, permits this purpose for the resource. Write access
 * includes read access.
 */
export function isCovered({ token }: CallerInSql, resource: ListedResource, purpose: Purpose): boolean {
  if (!token) return true
  if (purpose === 'write' && isAccountResource(resource)) return false
  // Rows owned by a user belong to no project.
  if (token.projectIds && resource.access.kind === 'owner') return false
  const has = (right: Purpose) =>
    token.scopes.includes(`${resource.name}:${right}`) || token.scopes.includes(`*:${right}`)
  return has('write') || (purpose === 'read' && has('read'))
}

/** Checks the caller's role, token and app. Called before the request is parsed. */
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
 * Two administrators may remove each other at the same time. So the removal of an account locks all
 * administrators, and then checks that the caller still is one.
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

/** Allows only sessions of the web client, because the credentials it guards outlive the tokens of an app. */
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

/** Guards actions on the account itself and its sessions, which a personal access token may not take. */
export function rejectToken({ token }: Caller): void {
  if (token) throw forbidden('Only someone who has signed in may do this, not a token.')
}

/**
 * Logs changes to accounts after they are committed. It is called for account resources only, so the caller is an
 * administrator.
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
