import type { Caller } from '../model/caller.ts'
import { webClientId } from '../model/client.ts'
import { forbidden } from '../model/problem.ts'
import { resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { person } from '../resources/person.ts'

export type Purpose = 'read' | 'write'

/** Accounts have passwords and determine who can sign in, so no token can change them. */
const purposesOf = ({ access }: Listed): readonly Purpose[] =>
  access.kind === 'administrators' || access.kind === 'colleagues' ? ['read'] : ['read', 'write']

/** Every scope that a token may have. */
export const tokenScopes: readonly string[] = [
  '*:read',
  '*:write',
  ...[person, ...resources].flatMap((listed) =>
    purposesOf(listed).map((purpose) => `${listed.name}:${purpose}`),
  ),
]

/** Whether its rows determine who can sign in. */
export const isOfAccounts = (listed: Listed): boolean => !purposesOf(listed).includes('write')

/** Whether the caller's token, if there is one, covers this. Write access includes read access. */
export function isCovered({ token }: Caller, listed: Listed, purpose: Purpose): boolean {
  if (!token) return true
  if (!purposesOf(listed).includes(purpose)) return false
  // Rows owned by a user belong to no project.
  if (token.projectIds && listed.access.kind === 'owner') return false
  const has = (wanted: Purpose) =>
    token.scopes.includes(`${listed.name}:${wanted}`) || token.scopes.includes(`*:${wanted}`)
  return has('write') || (purpose === 'read' && has('read'))
}

export function requireCovered(caller: Caller, listed: Listed, purpose: Purpose): void {
  if (purpose === 'write' && isOfAccounts(listed)) requireNoApp(caller)
  if (!isCovered(caller, listed, purpose))
    throw forbidden(
      `The token is not for ${purpose === 'read' ? 'reading' : 'changing'} ${listed.pluralNoun}.`,
    )
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
