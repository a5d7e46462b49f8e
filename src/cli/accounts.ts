import { randomBytes } from 'node:crypto'
import {
  type AdministratorOptions,
  administratorColumns,
  administratorsOf,
  authorizeOperator,
  deactivateAccount,
  grantAdministratorRole,
  type PossibleAdministrator,
  reactivateAccount,
} from '../accounts/administrators.ts'
import { createPasswordLink, resetPassword } from '../accounts/change-password.ts'
import { passwordLinkHours } from '../accounts/links.ts'
import { createPasswords } from '../accounts/passwords.ts'
import { isAccountDeactivatedSql } from '../accounts/sign-in.ts'
import { openBudgets } from '../config/budgets.ts'
import { isMailConfigured, readTrackerSettings } from '../config/host-settings.ts'
import { readSettings } from '../config/settings.ts'
import { joinTransaction, type Queries } from '../db/database.ts'
import { newId } from '../db/rows.ts'
import { escapeLike, sql } from '../db/sql.ts'
import { listClients } from '../features/clients/clients.ts'
import { resetFactors } from '../hosts/identity/factors/account-factors.ts'
import { escapeControls } from '../http/log.ts'
import { callerDetails, type SecurityEvent, type SecurityLog } from '../observability/security-log.ts'
import type { Context } from '../records/context.ts'
import { create } from '../records/create.ts'
import { user } from '../resources/user.ts'
import { confirm, openSecurityLog, operatorOf, readNewPassword } from './operator.ts'
import { withDatabase } from './shared-store.ts'
import { type Options, UsageError } from './usage.ts'

/**
 * `account create LOGIN` creates an account, for example the first account of a store that was not seeded.
 */
export async function runCreateAccount([login = '']: readonly string[], options: Options): Promise<void> {
  const { administrator = false, link = false, name = login } = options
  await withAccounts(async (context) => {
    if (administrator) requireRoles(context)
    if (link) requireLinks(context)
    // Every account needs a password that complies with the policy. With --link, it is random and never
    // shown.
    const password = link ? `${randomBytes(24).toString('base64url')}-aA1` : await readNewPassword()
    const id = newId()
    const linkSecret = await inTransaction(context, async (joined, transaction) => {
      await create(joined, user, operatorOf(id), { id, name, login, password })
      if (administrator) await grantRole(joined, transaction, id)
      return link ? (await createPasswordLink(joined, operatorOf(id), { userId: id })).secret : undefined
    })
    console.log(`The account ${login} was created${administrator ? ', as an administrator' : ''}.`)
    if (linkSecret !== undefined) printLink(context, linkSecret)
  })
}

/** `account list [TEXT]` lists the accounts whose login or name contains the text. */
export async function runListAccounts([text = '']: readonly string[], { json }: Options): Promise<void> {
  await withAccounts(async ({ database, administrators }) => {
    const pattern = `%${escapeLike(text)}%`
    const found = await database.query<ListedAccount>(sql`
      select account.id, account.name, ${administratorColumns}, ${isAccountDeactivatedSql} as "isDeactivated",
        account.created_at as "createdAt"
      from users as account where account.active and (account.login ilike ${pattern} or account.name ilike ${pattern})
      order by lower(account.login), account.id limit ${accountsListedMax + 1}::int`)
    const accounts = found.slice(0, accountsListedMax).map(({ hasRole, isSeeded, ...account }) => ({
      ...account,
      isAdministrator: administrators.isAdministrator({ ...account, hasRole, isSeeded }),
    }))
    print(accounts, { asJson: json === true }, ({ login, name, isAdministrator, isDeactivated }) => {
      const states = [
        ...(isAdministrator ? ['administrator'] : []),
        ...(isDeactivated ? ['deactivated'] : []),
      ]
      return [login, states.join(', '), name]
    })
    if (found.length > accountsListedMax)
      console.error(`Only the first ${accountsListedMax} are listed: add a part of the login.`)
  })
}

interface ListedAccount extends PossibleAdministrator {
  readonly id: string
  readonly name: string
  readonly isDeactivated: boolean
  readonly createdAt: string
}

/** Limits the memory of the command. Scripts can read longer lists page by page from the API. */
const accountsListedMax = 10_000

/**
 * `account reset-password LOGIN` sets a new password, or prints a link with which the user sets it. A link
 * does not work for a deactivated account, but an operator may set its password before `reactivate`.
 */
