import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { sql } from '../../src/db/sql.ts'
import { insertSession } from '../../src/hosts/identity/core/sessions.ts'
import { createOpaqueToken } from '../../src/hosts/identity/tokens/issue-tokens.ts'
import { insertAccount } from '../../test/support/insert-account.ts'

export const serviceLogin = 'robot@example.com'

/** The account of the service client, and a signed-in person with a refresh token for each chain. */
export async function seedSignIns(url: string, chains: number): Promise<string[]> {
  await migrate(url)
  const database = openDatabase({ url, applicationName: 'bench' })
  await insertAccount(database, { login: serviceLogin })
  const tokens: string[] = []
  for (let chain = 0; chain < chains; chain += 1) {
    const { id: accountId, ...account } = await insertAccount(database)
    const origin = {
      clientId: 'svc-webclient',
      address: '::1',
      userAgent: undefined,
      earlierSessionIds: [],
      language: undefined,
    }
    const session = await insertSession(
      { database, now: Date.now },
      { accountId, ...account, factorChanges: 0, hasVerifiedLogin: false, hasRole: false, isSeeded: false },
      origin,
    )
    const { token, id } = createOpaqueToken()
    await database.query(sql`
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      values (${id}, ${session?.sessionId}, 'svc-webclient', 'openid profile svc.api offline_access', now())`)
    tokens.push(token)
  }
  await database.close()
  return tokens
}
