import type { Parameter } from '../../http/operation.ts'
import type { Operation } from './route.ts'
import { ref } from './schemas.ts'

const optional = (name: string, description: string): Parameter => ({ name, description })
const required = (name: string, description: string): Parameter => ({ name, description, required: true })

const authorizeParameters: readonly Parameter[] = [
  required('client_id', 'The client, such as `svc-webclient`.'),
  required('redirect_uri', 'One of the registered addresses of the client, letter for letter.'),
  required('response_type', '`code`'),
  required('scope', 'Scopes, separated by spaces.'),
  required('code_challenge', 'The base64url form of the SHA-256 of the verifier (RFC 7636).'),
  required('code_challenge_method', '`S256`'),
  optional('state', 'Comes back unchanged.'),
  optional('nonce', 'Comes back in the identity token.'),
  optional('prompt', '`none`, `login`, `consent`, `select_account`'),
  optional('max_age', 'Seconds since the sign-in, at most.'),
  optional('id_token_hint', 'An identity token of the account that should be signed in.'),
  optional('response_mode', '`query`'),
  optional('authRequest', 'A pending request that comes back from the sign-in page, in place of all others.'),
]

const clientParameters: readonly Parameter[] = [
  optional('client_id', 'The client, unless it authenticates by Basic.'),
  optional('client_secret', 'Its secret, unless it authenticates by Basic or has none.'),
]

const endSessionParameters: readonly Parameter[] = [
  optional('id_token_hint', 'An identity token of the session to end.'),
  optional('client_id', 'The client.'),
  optional('post_logout_redirect_uri', 'One of its registered addresses, letter for letter.'),
  optional('state', 'Comes back unchanged.'),
]

const pendingRequest = 'The pending authorization request.'
const signedOut = 'Where the client asked for an address that is not registered: that the session has ended.'
const byClient = [{ client: [] }, {}]
const bearer = [{ bearer: [] }]

