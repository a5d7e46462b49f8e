import type { Parameter } from '../../http/operation.ts'
import { consentPath } from './endpoints/consent.ts'
import { forgotPasswordPath } from './endpoints/forgot-password.ts'
import { passkeyPath } from './endpoints/passkey-sign-in.ts'
import { callbackPath, connectPath, outsideReturnPath, startPath } from './federation/attempts.ts'
import type { Operation } from './route.ts'
import { hostedSignInPath, hostedSignOutPath, signedOutPath } from './sign-in/addresses.ts'
import { secondStepPath, setUpPath } from './sign-in/sign-in-step.ts'

const optional = (name: string, description: string): Parameter => ({ name, description })
const required = (name: string, description: string): Parameter => ({ name, description, required: true })

const authRequest = required('authRequest', 'The pending authorization request.')
const step = required('step', 'The sign-in between its steps, sealed.')
const locales = optional('ui_locales', 'What the page is to speak: tags of languages, separated by spaces.')
const outcome = [
  optional('error', 'What was wrong with the attempt before.'),
  optional('retryAfter', 'Seconds until a locked login may try again.'),
]
const proof = [
  optional('code', 'A code of the app, or a recovery code.'),
  optional('challenge', 'As the page had it, in place of a code.'),
  optional('credential', 'What the passkey answered, as JSON.'),
]

const ownPage = 'Its form is posted by the page itself, from the origin of this host only.'
const read = { tag: 'Pages', method: 'GET', refusals: [400] } as const
const answered = { tag: 'Pages', method: 'POST', description: ownPage, refusals: [400, 403] } as const
const outside = { ...read, tag: 'OutsideProviders', refusals: [400, 403] } as const

/** Pages of this host. Clients lead browsers to some of them; to the others this host does. */
export const pageOperations = {
  showSignIn: {
    ...read,
    id: 'ShowSignInPage',
    summary: 'The sign-in page of clients that have none.',
    description: 'Where this host sends browsers of such clients.',
    path: hostedSignInPath,
    parameters: [authRequest, ...outcome],
    page: 'The page.',
  },
  answerSignIn: {
    ...answered,
    id: 'AnswerSignInPage',
    summary: 'Takes login and password.',
    path: hostedSignInPath,
    parameters: [
      required('login', 'At most 256 characters.'),
      { ...required('password', 'At most 128 characters.'), schema: { type: 'string', format: 'password' } },
      authRequest,
    ],
  },
  askSecondFactor: {
    ...read,
    id: 'ShowSecondStep',
    summary: 'Asks for the second factor after a right password.',
    description: 'Where this host sends browsers, whichever page the password was typed on.',
    path: secondStepPath,
    parameters: [authRequest, step, ...outcome],
    page: 'The page.',
  },
  answerSecondFactor: {
    ...answered,
    id: 'AnswerSecondStep',
    summary: 'Takes a code, a recovery code or the answer of a passkey.',
    path: secondStepPath,
    parameters: [authRequest, step, ...proof],
  },
  askToSetUp: {
    ...read,
    id: 'ShowFactorSetUp',
    summary: 'Has somebody set up a second factor who must have one.',
    description: 'Where this host sends browsers after a right password.',
    path: setUpPath,
    parameters: [authRequest, step],
    page: 'The page, with a new secret each time.',
  },
  answerSetUp: {
    ...answered,
    id: 'AnswerFactorSetUp',
    summary: 'Keeps the app or the passkey, and signs in.',
    path: setUpPath,
    parameters: [
      authRequest,
      step,
      optional('offer', 'The secret that the page has shown, sealed.'),
      ...proof,
    ],
    page: 'The recovery codes, or the page again with what was wrong.',
  },
  askPasskey: {
    ...read,
    id: 'ShowPasskeyPage',
    summary: 'Signs in with a passkey alone, for every client.',
    description: 'Sign-in pages of clients lead here by a link.',
    path: passkeyPath,
    parameters: [authRequest, ...outcome],
    page: 'The page.',
  },
  answerPasskey: {
    ...answered,
    id: 'AnswerPasskeyPage',
    summary: 'Takes the answer of a passkey.',
    path: passkeyPath,
    parameters: [authRequest, ...proof.slice(1)],
  },
  askForgotten: {
    ...read,
    id: 'ShowForgotPassword',
    summary: 'Asks whose password is lost.',
    description: 'Sign-in pages of clients lead here by a link, where mails are sent.',
    path: forgotPasswordPath,
    parameters: [authRequest],
    page: 'The page.',
  },
  answerForgotten: {
    ...answered,
    id: 'AnswerForgotPassword',
    summary: 'Notes a mail with a link for a new password.',
    path: forgotPasswordPath,
    parameters: [authRequest, required('login', 'Whose password is lost.')],
    page: 'The same words, whether there is such an account or not.',
  },
  askConsent: {
    ...read,
    id: 'ShowConsent',
    summary: 'Asks whether a client that is not first-party may.',
    description: 'Where this host sends browsers.',
    path: consentPath,
    parameters: [authRequest],
    page: 'The question.',
  },
  answerConsent: {
    ...answered,
    id: 'AnswerConsent',
    summary: 'Takes the answer, and sends the browser on or back to the client.',
    path: consentPath,
    parameters: [authRequest, required('answer', '`allow`; anything else denies it.')],
  },
  showSignOut: {
    ...read,
    id: 'ShowSignOut',
    summary: 'Asks whether to sign out, for clients that have no page for it.',
    description: 'Where this host sends browsers.',
    path: hostedSignOutPath,
    parameters: [required('logoutId', 'The checked sign-out.')],
    page: 'The question.',
  },
  answerSignOut: {
    ...answered,
    id: 'AnswerSignOut',
    summary: 'Signs out.',
    path: hostedSignOutPath,
    parameters: [required('logoutId', 'The sign-out that the person was asked about.')],
  },
  showSignedOut: {
    ...read,
    id: 'ShowSignedOut',
    summary: 'Says that the sign-in has ended.',
    description: 'Where a sign-out leads that names no address to go on to.',
    path: signedOutPath,
    parameters: [
      locales,
      optional(
        'reason',
        'Why it leads nowhere: `address`, because the one that was asked for is not registered.',
      ),
    ],
    page: 'The page.',
  },
} as const satisfies Readonly<Record<string, Operation>>

