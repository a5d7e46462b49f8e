import { createHash } from 'node:crypto'
import { sql } from '../../../store/sql.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'

/** Somebody is on the way to a provider and back. */
export interface Attempt {
  readonly providerId: string
  /** The browser that has to come back: in any other one the address is worth nothing. */
  readonly browser: string
  readonly nonce: string
  readonly verifier: string
  /** Seconds that the sign-in at the provider may be old. */
  readonly maxAge?: number | undefined
  readonly purpose: SignInPurpose | ConnectPurpose
}

/** To go on with a pending request. */
export interface SignInPurpose {
  readonly authRequest: string
}

/** To connect the provider's account with that of this session; `returnTo` is an address of the web client. */
export interface ConnectPurpose {
  readonly sessionId: string
  readonly returnTo: string
}

/** Long enough to look for a second factor at the provider. */
const attemptMilliseconds = 15 * 60_000
/** Anybody can begin one; the oldest is forgotten for a new one. Some kilobytes each. */
const attemptsMax = 20_000

export async function keepAttempt(
  { database, seals, now }: Pick<Identity, 'database' | 'seals' | 'now'>,
  state: string,
  attempt: Attempt,
): Promise<void> {
  const expiresAt = now() + attemptMilliseconds
  const sealed = seals.seal('outsideAttempt', attempt, expiresAt)
  await database.transaction(async (transaction) => {
    await transaction.query(sql`
      insert into outside_attempts (id, sealed, expires_at) values (${idOf(state)}, ${sealed}, ${moment(expiresAt)})`)
    await transaction.query(sql`
      delete from outside_attempts where id in (
        select id from outside_attempts order by expires_at desc offset ${attemptsMax}::int limit 100
        for update skip locked)`)
  })
}

/** Once: of two who come with the same state, the row's lock lets one through. */
export async function takeAttempt(
  { database, seals }: Pick<Identity, 'database' | 'seals'>,
  state: string,
): Promise<Attempt | undefined> {
  const [taken] = await database.single.query<{ sealed: string }>(
    sql`delete from outside_attempts where id = ${idOf(state)} returning sealed`,
  )
  return taken && seals.open<Attempt>('outsideAttempt', taken.sealed)
}

const idOf = (state: string): Buffer => createHash('sha256').update(state).digest()
