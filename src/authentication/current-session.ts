import type { Administrators } from '../accounts/administrators.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { createBoundedCache } from './bounded-cache.ts'
import type { AccessTokenClaims } from './verify-access-token.ts'

/** Whether the sign-in a token speaks of still stands. */
export type IsCurrentSession = (claims: AccessTokenClaims) => Promise<boolean>

export interface CurrentSessionOptions {
  readonly database: Database
  readonly administrators: Administrators
  /** Zero asks the store every time. */
  readonly cacheSeconds: number
  readonly now: () => number
}

/** As many as there are remembered tokens. */
const rememberedSessionsMax = 10_000

/**
 * A yes and a no are remembered alike: a new sign-in has another session and never meets an old no. The time counts from
 * the question, so nothing that ended works longer than the cache says.
 */
export function createSessionCheck(options: CurrentSessionOptions): IsCurrentSession {
  const { cacheSeconds, now } = options
  const answers = createBoundedCache<Promise<boolean>>({ entriesMax: rememberedSessionsMax, now })
  return (claims) => {
    const { accountId, sessionId, securityStamp, isAdministrator } = claims
    const key = JSON.stringify([accountId, sessionId, securityStamp, isAdministrator])
    const remembered = answers.get(key)
    if (remembered !== undefined) return remembered
    const answer = isCurrent(options, claims)
    answers.set(key, answer, now() + cacheSeconds * 1000)
    // A store that could not be asked has not said no.
    answer.catch(() => answers.delete(key))
    return answer
  }
}

async function isCurrent(
  { database, administrators }: CurrentSessionOptions,
  { accountId, sessionId, securityStamp, isAdministrator }: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<{ login: string }>(sql`
    select login from users
    where id = ${accountId} and active and security_stamp = ${securityStamp} and (
      ${sessionId ?? null}::text is null or exists (
        select from signin_sessions as session
        where session.id = ${sessionId ?? null} and session.user_id = users.id
          and session.security_stamp = users.security_stamp
          and session.ended_at is null and session.expires_at > now()
      )
    )`)
  // A former administrator's token is refused as a whole: its client signs in again and gets one that tells the truth.
  return account !== undefined && (!isAdministrator || administrators.isAdministrator(account.login))
}