const provider = required('provider', 'The id of the provider in the settings.')

/** Only while there is a provider. */
export const outsideOperations = {
  signInWith: {
    ...outside,
    id: 'SignInWith',
    summary: 'Leads to an outside provider.',
    description: 'Sign-in pages of clients lead here by a link. Needs a provider in the settings.',
    path: startPath,
    parameters: [provider, authRequest],
  },
  startConnecting: {
    ...outside,
    id: 'StartConnecting',
    summary: 'Connects the account of the browser’s sign-in with one at a provider.',
    description: 'The web client leads here by a link. By a sign-in of the last ten minutes.',
    path: connectPath,
    parameters: [
      provider,
      optional('origin', 'The web client that asked, one of the allowed origins.'),
      locales,
    ],
  },
  confirmConnecting: {
    ...outside,
    id: 'ConfirmConnecting',
    summary: 'Connects the two accounts that the person was shown.',
    description: ownPage,
    method: 'POST',
    path: connectPath,
    parameters: [required('proof', 'Which two, sealed.')],
  },
  comeBack: {
    ...outside,
    id: 'ComeBackFromProvider',
    summary: 'Where a provider sends browsers after its sign-in.',
    description: 'The redirect address to register there. Good for the browser that was sent, once.',
    path: callbackPath('{provider}'),
    parameters: [
      { ...provider, in: 'path' },
      required('state', 'As this host sent it.'),
      optional('code', 'What the sign-in is redeemed with.'),
      optional('error', 'Why there is none.'),
      optional('iss', 'The issuer (RFC 9207).'),
    ],
    page: 'The question whether to connect, for somebody who has asked for that.',
  },
  returnFromSignOut: {
    ...outside,
    id: 'ReturnFromSignOut',
    summary: 'Where a provider sends browsers after its sign-out.',
    description: 'The address after sign-out to register there.',
    path: outsideReturnPath,
    parameters: [optional('state', 'As this host sent it: where the browser goes on to.')],
    page: 'That the sign-in has ended, where there is nothing to go on to.',
  },
} as const satisfies Readonly<Record<string, Operation>>
