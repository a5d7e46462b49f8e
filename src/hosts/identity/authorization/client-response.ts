import type { Language } from '../../../model/language.ts'
import { type HandlerResult, OAuthError } from '../core/endpoint.ts'
import { formPostPage } from '../pages/scripts.ts'

/** The URL and mode with which a client gets the response to its authorization request. */
export interface ReplyTo {
  readonly redirectUri: string
  readonly state: string | undefined
  readonly mode: ResponseMode
  /** All redirect URLs of the client. */
  readonly redirectUrls: readonly string[]
  readonly language: Language | undefined
}

/** OAuth 2.0 Multiple Response Type Encoding Practices, 2.1, and OAuth 2.0 Form Post Response Mode. */
export const responseModes = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof responseModes)[number]

/** An error that can be sent to the client, by redirecting the browser back to it. */
export class AuthorizationError extends Error {
  readonly replyTo: ReplyTo
  readonly reason: OAuthError

  constructor(replyTo: ReplyTo, reason: OAuthError) {
    super(reason.message)
    this.name = 'AuthorizationError'
    this.replyTo = replyTo
    this.reason = reason
  }
}

/**
 * Runs the steps. If they reject the request, the error is sent to the client instead of being shown to the
 * user.
 */
export function reportErrorsToClient<Result>(replyTo: ReplyTo, steps: () => Result): Result {
  try {
    return steps()
  } catch (error) {
    throw error instanceof OAuthError ? new AuthorizationError(replyTo, error) : error
  }
}

export const isImplicit = (responseType: string): boolean => /(^| )(id_)?token( |$)/.test(responseType)

/**
 * Sends a response to the client by redirecting the browser. It includes the issuer, so that no client
 * mistakes one provider's response for another's (RFC 9207).
 */
export function respondToClient(
  { redirectUri, state, mode, redirectUrls, language }: ReplyTo,
  issuer: string,
  response: Readonly<Record<string, string>>,
): HandlerResult {
  const fields = { ...response, ...(state !== undefined && { state }), iss: issuer }
  if (mode === 'form_post') return { page: formPostPage(redirectUri, fields, redirectUrls), language }
  const url = new URL(redirectUri)
  const parameters = mode === 'fragment' ? new URLSearchParams() : url.searchParams
  for (const [name, value] of Object.entries(fields)) parameters.set(name, value)
  if (mode === 'fragment') url.hash = parameters.toString()
  return { redirectTo: url.href }
}
