import type { Sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { webClientId } from '../model/client.ts'
import { forbidden } from '../model/problem.ts'
import { resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { person } from '../resources/person.ts'

export type Purpose = 'read' | 'write'

/** The rights that are checked: those of a caller, or those of the callers of several rows at once. */
export type Asker = Caller | CallerOfEach

/** The caller of each row of a statement. They have the same role and no tokens, and the id is the SQL that finds it. */
export interface CallerOfEach {
  readonly id: Sql
  readonly isAdministrator: boolean
  readonly token?: never
}

/** Accounts have passwords and determine who can sign in, so no token can change them. */
export const isOfAccounts = ({ access }: Listed): boolean =>
  access.kind === 'administrators' || access.kind === 'colleagues'

/** Every scope that a token may have. */
export const tokenScopes: readonly string[] = [
  '*:read',
  '*:write',
  ...[person, ...resources].flatMap((listed) =>
    isOfAccounts(listed) ? [`${listed.name}:read`] : [`${listed.name}:read`, `${listed.name}:write`],
  ),
]

/** Whether the caller's token, if there is one, covers this. Write access includes read access. */
export function isCovered({ token }: Asker, listed: Listed, purpose: Purpose): boolean {
  if (!token) return true
  if (purpose === 'write' && isOfAccounts(listed)) return false
  // Rows owned by a user belong to no project.
  if (token.projectIds && listed.access.kind === 'owner') return false
  const has = (wanted: Purpose) =>
    token.scopes.includes(`${listed.name}:${wanted}`) || token.scopes.includes(`*:${wanted}`)
  return has('write') || (purpose === 'read' && has('read'))
}

/** Checks the caller's role and token, before anything of the request is parsed. */
export function requireRole(listed: Listed, caller: Caller, purpose: Purpose): void {
  if (purpose === 'write' && isOfAccounts(listed)) requireNoApp(caller)
  if (!isCovered(caller, listed, purpose))
    throw forbidden(
      `The token is not for ${purpose === 'read' ? 'reading' : 'changing'} ${listed.pluralNoun}.`,
    )
  if (caller.isAdministrator) return
  const { kind } = listed.access
  if (kind === 'administrators' || (kind === 'catalog' && purpose === 'write'))
    throw forbidden(`Only administrators may ${purpose === 'read' ? 'read' : 'change'} ${listed.pluralNoun}.`)
}

/** Guards credentials that outlast an app's own tokens: neither programs nor apps may create them. */
export function requireOwnClient(caller: Caller): void {
  requirePerson(caller)
  if (caller.origin?.clientId !== webClientId) throw notForApps()
}

/** A service client has no session; it belongs to the operator. */
export function requireNoApp({ origin }: Caller): void {
  if (origin?.sessionId !== undefined && origin.clientId !== webClientId) throw notForApps()
}

const notForApps = () =>
  forbidden('Only someone who has signed in with the web client may do this, not an app.')

/** Guards actions on the account itself and on its sessions. */
export function requirePerson({ token }: Caller): void {
  if (token) throw forbidden('Only someone who has signed in may do this, not a token.')
}