/** Everything this host does, as its document describes it. */
export const operations = {
  getDiscovery: {
    id: 'GetDiscovery',
    tag: 'Provider',
    summary: 'The discovery document (OpenID Connect Discovery).',
    description: 'Addresses, scopes and algorithms; clients read it once and keep it.',
    method: 'GET',
    path: '/.well-known/openid-configuration',
    answer: ref('Discovery'),
    refusals: [],
  },
  getKeys: {
    id: 'GetKeys',
    tag: 'Provider',
    summary: 'The public keys that verify tokens.',
    description:
      'A JSON Web Key Set. A key that is rotated stays as long as tokens that it signed are valid, so keep the set and read it again when a token names a key that is not in it.',
    method: 'GET',
    path: '/.well-known/openid-configuration/jwks',
    answer: ref('KeySet'),
    refusals: [],
  },
  authorize: {
    id: 'Authorize',
    tag: 'Authorization',
    summary: 'Starts the authorization code flow with PKCE, or goes on with it after the sign-in.',
    description:
      'A browser is sent here. It goes on to the sign-in page, or back to redirect_uri with a code or an error; only a request whose client or redirect_uri is wrong is answered here.',
    method: 'GET',
    path: '/connect/authorize',
    parameters: authorizeParameters,
    refusals: [400],
  },
  authorizeByForm: {
    id: 'AuthorizeByForm',
    tag: 'Authorization',
    summary: 'The same, sent as a form.',
    description: 'As OpenID Connect wants it of every provider: the parameters are those of the query.',
    method: 'POST',
    path: '/connect/authorize',
    parameters: authorizeParameters,
    refusals: [400],
  },
  requestToken: {
    id: 'RequestToken',
    tag: 'Tokens',
    summary: 'Redeems a code or a refresh token, or grants a service client a token.',
    description:
      'A code works once and for a minute; a refresh token works once and is replaced, and one that is used twice ends its session. Service clients authenticate with their secret, by Basic or in the form.',
    method: 'POST',
    path: '/connect/token',
    security: byClient,
    parameters: [
      required('grant_type', '`authorization_code`, `refresh_token`, `client_credentials`'),
      ...clientParameters,
      optional('code', 'authorization_code: the code.'),
      optional('redirect_uri', 'authorization_code: the address the code was sent to.'),
      optional('code_verifier', 'authorization_code: what the challenge was made of.'),
      optional('refresh_token', 'refresh_token: the token, which is spent by this.'),
      optional('scope', 'refresh_token, client_credentials: less than what could be had.'),
    ],
    answer: ref('Tokens'),
    refusals: [400, 401],
  },
  revokeToken: {
    id: 'RevokeToken',
    tag: 'Tokens',
    summary: 'Revokes a refresh token (RFC 7009).',
    description:
      'Its sign-in ends with it. A token that is unknown is answered in the same way, so that nobody learns which there are.',
    method: 'POST',
    path: '/connect/revocation',
    security: byClient,
    parameters: [
      required('token', 'The refresh token.'),
      optional('token_type_hint', '`refresh_token`'),
      ...clientParameters,
    ],
    answer: { type: 'object' },
    refusals: [400, 401],
  },
  introspectToken: {
    id: 'IntrospectToken',
    tag: 'Tokens',
    summary: 'Tells a client with a secret about a token (RFC 7662).',
    description:
      "A token that is not active, or that is none of this client's business, is answered with active: false and nothing else.",
    method: 'POST',
    path: '/connect/introspect',
    security: byClient,
    parameters: [
      required('token', 'An access or refresh token.'),
      optional('token_type_hint', '`access_token`, `refresh_token`'),
      ...clientParameters,
    ],
    answer: ref('TokenDescription'),
    refusals: [400, 401],
  },
  getUserinfo: {
    id: 'GetUserinfo',
    tag: 'Tokens',
    summary: 'The profile claims of the signed-in account.',
    description: 'Wants an access token with the scope openid; the name comes with the scope profile.',
    method: 'GET',
    path: '/connect/userinfo',
    security: bearer,
    answer: ref('Userinfo'),
    refusals: [400, 401, 403],
  },
  getUserinfoByForm: {
    id: 'GetUserinfoByForm',
    tag: 'Tokens',
    summary: 'The same, with the token in the header or in a form.',
    description: 'As OpenID Connect wants it of every provider.',
    method: 'POST',
    path: '/connect/userinfo',
    security: [...bearer, {}],
    parameters: [optional('access_token', 'The access token, unless it is in the header.')],
    answer: ref('Userinfo'),
    refusals: [400, 401, 403],
  },
  endSession: {
    id: 'EndSession',
    tag: 'Authorization',
    summary: 'Signs out of the identity session (OpenID Connect RP-Initiated Logout).',
    description:
      'The session ends, and the browser goes to the post-logout address; to one that is not registered it does not go. A browser that another site has sent without an identity token of the session is asked first.',
    method: 'GET',
    path: '/connect/endsession',
    parameters: endSessionParameters,
    refusals: [400],
  },
  endSessionByForm: {
    id: 'EndSessionByForm',
    tag: 'Authorization',
    summary: 'The same, sent as a form.',
    description: 'As OpenID Connect wants it of every provider: the parameters are those of the query.',
    method: 'POST',
    path: '/connect/endsession',
    parameters: endSessionParameters,
    refusals: [400],
  },
  showLoginPage: {
    id: 'ShowLoginPage',
    tag: 'SignIn',
    summary: 'Sends the browser to the sign-in page of the client that asked.',
    description: 'The page belongs to the client; it posts login and password back to this host.',
    method: 'GET',
    path: '/api/account/login-page',
    parameters: [required('authRequest', pendingRequest)],
    refusals: [400],
  },
  logIn: {
    id: 'LogIn',
    tag: 'SignIn',
    summary: 'Takes the post of a sign-in page, and sends the browser on or back.',
    description:
      'From the origin of the sign-in page only. Five wrong passwords lock the login for a quarter of an hour; what was wrong comes back to the page as error and retryAfter.',
    method: 'POST',
    path: '/api/account/login',
    parameters: [
      required('login', 'At most 256 characters.'),
      { ...required('password', 'At most 128 characters.'), schema: { type: 'string', format: 'password' } },
      required('authRequest', pendingRequest),
    ],
    refusals: [400, 403],
  },
  logOut: {
    id: 'LogOut',
    tag: 'SignIn',
    summary:
      'Ends the session, removes the cookie, and sends the browser to the post-logout address; to the sign-in page with a `logoutId` when another site sent it and the person has to be asked first.',
    description: 'Where a checked sign-out leads to; the id is good for a short while and for this browser.',
    method: 'GET',
    path: '/api/account/logout',
    parameters: [required('logoutId', 'The checked sign-out.')],
    page: signedOut,
    refusals: [400, 403],
  },
  confirmLogOut: {
    id: 'ConfirmLogOut',
    tag: 'SignIn',
    summary: 'Takes the post of the page that asked whether to sign out, and does so.',
    description: 'From the origin of that page only.',
    method: 'POST',
    path: '/api/account/logout',
    parameters: [required('logoutId', 'The sign-out that the person was asked about.')],
    page: signedOut,
    refusals: [403],
  },
  getError: {
    id: 'GetSignInError',
    tag: 'SignIn',
    summary: 'Why an authorization request was rejected.',
    description: 'For the page that the browser was sent to with an errorId.',
    method: 'GET',
    path: '/api/account/error',
    parameters: [required('errorId', 'The rejection.')],
    answer: ref('SignInError'),
    refusals: [400, 404],
  },
} as const satisfies Readonly<Record<string, Operation>>
