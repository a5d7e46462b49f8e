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

/** Whoever asks while a query is on its way shares the next one; an answer is never kept for later. */
function shareUnsent(ask: () => Promise<string>): () => Promise<string> {
  let unsent: Promise<string> | undefined
  let sent: Promise<unknown> = Promise.resolve()
  const send = async () => {
    await sent.catch(() => undefined)
    await endOfTurn()
    unsent = undefined
    const asked = ask()
    sent = asked
    return asked
  }
  return () => {
    unsent ??= send()
    return unsent
  }
}

/** Reading again changes nothing, so a connection that broke on the way gets one successor. */
async function read(account: number, connection: Connection): Promise<string> {
  const row = await connection.query(query(account)).catch(() => connection.query(query(account)))
  const statement = row?.[0]
  if (statement == null) throw new Error('The account is missing.')
  return statement
}

/** One query sees one snapshot: balance and entries agree whatever is committed meanwhile. */
const query = (account: number) => ({
  name: 'statement',
  text: `
    select json_build_object(
      'saldo', json_build_object(
        'total', account.balance,
        'data_extrato', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        'limite', account.credit_limit),
      'ultimas_transacoes', coalesce((
        select json_agg(json_build_object(
          'valor', abs(latest.amount::bigint),
          'tipo', case when latest.amount > 0 then 'c' else 'd' end,
          'descricao', latest.description,
          'realizada_em', to_char(latest.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
        ) order by latest.seq desc)
        from (
          select * from bank.ledger where account_id = account.id order by seq desc limit 10
        ) as latest), '[]'))
    from bank.account where id = $1`,
  values: [account],
})
