import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import type { Queries } from '../store/database.ts'
import { raw, sql } from '../store/sql.ts'
import { type AccessTokenClaims, stillStands } from './access-token.ts'
import { createBoundedCache } from './bounded-cache.ts'

/**
 * Whether the session of a token is still valid. Cached results return synchronously; a caller that relies on the result for
 * a while asks for one that stays in the cache for at least as long.
 */
export type SessionCheck = (
  claims: AccessTokenClaims,
) => (leftMilliseconds?: number) => boolean | Promise<boolean>

export interface CurrentSessionOptions {
  readonly database: Queries
  readonly administrators: Administrators
  /** Zero asks the store every time. */
  readonly cacheSeconds: number
  readonly now: () => number
}

/** As many as there are remembered tokens. */
const rememberedSessionsMax = 10_000

/**
 * Both answers are remembered: a new sign-in has a session of its own, for which there is no earlier answer. The time counts
 * from the question, so nothing that ended works longer than the cache says.
 */
export function createSessionCheck(options: CurrentSessionOptions): SessionCheck {
  const { cacheSeconds, now } = options
  const answers = createBoundedCache<Answer>({ entriesMax: rememberedSessionsMax, now })
  function ask(key: string, claims: AccessTokenClaims): Promise<boolean> {
    const asked = standsNow(options, claims)
    const answer: Answer = { known: asked }
    answers.set(key, answer, now() + cacheSeconds * 1000)
    asked.then(
      (stands) => {
        answer.known = stands
      },
      // An error of the store is no answer, so it is not remembered.
      () => answers.delete(key),
    )
    return asked
  }
  return (claims) => {
    const key = keyOf(claims)
    return (leftMilliseconds) => answers.get(key, leftMilliseconds)?.known ?? ask(key, claims)
  }
}

interface Answer {
  /** A promise while the store is asked. */
  known: boolean | Promise<boolean>
}

/** Of tokens that are remembered, which come with each of their requests. */
const keys = new WeakMap<AccessTokenClaims, string>()

/** Everything that the answer depends on; each token can be revoked by itself. */
function keyOf(claims: AccessTokenClaims): string {
  const known = keys.get(claims)
  if (known !== undefined) return known
  const { expiresAt, ...others } = claims
  const key = JSON.stringify(Object.values(others))
  keys.set(claims, key)
  return key
}

/** Asked of the store, whatever is remembered. */
export async function standsNow(
  { database, administrators }: Pick<CurrentSessionOptions, 'database' | 'administrators'>,
  claims: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where ${stillStands(claims, raw('now()'))}`,
  )
  // A former administrator's token is refused as a whole: its client signs in again and gets one that is right.
  return account !== undefined && (!claims.isAdministrator || administrators.isAdministrator(account))
}
