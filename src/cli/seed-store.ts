import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { administratorsOf } from '../accounts/administrators.ts'
import type { StoreSettings } from '../config/store-settings.ts'
import { type Database, joinTransaction, type Queries } from '../db/database.ts'
import { newId } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { Problem } from '../model/problem.ts'
import type { SharedContext } from '../records/context.ts'
import { create } from '../records/create.ts'
import type { Resource } from '../resources/define-resource.ts'
import { user } from '../resources/user.ts'
import { seedDemoWorkspace } from './demo-workspace.ts'
import { publishFile } from './publish-file.ts'

export interface SeedReport {
  /** Explains how to create the first account. Undefined if the store has an account. */
  readonly hint: string | undefined
  /** The current login of the seeded account. Undefined if it was removed or is unknown. */
  readonly login: string | undefined
  /** Set only by the start that created the account. */
  readonly generatedPassword: string | undefined
  /** The file with a generated password. Undefined if the password comes from the settings. */
  readonly passwordFile: string | undefined
}

/** The command that creates the first account. The API needs an account to create one. */
export const createAccountCommand = 'npm run cli -- account create LOGIN --administrator'

/**
 * Creates the demo account in an empty store. A store at DATABASE_URL is seeded only if the settings ask for
 * it.
 */
export async function seedStore(context: SharedContext, settings: StoreSettings): Promise<SeedReport> {
  const { demoLogin, demoPassword, dataDirectory } = settings
  const file = join(dataDirectory, 'demo-password')
  const isEmpty = !(await hasAccounts(context.database))
  const isNew =
    isEmpty &&
    settings.seedsDemoAccount &&
    (await createDemoAccount(context, settings, demoPassword ?? (await readOrCreatePendingPassword(file))))
  await backfillSeededAccount(context.database, demoLogin)
  const account = await findSeededAccount(context.database)
  await resolvePendingPassword(context, account, file)
  const isGenerated = demoPassword === undefined && existsSync(file)
  return {
    login: account?.login,
    hint: isEmpty && !settings.seedsDemoAccount ? `none yet: ${createAccountCommand}` : undefined,
    generatedPassword: isNew && isGenerated ? (await readFile(file, 'utf8')).trim() : undefined,
    passwordFile: isGenerated ? file : undefined,
  }
}

/**
 * Creates the account and its workspace in one transaction. Returns false if another instance has created it.
 */
async function createDemoAccount(
  context: SharedContext,
  settings: StoreSettings,
  password: string,
): Promise<boolean> {
  const { demoLogin: login, demoData } = settings
  const id = newId()
  try {
    await context.database.transaction(async (transaction) => {
      // Concurrent starts wait here for the only row of seeded_account. The others then find the new account.
      await recordSeededAccount(transaction, id)
      if (await hasAccounts(transaction)) throw new AnotherInstanceWasFirst()
      const contextInTransaction = {
        ...context,
        database: withAllInTransaction(context.database, transaction),
        administrators: administratorsOf({ adminLogins: [] }),
      }
      const values = { id, name: 'Demo', login, password }
      await create(contextInTransaction, userWithoutChecks, { id, isAdministrator: true }, values).catch(
        explainProblem('SVC_DEMO_LOGIN or SVC_DEMO_PASSWORD'),
      )
      if (demoData)
        await seedDemoWorkspace(contextInTransaction, id).catch(
          explainProblem('The demo data, which SVC_DEMO_DATA adds'),
        )
    })
    return true
  } catch (error) {
    if (error instanceof AnotherInstanceWasFirst) return false
    throw error
  }
}

class AnotherInstanceWasFirst extends Error {}

/** Converts validation errors to one message that names the setting. */
const explainProblem = (subject: string) => (error: unknown) => {
  if (!(error instanceof Problem) || !error.errors) throw error
  throw new Error(`${subject}: ${Object.values(error.errors).flat().join(' ')}`, { cause: error })
}

async function hasAccounts({ query }: Queries): Promise<boolean> {
  const [account] = await query(sql`select from users limit 1`)
  return account !== undefined
}

/** A demo password may be guessable, so only the password policy is checked. */
const userWithoutChecks: Resource = { ...user, checks: [] }

/** Reads in the transaction as well, because the workspace refers to rows that it has created. */
const withAllInTransaction = (database: Database, transaction: Queries): Database => ({
  ...joinTransaction(database, transaction),
  query: (statement) => transaction.query(statement),
})

const pendingFileOf = (file: string) => `${file}.pending`

/** The password is written before the account is created, so that it cannot get lost. */
async function readOrCreatePendingPassword(file: string): Promise<string> {
  const pending = pendingFileOf(file)
  const temporary = `${pending}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(temporary, `${generatePassword()}\n`, { mode: 0o600 })
    // Another instance that shares the directory may have created the file.
    await publishFile(temporary, pending).catch(ignoreEexist)
    await rm(temporary, { force: true })
    return (await readFile(pending, 'utf8')).trim()
  } catch (error) {
    throw cannotSavePassword(file, error)
  }
}

function ignoreEexist(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Renames the pending file if it has the password of the account. Otherwise another instance has created the
 * account, and the file is removed.
 */
async function resolvePendingPassword(
  { passwords }: SharedContext,
  account: SeededAccount | undefined,
  file: string,
): Promise<void> {
  const pending = pendingFileOf(file)
  // Another instance that shares the directory may rename or remove the file at any time.
  const password = await readFile(pending, 'utf8').catch(ignoreEnoent)
  if (password === undefined) return
  const isUsed = account !== undefined && (await passwords.verify(account.hash, password.trim()))
  try {
    await (isUsed ? rename(pending, file) : rm(pending)).catch(ignoreEnoent)
  } catch (error) {
    throw cannotSavePassword(file, error)
  }
}

function ignoreEnoent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

const cannotSavePassword = (file: string, error: unknown) =>
  new Error(`The demo account's password cannot be saved in ${file}: ${(error as Error).message}`)

/** The password has 96 random bits. The suffix satisfies the password policy. */
const generatePassword = (): string => `${randomBytes(12).toString('base64url')}-aA1`

interface SeededAccount {
  readonly login: string
  readonly hash: string
}

/** Must be called in the transaction that creates the account. */
async function recordSeededAccount(transaction: Queries, id: string): Promise<void> {
  await transaction.query(sql`
    insert into seeded_account (user_id) values (${id})
    on conflict (is_only) do update set user_id = excluded.user_id`)
}

/**
 * Records the seeded account of a store that was seeded by an earlier version: the account with the demo
 * login, or else the oldest account if it has created itself without a client. If there is none, records
 * null, so that a user who takes the demo login later does not become an administrator.
 */
async function backfillSeededAccount({ query, singleWrites }: Database, demoLogin: string): Promise<void> {
  const [recorded] = await query(sql`select from seeded_account`)
  if (recorded) return
  await singleWrites.query(sql`
    insert into seeded_account (user_id) select coalesce(
      (select id from users where active and lower(trim(login)) = lower(trim(${demoLogin})) limit 1),
      (select oldest.id from (select id from users order by created_at, id limit 1) as oldest
        where exists (
          select from history as entry where entry.resource = 'user' and entry.row_id = oldest.id
            and entry.action = 'create' and entry.caller = oldest.id and entry.client is null))
    ) on conflict do nothing`)
}

/** Returns undefined if the account was removed or is unknown. */
async function findSeededAccount({ query }: Queries): Promise<SeededAccount | undefined> {
  const [account] = await query<SeededAccount>(sql`
    select account.login, account.password_hash as hash from users as account
    join seeded_account as seeded on seeded.user_id = account.id where account.active`)
  return account
}
