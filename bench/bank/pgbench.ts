import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PgbenchResult {
  readonly transactionsPerSecond: number
  readonly transactions: number
}

const places = ['/usr/lib/postgresql/15/bin/pgbench', '/usr/bin/pgbench', '/usr/local/bin/pgbench']

export const findPgbench = (): string | undefined => places.find((place) => existsSync(place))

/** The database alone, with one call of the function per transaction. */
export async function runPgbench(
  pgbench: string,
  { url, folder, clients, seconds }: { url: string; folder: string; clients: number; seconds: number },
): Promise<PgbenchResult> {
  const script = join(folder, 'pgbench.sql')
  writeFileSync(script, transaction)
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-j',
    '2',
    '-T',
    String(seconds),
    '-f',
    script,
  ]
  const { stdout } = await run(pgbench, [...options, url])
  const numberIn = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN)
  return {
    transactionsPerSecond: numberIn(/^tps = ([\d.]+)/m),
    transactions: numberIn(/transactions actually processed: (\d+)/),
  }
}

/** The same mix as the load's: five clients, two debits for each credit, up to a hundred. */
const transaction = String.raw`
\set client random(1, 5)
\set kind random(1, 3)
\set amount random(1, 10000) * (case when :kind = 1 then 1 else -1 end)
select balance, applied from bank.apply_one(:client::int, :amount::int, 'pgbench');
`
