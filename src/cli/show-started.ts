import type { StoreSettings } from '../configuration/store-settings.ts'
import type { DemoAccount } from './demo-account.ts'
import type { RunningHost } from './hosts/running-host.ts'

/** What a start prints: the addresses, the account to sign in with, and how to stop. */
export function showStarted(
  hosts: readonly RunningHost[],
  account: DemoAccount | undefined,
  { databaseUrl, dataDirectory }: StoreSettings,
) {
  const lines = [
    ...hosts.flatMap(({ title, address, pages = [] }) => [
      line(title, address),
      ...pages.map((page) => line('', page)),
    ]),
    ...(account === undefined
      ? []
      : [
          line(
            'Store',
            databaseUrl === undefined ? `embedded PostgreSQL in ${dataDirectory}` : 'DATABASE_URL',
          ),
          ...accountLines(account),
        ]),
    line('Stop', 'Ctrl-C'),
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

const line = (label: string, text: string) => `  ${label.padEnd(14)}${text}`

function accountLines({ login, generatedPassword, passwordFile }: DemoAccount): string[] {
  if (login === undefined) return []
  const account = line('Demo account', login)
  if (generatedPassword)
    return [account, line('  password', `${generatedPassword}  (kept in ${passwordFile})`)]
  return passwordFile ? [account, line('  password', `in ${passwordFile}`)] : [account]
}
