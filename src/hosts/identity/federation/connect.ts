import { queueMail } from '../../../accounts/mail-queue.ts'
import { identitiesMax } from '../../../accounts/outside-identities.ts'
import { holdSignIn } from '../../../accounts/sign-ins.ts'
import { newId } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import { languageAmong } from '../../../model/language.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import { connectPage, outsidePage, signInAgainPage } from '../pages/outside.ts'
import { overPage } from '../pages/sign-in.ts'
import { type Answer, type Call, type Endpoint, readSingle } from '../route.ts'
import type { LiveSession } from '../sessions.ts'
import { ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { findBrowserSession } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/sign-in-origin.ts'
import { type ConnectPurpose, connectPath } from './attempts.ts'
import type { OutsidePerson } from './claims.ts'
import { noteRefusal, OutsideFailure, type OutsideRefusal } from './failures.ts'
import type { OutsideProvider } from './providers.ts'
import type { ProviderSettings } from './read-providers.ts'
import { leaveForProvider } from './sign-in.ts'

/** Somebody's identity at a provider, between the question whether to connect it and the answer. */
interface ProvedIdentity extends ConnectPurpose {
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly label: string
}

/** A connection is a lasting way to sign in, so a person who finds the screen unlocked must not be able to make one. */
const freshMilliseconds = 10 * 60_000
/** Time to read the question. */
const provedMilliseconds = 10 * 60_000

/** Somebody who is signed in wants to sign in by this provider from now on. It only leads there, and nothing is kept. */
export const startConnecting =
  (identity: Identity): Endpoint =>
  async (call) => {
    const { provider: id = '', origin, ui_locales: locales } = readSingle(call.parameters)
    const provider = identity.providers.get(id)
    if (!provider) return { page: overPage }
    const returnTo = accountPageOf(identity, origin)
    const language = languageAmong(locales)
    const session = await findBrowserSession(identity, call.headers)
    if (!session || session.provedAt + freshMilliseconds < identity.now())
      return { page: signInAgainPage(provider, returnTo), language }
    try {
      const purpose = { sessionId: session.sessionId, returnTo, language }
      return await leaveForProvider(identity, provider, call, { purpose })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      noteRefusal(identity, provider, call, error.refusal, { failure: error, account: session.accountId })
      return {
        page: outsidePage(identity, provider, error.refusal, { returnTo }, error.retryAfterSeconds),
        language,
      }
    }
  }

/** The page of the web client that asked; never another site's. */
const accountPageOf = ({ settings: { allowedOrigins } }: Identity, origin: string | undefined): string =>
  `${allowedOrigins.find((allowed) => allowed === origin) ?? allowedOrigins[0]}/account`

/**
 * Back from the provider: the person is shown which account there would be connected with which one here, because another
 * site may have sent the browser on this way, and somebody else may be signed in there.
 */
export async function askToConnect(
  identity: Identity,
  provider: OutsideProvider,
  call: Call,
  { sessionId, returnTo, language }: ConnectPurpose,
  person: OutsidePerson,
): Promise<Answer> {
  const session = await findSameSession(identity, call, sessionId)
  if (session === undefined) return refuse(identity, provider, call, 'other session', { returnTo, language })
  const { issuer, subject } = person
  const { label } = await person.tell()
  const proved: ProvedIdentity = {
    providerId: provider.id,
    issuer,
    subject,
    label,
    sessionId,
    returnTo,
    language,
  }
  return {
    page: connectPage(provider, {
      label,
      person: session,
      returnTo,
      proof: identity.seals.seal('outsideIdentity', proved, identity.now() + provedMilliseconds),
      action: ownAddress(identity.settings, connectPath),
    }),
    language,
  }
}

/** The answer to it: yes. */
export const confirmConnecting =
  (identity: Identity): Endpoint =>
  async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers, 'The answer')
    const { proof = '' } = readSingle(call.parameters)
    const proved = await identity.seals.open<ProvedIdentity>('outsideIdentity', proof)
    const provider = identity.providers.get(proved?.providerId ?? '')
    if (!proved || !provider) return { page: overPage }
    const session = await findSameSession(identity, call, proved.sessionId)
    if (session === undefined) return refuse(identity, provider, call, 'other session', proved)
    const { sessionId, accountId: userId } = session
    const { address, requestId } = call
    const outcome = await connectIdentity(identity, provider, proved, {
      label: proved.label,
      userId,
      how: 'the person',
      origin: { address, requestId, sessionId },
    })
    if (outcome === 'connected') return { redirectTo: proved.returnTo }
    const refusal = outcome === 'somebody else' ? 'connected elsewhere' : outcome
    return refuse(identity, provider, call, refusal, proved, userId)
  }

