import { newAccount } from '../../../accounts/administrators.ts'
import { isDeactivated } from '../../../accounts/deactivation.ts'
import { hasHiddenCharacters, isSameLogin } from '../../../accounts/login.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import { Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text-limits.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, accountColumns } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import { connectIdentity } from './connect-identity.ts'
import type { ArrivalRefusal } from './failures.ts'
import { makeAccount, type NewAccount } from './make-account.ts'
import type { OutsideProvider } from './open-providers.ts'
import type { OutsidePerson } from './outside-person.ts'

export interface FoundAccount {
  readonly account: Account
  readonly identityId: string
}

/** Beyond any race of two who come at once. */
const attemptsMax = 5

/**
 * The account that belongs to somebody who comes from a provider. Who comes for the first time is connected or gets an
 * account, where the provider's settings allow it; the unique constraint on issuer and subject, and that on logins, let one
 * of several at once through, and the others look again.
 */
export async function findOutsideAccount(
  identity: Identity,
  provider: OutsideProvider,
  person: OutsidePerson,
  origin: RequestOrigin,
): Promise<FoundAccount | ArrivalRefusal> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const known = await findConnected(identity, person)
    if (known !== undefined) return known
    const refusal = await arrive(identity, provider, person, origin)
    // What stood in the way may be what somebody with the same identity has just made.
    if (refusal !== undefined) return (await findConnected(identity, person)) ?? refusal
  }
  return 'no account'
}

async function findConnected(
  { database, now }: Identity,
  { issuer, subject }: OutsidePerson,
): Promise<FoundAccount | ArrivalRefusal | undefined> {
  const [found] = await database.query<Account & { identityId: string; isOpen: boolean }>(sql`
    select ${accountColumns}, known.id as "identityId", account.active and not ${isDeactivated} as "isOpen"
    from outside_identities as known join users as account on account.id = known.user_id
    where known.issuer = ${issuer} and known.subject = ${subject}`)
  if (found === undefined) return undefined
  if (!found.isOpen) return 'account closed'
  await database.single.query(
    sql`update outside_identities set last_used_at = ${moment(now())} where id = ${found.identityId}`,
  )
  return { account: found, identityId: found.identityId }
}

/** Nothing when it is worth looking again. */
async function arrive(
  identity: Identity,
  provider: OutsideProvider,
  person: OutsidePerson,
  origin: RequestOrigin,
): Promise<ArrivalRefusal | undefined> {
  if (!provider.linkByVerifiedEmail && !provider.createAccounts) return 'no account'
  const profile = await person.tell()
  const { verifiedAddress: login } = profile
  if (login === undefined || login.length > loginCharactersMax || hasHiddenCharacters(login))
    return 'no account'
  const [holder] = await findHolders(identity, login)
  if (holder === undefined) return makeOne(identity, provider, person, { ...profile, login, origin })
  if (!holder.isOpen) return 'account closed'
  if (!provider.linkByVerifiedEmail || !isSameLogin(holder.login, login)) return 'login taken'
  const outcome = await connectIdentity(identity, provider, person, {
    label: profile.label,
    userId: holder.accountId,
    how: 'verified address',
    origin,
  })
  return outcome === 'too many identities' ? outcome : undefined
}

async function makeOne(
  identity: Identity,
  provider: OutsideProvider,
  person: OutsidePerson,
  { name, login, label, origin }: Omit<NewAccount, 'name'> & { readonly name: string | undefined },
): Promise<ArrivalRefusal | undefined> {
  if (!provider.createAccounts || !mayBeMade(identity, provider, login)) return 'no account'
  try {
    await makeAccount(identity, provider, person, { login, name: name ?? login, label, origin })
  } catch (error) {
    // Somebody else has just taken the login: look again at who.
    if (!(error instanceof Problem && error.kind === 'duplicate')) throw error
  }
  return undefined
}

/** Who has the login, or had it until an administrator removed them: the active one first. */
const findHolders = ({ database }: Identity, login: string) =>
  database.query<{ accountId: string; login: string; isOpen: boolean }>(sql`
    select account.id as "accountId", account.login, account.active and not ${isDeactivated} as "isOpen" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) order by account.active desc limit 1`)

/** A login that the settings name is an administrator at once: the provider must be trusted with logins for that. */
const mayBeMade = ({ administrators }: Identity, { linkByVerifiedEmail }: OutsideProvider, login: string) =>
  linkByVerifiedEmail || !administrators.isAdministrator(newAccount(login))
