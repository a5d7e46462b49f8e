import type { Connection } from './connection.ts'
import type { ReadStatement } from './statement.ts'
import { openTransactions } from './transactions.ts'

/** Prepares statements and plans, so that the first transaction is as fast as the thousandth. Changes nothing. */
export async function warmWriting(connection: Connection): Promise<void> {
  await connection.query({ name: '', text: applyAndUndo, values: [] })
  const apply = openTransactions(connection)
  for (let count = 0; count < plansMade; count++) {
    await Promise.allSettled([apply(transaction)])
    await Promise.allSettled([apply(transaction), apply(transaction)])
  }
}

export async function warmReading(account: number, readStatement: ReadStatement): Promise<void> {
  for (let count = 0; count < plansMade; count++) await readStatement(account)
}

/** No account has the number 0, so whatever is sent for it finds no row and is refused. */
const transaction = { account: 0, amount: 1, description: 'warm-up' }

/** PostgreSQL plans a statement anew five times before it keeps a plan. */
const plansMade = 6

/** One statement, so that nothing can come between the doing and the undoing. */
const applyAndUndo = `
  do $$
  begin
    for count in 1..${plansMade} loop
      perform bank.apply_one(1, 1, 'warm-up');
      perform bank.apply('{1,2}', '{1,1}', '{warm-up,warm-up}');
    end loop;
    raise no_data_found;
  exception when no_data_found then null;
  end $$`