/** The browser's sign-in, if it is still the one that asked. */
async function findSameSession(
  identity: Identity,
  { headers }: Call,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const session = await findBrowserSession(identity, headers)
  return session?.sessionId === sessionId ? session : undefined
}

function refuse(
  identity: Identity,
  provider: OutsideProvider,
  call: Call,
  refusal: OutsideRefusal,
  { returnTo, language }: Omit<ConnectPurpose, 'sessionId'>,
  account?: string,
): Answer {
  noteRefusal(identity, provider, call, refusal, { account })
  return { page: outsidePage(identity, provider, refusal, { returnTo }), language }
}

export interface Connecting {
  readonly label: string
  readonly userId: string
  readonly how: 'verified address' | 'the person'
  readonly origin: RequestOrigin
}

/**
 * Gives an account somebody's identity at a provider. The unique constraint lets one of two who want the same through; the
 * lock on the account counts those of one account one after the other.
 */
export async function connectIdentity(
  { database, securityLog, settings, now }: Pick<Identity, 'database' | 'securityLog' | 'settings' | 'now'>,
  provider: Pick<ProviderSettings, 'id'>,
  subject: Subject,
  { label, userId, how, origin }: Connecting,
): Promise<'connected' | 'somebody else' | 'too many identities' | 'other session'> {
  const outcome = await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`outside ${userId}`}, 0))`)
    // The sign-in may have ended while this waited for the lock.
    if (origin.sessionId !== undefined && !(await holdSignIn(transaction, origin.sessionId)))
      return 'other session'
    const kept = await keepIdentity(transaction, subject, { label, userId, provider: provider.id, at: now() })
    if (kept === 'new' && settings.mail) await queueMail(transaction, { purpose: 'factors', madeBy: userId })
    return kept
  })
  if (outcome !== 'new') return outcome
  securityLog({
    event: 'identity-connected',
    outcome: how,
    account: userId,
    provider: provider.id,
    address: origin.address,
    requestId: origin.requestId,
    session: origin.sessionId,
  })
  return 'connected'
}

interface Subject {
  readonly issuer: string
  readonly subject: string
}

interface Kept extends Pick<Connecting, 'label' | 'userId'> {
  readonly provider: string
  readonly at: number
}

async function keepIdentity(
  transaction: Queries,
  { issuer, subject }: Subject,
  { label, userId, provider, at }: Kept,
): Promise<'new' | 'connected' | 'somebody else' | 'too many identities'> {
  const [count] = await transaction.query<{ kept: number }>(
    sql`select count(*)::int as kept from outside_identities where user_id = ${userId}`,
  )
  const isFull = (count?.kept ?? 0) >= identitiesMax
  const [connected] = isFull
    ? []
    : await transaction.query(sql`
        insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
        values (${newId()}, ${issuer}, ${subject}, ${userId}, ${provider}, ${label}, ${moment(at)})
        on conflict (issuer, subject) do nothing returning id`)
  if (connected) return 'new'
  const [holder] = await transaction.query<{ userId: string }>(
    sql`select user_id as "userId" from outside_identities where issuer = ${issuer} and subject = ${subject}`,
  )
  if (holder?.userId === userId) return 'connected'
  return isFull ? 'too many identities' : 'somebody else'
}
