import { queueMail } from '../../../accounts/mail-queue.ts'
import { readFields } from '../../../accounts/read-fields.ts'
import type { PasskeySettings } from '../../../config/passkey-settings.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { webClientId } from '../../../model/client.ts'
import { text, uuid } from '../../../model/field-kinds.ts'
import { forbidden, invalid, missing } from '../../../model/problem.ts'
import { type AccountFactors, findFactors, hasFactor, mustHaveFactor } from '../factors/account-factors.ts'
import { acceptApp, offerApp } from '../factors/authenticator-app.ts'
import type { factorOperations } from '../factors/factor-operations.ts'
import { askForNewPasskey } from '../factors/passkey-challenge.ts'
import { acceptPasskey, listPasskeys, passkeyNameCharactersMax, passkeysMax } from '../factors/passkeys.ts'
import { makeRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Identity } from '../identity.ts'
import { OAuthError } from '../oauth-error.ts'
import { type Call, type Endpoint, readSingle } from '../route.ts'
import { endOtherSessions, findLiveSession, type LiveSession, lockFactors } from '../sessions.ts'
import { findTokenAccount, invalidToken, requireBearer, verifyAccessToken } from '../tokens/verify-token.ts'

/** How a signed-in person sees and changes what they prove themselves with; an administrator takes it away from anybody. */
export const factorEndpoints: Readonly<
  Record<keyof typeof factorOperations, (identity: Identity) => Endpoint>
> = {
  showFactors: (identity) => async (call) => {
    const session = await requireFactorCaller(identity, call)
    const { userId } = readSingle(call.parameters)
    if (userId === undefined || userId === session.accountId)
      return { body: await showFactors(identity, session) }
    requireAdministrator(identity, session)
    const { userId: id } = readFields({ userId }, { userId: uuid })
    return { body: { hasFactor: hasFactor(await findFactors(identity.database, id)) } }
  },
  offerApp: (identity) => async (call) => {
    const { address, ...offer } = offerApp(identity, await requireFreshCaller(identity, call))
    return { body: { ...offer, address } }
  },
  confirmApp: (identity) =>
    changing(
      identity,
      'app set up',
      async (transaction, { accountId }, { offer = '', code = '' }, before) => {
        const given = { offer, code: code.replaceAll(/\s/g, '') }
        if (!(await acceptApp(identity, transaction, accountId, given)))
          throw invalid({ code: ['Code is wrong. Wait for the next one that the app shows.'] })
        const isFirst = !hasFactor(before)
        return { recoveryCodes: isFirst ? await makeRecoveryCodes(transaction, accountId) : null }
      },
    ),
  removeApp: (identity) =>
    changing(identity, 'app removed', async (transaction, { accountId }) => {
      const [removed] = await transaction.query(
        sql`delete from authenticator_apps where user_id = ${accountId} returning true`,
      )
      if (!removed) throw missing('App')
      return { success: true }
    }),
  makeRecoveryCodes: (identity) =>
    changing(identity, 'recovery codes made', async (transaction, { accountId }, _form, before) => {
      if (!hasFactor(before))
        throw invalid({ generalErrors: ['Recovery codes are for those who have a second factor.'] })
      return { recoveryCodes: await makeRecoveryCodes(transaction, accountId) }
    }),
  offerPasskey: (identity) => async (call) => {
    const session = await requireFreshCaller(identity, call)
    return { body: await askForNewPasskey(identity, session, requirePasskeys(identity).domain) }
  },
  addPasskey: (identity) =>
    changing(identity, 'passkey added', async (transaction, { accountId }, form, before) => {
      const { name } = readFields(form, { name: passkeyName })
      const { challenge = '', credential = '' } = form
      if (!(await acceptPasskey(identity, transaction, accountId, { challenge, credential, name })))
        throw invalid({ generalErrors: [`The passkey could not be kept. There may be ${passkeysMax}.`] })
      return { recoveryCodes: await firstCodes(transaction, accountId, before) }
    }),
  renamePasskey: (identity) =>
    changing(
      identity,
      'passkey renamed',
      async (transaction, { accountId }, form) => {
        const { id, name } = readFields(form, { id: uuid, name: passkeyName })
        const [renamed] = await transaction.query(
          sql`update passkeys set name = ${name} where id = ${id} and user_id = ${accountId} returning true`,
        )
        if (!renamed) throw missing('Passkey')
        return { success: true }
      },
      'only a name',
    ),
  removePasskey: (identity) =>
    changing(identity, 'passkey removed', async (transaction, { accountId }, form) => {
      const { id } = readFields(form, { id: uuid })
      const [removed] = await transaction.query(
        sql`delete from passkeys where id = ${id} and user_id = ${accountId} returning true`,
      )
      if (!removed) throw missing('Passkey')
      return { success: true }
    }),
  takeFactorsAway: (identity) => async (call) => {
    const administrator = await requireFreshCaller(identity, call)
    requireAdministrator(identity, administrator)
    const { userId } = readFields(readSingle(call.parameters), { userId: uuid })
    await identity.database.transaction(async (transaction) => {
      await lockFactors(transaction, userId)
      requireAdministrator(identity, await requireFreshCaller(identity, call))
      if (!hasFactor(await findFactors(transaction, userId))) throw missing('Second factor')
      await removeAll(transaction, userId)
      const isOwn = userId === administrator.accountId
      await afterChange(identity, transaction, userId, isOwn ? administrator.sessionId : undefined)
    })
    note(identity, call, administrator, 'taken away', userId)
    return { body: { success: true } }
  },
}

