import type { Language } from '../../../model/language.ts'
import type { Answer } from '../core/endpoint.ts'
import { formPostPage } from '../pages/scripts.ts'
import { OAuthError } from '../values/oauth-error.ts'

/** The client's address and mode for the response to its authorization request. */
export interface ReplyTo {
  readonly redirectUri: string
  readonly state: string | undefined
  readonly mode: ResponseMode
  /** Every address of the client. */
  readonly addresses: readonly string[]
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
 * Runs the steps. If they reject the request, the client receives the error instead of the user at the
 * browser.
 */
export function rejectedToClient<Result>(replyTo: ReplyTo, steps: () => Result): Result {
  try {
    return steps()
  } catch (error) {
    throw error instanceof OAuthError ? new AuthorizationError(replyTo, error) : error
  }
}

export const isImplicit = (responseType: string): boolean => /(^| )(id_)?token( |$)/.test(responseType)

/** The issuer is included, so that no client mistakes one provider's response for another's (RFC 9207). */
export function answerClient(
  { redirectUri, state, mode, addresses, language }: ReplyTo,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): Answer {
  const fields = { ...answer, ...(state !== undefined && { state }), iss: issuer }
  if (mode === 'form_post') return { page: formPostPage(redirectUri, fields, addresses), language }
  const url = new URL(redirectUri)
  const parameters = mode === 'fragment' ? new URLSearchParams() : url.searchParams
  for (const [name, value] of Object.entries(fields)) parameters.set(name, value)
  if (mode === 'fragment') url.hash = parameters.toString()
  return { redirectTo: url.href }
}
