import type { Parameters } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { OAuthError } from '../values/oauth-error.ts'
import { AuthorizationError } from './client-response.ts'
import { type AuthorizationRequest, parseAuthorizationRequest } from './parse-authorization-request.ts'

/**
 * An authorization request that waits for a sign-in. It travels sealed through the browser and never contains
 * the signed-in user: otherwise an attacker who lured a victim to the sign-in page with the attacker's own
 * request would receive the victim's code.
 */
export interface PendingRequest {
  readonly request: AuthorizationRequest
  /** The time at which it was first received: a later sign-in satisfies `prompt=login` and any `max_age`. */
  readonly since: number
  /** The browser's session at the time of the request. It ends once another account signs in. */
  readonly sessionId?: string | undefined
  /** The account that consented to this very request. */
  readonly allowedBy?: string | undefined
}

/** Browsers keep it between two versions of this host, so its property names do not change. */
interface SealedRequest extends Omit<PendingRequest, 'request'> {
  readonly parameters: Parameters
}

/** A sign-in page left open overnight still works in the morning. */
const pendingMilliseconds = 24 * 60 * 60_000

export const sealPendingRequest = (
  { seals }: Identity,
  { request: { parameters }, ...others }: PendingRequest,
): string =>
  seals.seal(
    'authRequest',
    { parameters, ...others } satisfies SealedRequest,
    others.since + pendingMilliseconds,
  )

/**
 * Opens a sealed request and parses it again, because clients and origins may have changed. Returns undefined if
 * it has expired or is no longer valid.
 */
export async function openPendingRequest(
  { seals, clients }: Identity,
  text: string | undefined,
): Promise<PendingRequest | undefined> {
  const sealed = text === undefined ? undefined : await seals.open<SealedRequest>('authRequest', text)
  if (!sealed) return undefined
  try {
    const { parameters, ...others } = sealed
    return { ...others, request: parseAuthorizationRequest(clients, withoutAbsent(parameters)) }
  } catch (error) {
    if (error instanceof OAuthError || error instanceof AuthorizationError) return undefined
    throw error
  }
}

const withoutAbsent = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