type Change = (
  transaction: Queries,
  session: LiveSession,
  form: Readonly<Record<string, string | undefined>>,
  before: AccountFactors,
) => Promise<unknown>

/** By a fresh sign-in, one change after the other; the last factor of somebody who must have one stays. */
const changing =
  (identity: Identity, outcome: string, change: Change, extent?: 'only a name'): Endpoint =>
  async (call) => {
    const session = await requireFreshCaller(identity, call)
    const { accountId } = session
    const form = readSingle(call.parameters)
    const body = await identity.database.transaction(async (transaction) => {
      await lockFactors(transaction, accountId)
      // The change before it may have ended the sign-in while this waited for the lock.
      await requireFreshCaller(identity, call)
      const changed = await change(transaction, session, form, await findFactors(transaction, accountId))
      if (extent === undefined) await afterChange(identity, transaction, accountId, session.sessionId)
      if (hasFactor(await findFactors(transaction, accountId))) return changed
      if (mustHaveFactor(identity, session))
        throw invalid({ generalErrors: ['You must have a second factor. Set up another one first.'] })
      await removeAll(transaction, accountId)
      return changed
    })
    note(identity, call, session, outcome)
    return { body }
  }

const passkeyName = text({ max: passkeyNameCharactersMax })

const firstCodes = async (transaction: Queries, accountId: string, before: AccountFactors) =>
  hasFactor(before) ? null : makeRecoveryCodes(transaction, accountId)

async function showFactors(identity: Identity, session: LiveSession) {
  const { appSince, recoveryCodesLeft } = await findFactors(identity.database, session.accountId)
  return {
    appSince,
    recoveryCodesLeft,
    passkeys: await listPasskeys(identity.database, session.accountId),
    isRequired: mustHaveFactor(identity, session),
    passkeyDomain: identity.settings.passkeys?.domain ?? null,
  }
}

function requirePasskeys({ settings }: Identity): PasskeySettings {
  if (settings.passkeys) return settings.passkeys
  throw invalid({ generalErrors: ['Passkeys need https and a name, which the addresses here have not.'] })
}

/** Recovery codes without a second factor would only be a further way in, for anybody who finds them. */
async function removeAll(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(sql`delete from authenticator_apps where user_id = ${accountId}`)
  await transaction.query(sql`delete from passkeys where user_id = ${accountId}`)
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
}

function requireAdministrator({ administrators }: Identity, session: LiveSession): void {
  if (!administrators.isAdministrator(session))
    throw forbidden('Only administrators may see and take away the second factors of others.')
}

const note = (
  { securityLog }: Identity,
  { address, requestId }: Call,
  { accountId, sessionId }: LiveSession,
  outcome: string,
  account = accountId,
): void =>
  securityLog({
    event: 'factor-changed',
    outcome,
    account,
    by: accountId,
    ...{ session: sessionId, address, requestId },
  })

/** After this long a sign-in is asked for again before factors are changed: an open screen is not the person. */
const freshMilliseconds = 10 * 60_000

/** The sign-in that asks, in the web client only: no other app looks at or changes how people sign in. */
async function requireFactorCaller(identity: Identity, { headers }: Call): Promise<LiveSession> {
  const claims = await verifyAccessToken(identity, requireBearer(headers))
  const account = claims && (await findTokenAccount(identity, claims))
  const isOfWebClient = claims?.client_id === webClientId && typeof claims.sid === 'string'
  const session = account && isOfWebClient ? await findLiveSession(identity, String(claims.sid)) : undefined
  if (session === undefined || session.accountId !== account?.accountId) throw invalidToken()
  return session
}

/** RFC 9470: says how old a sign-in may be for what was asked. */
async function requireFreshCaller(identity: Identity, call: Call): Promise<LiveSession> {
  const session = await requireFactorCaller(identity, call)
  if (session.provedAt + freshMilliseconds > identity.now()) return session
  throw new OAuthError(
    'insufficient_user_authentication',
    'Sign in again to change how you sign in.',
    `Bearer error="insufficient_user_authentication", max_age="${freshMilliseconds / 1000}"`,
  )
}

/**
 * A person may change a second factor because somebody else is signed in: the other sign-ins end (OWASP ASVS 5,
 * 7.4.3), and the person is told where mails can be sent.
 */
export async function afterChange(
  { settings, now }: Pick<Identity, 'settings' | 'now'>,
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await transaction.query(sql`
    insert into factor_changes (user_id, count) values (${accountId}, 1)
    on conflict (user_id) do update set count = factor_changes.count + 1`)
  await endOtherSessions(transaction, accountId, keptSessionId, now())
  if (settings.mail) await queueMail(transaction, { purpose: 'factors', madeBy: accountId })
}
