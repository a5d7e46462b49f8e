import { OAuthError } from '../oauth-error.ts'

/** Where the client waits for the answer to its authorization request. */
export interface ReplyTo {
  readonly redirectUri: string
  readonly state: string | undefined
  /** Answers to the implicit types go behind the `#`, refusals too (RFC 6749, 4.2.2.1). */
  readonly isFragment: boolean
}

/** A refusal that the client can be told, by sending the browser back to it. */
export class AuthorizationRefusal extends Error {
  readonly replyTo: ReplyTo
  readonly reason: OAuthError

  constructor(replyTo: ReplyTo, reason: OAuthError) {
    super(reason.message)
    this.name = 'AuthorizationRefusal'
    this.replyTo = replyTo
    this.reason = reason
  }
}

/** Refusals of these steps go to the client. */
export function tellClient<Result>(replyTo: ReplyTo, steps: () => Result): Result {
  try {
    return steps()
  } catch (error) {
    throw error instanceof OAuthError ? new AuthorizationRefusal(replyTo, error) : error
  }
}

export const isImplicit = (responseType: string): boolean => /(^| )(id_)?token( |$)/.test(responseType)

/** The issuer goes along, so that no client takes one provider's answer for another's (RFC 9207). */
export function replyAddress(
  { redirectUri, state, isFragment }: ReplyTo,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  const parameters = isFragment ? new URLSearchParams() : url.searchParams
  for (const [name, value] of Object.entries({
    ...answer,
    ...(state !== undefined && { state }),
    iss: issuer,
  }))
    parameters.set(name, value)
  if (isFragment) url.hash = parameters.toString()
  return url.href
}