export async function runResetPassword([login = '']: readonly string[], options: Options): Promise<void> {
  await withAccounts(async (context) => {
    if (options.link) {
      requireLinks(context)
      const { id } = await requireActiveAccount(context, login)
      const { secret } = await createPasswordLink(context, operatorOf(id), { userId: id })
      return printLink(context, secret)
    }
    const { id, isDeactivated } = await requireAccount(context, login)
    await confirm(`This ends all sessions of ${login}.`, { yes: options.yes === true })
    await resetPassword(context, operatorOf(id), { newPassword: await readNewPassword() })
    console.log(`The password of ${login} was changed, and its sessions have ended.`)
    if (isDeactivated)
      console.log(
        `The account is still deactivated. \`npm run cli -- account reactivate ${login}\` allows the sign-in.`,
      )
  })
}

/** `account remove-factors LOGIN`: lets a user sign in again who has lost phone and recovery codes. */
export async function runRemoveFactors([login = '']: readonly string[], { yes }: Options): Promise<void> {
  await withAccounts(async (context) => {
    const { id } = await requireAccount(context, login)
    await confirm(`This removes the second factors of ${login} and ends all of its sessions.`, {
      yes: yes === true,
    })
    const host = { settings: { isMailConfigured: context.sendsMail }, now: Date.now }
    await context.database.transaction((transaction) => resetFactors(host, transaction, { accountId: id }))
    record(context, { event: 'factor-changed', outcome: 'taken away' }, id)
    console.log(`${login} has no second factor, and its sessions have ended.`)
  })
}

/** `account make-administrator LOGIN`: grants the administrator role. */
export async function runMakeAdministrator([login = '']: readonly string[]): Promise<void> {
  await withAccounts(async (context) => {
    requireRoles(context)
    const { id } = await requireActiveAccount(context, login)
    const isNew = await inTransaction(context, (joined, transaction) => grantRole(joined, transaction, id))
    console.log(
      isNew
        ? `${login} is an administrator from its next access token on.`
        : `${login} is already an administrator.`,
    )
  })
}

/** `account deactivate LOGIN`: blocks the sign-in. Throws for the last administrator. */
export async function runDeactivate([login = '']: readonly string[], { yes }: Options): Promise<void> {
  await withAccounts(async (context) => {
    const { id } = await requireAccount(context, login)
    await confirm(`This ends all sessions of ${login} and blocks its sign-in.`, { yes: yes === true })
    await context.database.transaction((transaction) =>
      deactivateAccount(
        transaction,
        { userId: id, by: id },
        authorizeOperator(context.settings, { userId: id, login }),
      ),
    )
    record(context, { event: 'account-changed', outcome: 'deactivate' }, id)
    console.log(`${login} was deactivated, and its sessions have ended.`)
  })
}

/** `account reactivate LOGIN`: allows the sign-in again. Tokens and sessions from before stay invalid. */
export async function runReactivate([login = '']: readonly string[]): Promise<void> {
  await withAccounts(async (context) => {
    const { id } = await requireAccount(context, login)
    const isChanged = await context.database.transaction((transaction) =>
      reactivateAccount(transaction, id, authorizeOperator(context.settings)),
    )
    if (isChanged) record(context, { event: 'account-changed', outcome: 'reactivate' }, id)
    console.log(
      isChanged
        ? `${login} was reactivated, and can sign in with its password.`
        : `${login} is not deactivated.`,
    )
  })
}

/**
 * `client list` lists the clients that administrators have created. The settings of the identity hosts declare
 * the others.
 */
export async function runListClients(_args: readonly string[], { json }: Options): Promise<void> {
  await withAccounts(async (context) => {
    print(await listClients(context, operatorOf('')), { asJson: json === true }, (client) => [
      client.id,
      client.hasSecret ? 'with a secret' : 'public',
      client.name,
      client.redirectUris.join(' '),
    ])
  })
}

/**
 * `client end ID`: revokes the tokens of a client that the settings declare. Administrators end other clients
 * in the web client.
 */
