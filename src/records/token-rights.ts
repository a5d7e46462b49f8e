import type { Caller } from '../model/caller.ts'
import { webClientId } from '../model/client.ts'
import { forbidden } from '../model/problem.ts'
import { resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { person } from '../resources/person.ts'

export type Purpose = 'read' | 'write'

/** Accounts have passwords and decide who signs in, so no token changes any. */
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

/** Whether rows of it say who signs in. */
export const isOfAccounts = (listed: Listed): boolean => !purposesOf(listed).includes('write')

/** Whether the caller's token, if it came with one, is for this. Anyone who may write may read. */
export function isCovered({ token }: Caller, listed: Listed, purpose: Purpose): boolean {
  if (!token) return true
  if (!purposesOf(listed).includes(purpose)) return false
  // What is somebody's own belongs to no project.
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

/** For what lasts longer than an app's own tokens: programs, and apps that somebody signed in to, may not make it. */
export function requireOwnClient(caller: Caller): void {
  requirePerson(caller)
  if (caller.origin?.clientId !== webClientId) throw notForApps()
}

/** A service client has no sign-in; it is the operator's own. */
export function requireNoApp({ origin }: Caller): void {
  if (origin?.sessionId !== undefined && origin.clientId !== webClientId) throw notForApps()
}

const notForApps = () =>
  forbidden('Only someone who has signed in with the web client may do this, not an app.')

/** For what concerns the account itself and the sign-ins of others. */
export function requirePerson({ token }: Caller): void {
  if (token) throw forbidden('Only someone who has signed in may do this, not a token.')
}
