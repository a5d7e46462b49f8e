/**
 * The state that the provider's redirect has put into the URL of the sign-in page; `start` if there is none.
 */
type SignInState =
  | { readonly kind: 'problem'; readonly errorId: string | null }
  | { readonly kind: 'start'; readonly returnPath: string | undefined }
  | SignInFormState

export interface SignInFormState {
  readonly kind: 'form'
  readonly authRequest: string
  readonly error: 'invalid' | 'locked' | undefined
  /** The remaining time of a locked login, if the provider has sent one. */
  readonly retryAfterSeconds: number | undefined
}

/**
 * The path that is opened in a new tab when the session has ended. After the sign-in, the tab closes itself.
 */
export const signInInNewTabPath = '/login/?again'
const signedInPath = '/signed-in/'

export function signInStateOf(query: URLSearchParams): SignInState {
  const authRequest = query.get('authRequest')
  const error = query.get('error')
  const isRejected = error === 'request' || (error === null && query.has('errorId'))
  if (isRejected || (authRequest === null && error !== null))
    return { kind: 'problem', errorId: query.get('errorId') }
  if (authRequest === null)
    return { kind: 'start', returnPath: query.has('again') ? signedInPath : undefined }
  const seconds = Number(query.get('retryAfter'))
  return {
    kind: 'form',
    authRequest,
    error: error === 'invalid' || error === 'locked' ? error : undefined,
    retryAfterSeconds: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  }
}