export async function runEndClient([client = '']: readonly string[]): Promise<void> {
  await withAccounts(async ({ database, securityLog }) => {
    const ended = await database.transaction((transaction) =>
      transaction.query(sql`
        update service_clients as known set valid_since = null, retired_at = null
        where id = ${client} and not exists (select from registered_clients where id = known.id) returning id`),
    )
    if (ended.length === 0)
      throw new Error(
        `No identity host has declared ${client} in its settings. Administrators end their clients in the web client.`,
      )
    securityLog({ event: 'client-changed', outcome: 'ended', ...callerDetails(operatorOf('')), client })
    console.log(
      `The tokens of ${client} are revoked; all hosts reject them within 30 seconds. Remove the client from the settings of every identity host: the next host that starts with it accepts it again.`,
    )
  })
}

interface AccountContext extends Context {
  readonly securityLog: SecurityLog
  readonly settings: AdministratorOptions & { readonly extensions: boolean }
  /** The origin of the web client. It has the page of password links. */
  readonly linkOrigin: string
  readonly sendsMail: boolean
}

async function withAccounts(work: (context: AccountContext) => Promise<void>): Promise<void> {
  const { settings, sendsMail } = readSettings(process.env, (settings) => ({
    settings: readTrackerSettings(settings),
    sendsMail: isMailConfigured(settings),
  }))
  const budgets = openBudgets()
  await withDatabase((database) =>
    work({
      database,
      budgets,
      passwords: createPasswords({}, budgets),
      administrators: administratorsOf(settings),
      securityLog: openSecurityLog(),
      settings,
      linkOrigin: settings.allowedOrigins[0] ?? '',
      sendsMail,
    }),
  )
}

/**
 * Runs `work` with a context that uses one transaction. Security events are logged only after the commit,
 * because a failed transaction may be retried.
 */
async function inTransaction<Result>(
  context: AccountContext,
  work: (joined: AccountContext, transaction: Queries) => Promise<Result>,
): Promise<Result> {
  const { events, result } = await context.database.transaction(async (transaction) => {
    const events: SecurityEvent[] = []
    const joined: AccountContext = {
      ...context,
      database: joinTransaction(context.database, transaction),
      securityLog: (event) => void events.push(event),
    }
    return { events, result: await work(joined, transaction) }
  })
  for (const event of events) context.securityLog(event)
  return result
}

const record = (
  { securityLog }: AccountContext,
  event: Pick<SecurityEvent, 'event' | 'outcome'>,
  id: string,
): void => securityLog({ ...event, ...callerDetails(operatorOf(id)), by: id })

async function grantRole(context: AccountContext, transaction: Queries, id: string): Promise<boolean> {
  const isNew = await grantAdministratorRole(
    transaction,
    { userId: id, by: id },
    authorizeOperator(context.settings),
  )
  if (isNew) record(context, { event: 'administrator-changed', outcome: 'given' }, id)
  return isNew
}

interface FoundAccount {
  readonly id: string
  readonly isDeactivated: boolean
}

async function requireAccount({ database }: AccountContext, login: string): Promise<FoundAccount> {
  const [account] = await database.query<FoundAccount>(sql`
    select account.id, ${isAccountDeactivatedSql} as "isDeactivated" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) and account.active`)
  if (!account) throw new Error(`There is no account ${login}.`)
  return account
}

async function requireActiveAccount(context: AccountContext, login: string): Promise<FoundAccount> {
  const account = await requireAccount(context, login)
  if (account.isDeactivated)
    throw new Error(`${login} is deactivated. Run \`npm run cli -- account reactivate ${login}\` first.`)
  return account
}

function requireRoles({ settings }: AccountContext): void {
  if (!settings.extensions)
    throw new UsageError(
      'With EXTENSIONS=off, only the logins of SVC_ADMIN_LOGINS are administrators: add the login there.',
    )
}

function requireLinks({ settings }: AccountContext): void {
  if (!settings.extensions)
    throw new UsageError('With EXTENSIONS=off, there is no page for links: leave out --link.')
}

function printLink({ linkOrigin }: AccountContext, secret: string): void {
  console.log(`${linkOrigin}/new-password#${secret}`)
  console.error(`The link can set the password once. It is valid for ${passwordLinkHours} hour.`)
}

/** Prints a line for each row, as an aligned table or as JSON for programs. */
function print<Row>(
  rows: readonly Row[],
  { asJson }: { readonly asJson: boolean },
  columnsOf: (row: Row) => readonly string[],
): void {
  if (asJson) {
    for (const row of rows) console.log(JSON.stringify(row))
    return
  }
  // Names are chosen by users, and could contain control sequences of the terminal.
  const table = rows.map((row) => columnsOf(row).map(escapeControls))
  const widths: number[] = []
  for (const row of table)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
