import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Connection } from './connection.ts'

/** An account's statement as JSON, made after this was called. */
export type ReadStatement = (account: number) => Promise<string>

export function openStatements(connection: Connection): ReadStatement {
  const shared = new Map<number, () => Promise<string>>()
  return (account) => {
    const known = shared.get(account)
    if (known !== undefined) return known()
    const share = shareUnsent(() => read(account, connection))
    shared.set(account, share)
    return share()
  }
}

/** Requests that come while a query is on its way share the next one; an answer is never kept for later. */
function shareUnsent(ask: () => Promise<string>): () => Promise<string> {
  let unsent: Promise<string> | undefined
  let sent: Promise<string> | undefined
  const send = async () => {
    const startedAt = performance.now()
    await sent?.catch((error) => {
      if (hasTime(startedAt)) return
      unsent = undefined
      throw error
    })
    await endOfTurn()
    unsent = undefined
    const asked = ask()
    sent = asked
    const forget = () => {
      if (sent === asked) sent = undefined
    }
    asked.then(forget, forget)
    return asked
  }
  return () => {
    unsent ??= send()
    return unsent
  }
}

/** Reading again changes nothing, so after a broken connection the query is sent once more, while there is time for it. */
async function read(account: number, connection: Connection): Promise<string> {
  const startedAt = performance.now()
  const row = await connection.query(query(account)).catch((error) => {
    if (!hasTime(startedAt)) throw error
    return connection.query(query(account))
  })
  const statement = row?.[0]
  if (statement == null) throw new Error('The account is missing.')
  return statement
}

/** Another try may take as long as the database may be silent. */
const againMilliseconds = 400
const hasTime = (startedAt: number) => performance.now() - startedAt < againMilliseconds

/** One query sees one snapshot: balance and entries agree whatever is committed meanwhile. */
const query = (account: number) => ({
  name: 'statement',
  text: 'select bank.statement($1)',
  values: [String(account)],
})
