import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StoreSettings } from '../config/store-settings.ts'
import { newId } from '../db/columns.ts'
import type { Database, Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { Problem } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { create } from '../records/create.ts'
import type { Resource } from '../resources/define-resource.ts'
import { user } from '../resources/user.ts'
import { seedDemoWorkspace } from './demo-workspace.ts'
import { publishFile } from './publish-file.ts'

export interface DemoAccount {
  /** The current login; undefined where the account is removed or unknown. */
  readonly login: string | undefined
  /** Shown once, right after the account was created. */
  readonly generatedPassword: string | undefined
  /** The file with a generated password. */
  readonly passwordFile: string | undefined
}

/** Seeds an empty store with the demo account: without it nothing could create the first account. */
export async function seedDemoAccount(context: Context, settings: StoreSettings): Promise<DemoAccount> {
  const { demoLogin, demoPassword, dataDirectory } = settings
  const file = join(dataDirectory, 'demo-password')
  const isNew =
    !(await hasAccounts(context.database)) &&
    (await makeAccount(context, settings, demoPassword ?? (await pendingPassword(file))))
  await decideSeeded(context.database, demoLogin)
  const account = await findSeeded(context.database)
  await settlePending(context, account, file)
  const isGenerated = demoPassword === undefined && existsSync(file)
  return {
    login: account?.login,
    generatedPassword: isNew && isGenerated ? (await readFile(file, 'utf8')).trim() : undefined,
    passwordFile: isGenerated ? file : undefined,
  }
}

/** Creates account and workspace together or not at all. Returns false when another instance was first. */
async function makeAccount(context: Context, settings: StoreSettings, password: string): Promise<boolean> {
  const { demoLogin: login, demoData } = settings
  const id = newId()
  try {
    await context.database.transaction(async (transaction) => {
      // Writing the single row of seeded_account serializes concurrent starts. Those that lose are rolled back.
      await keepSeeded(transaction, id)
      if (await hasAccounts(transaction)) throw new AnotherInstanceWasFirst()
      const within = { ...context, database: databaseWithin(context.database, transaction) }
      const values = { id, name: 'Demo', login, password }
      await create(within, userWithoutChecks, { id, isAdministrator: true }, values).catch(
        explain('SVC_DEMO_LOGIN or SVC_DEMO_PASSWORD'),
      )
      if (demoData)
        await seedDemoWorkspace(within, id).catch(explain('The demo data, which SVC_DEMO_DATA adds'))
    })
    return true
  } catch (error) {
    if (error instanceof AnotherInstanceWasFirst) return false
    throw error
  }
}

class AnotherInstanceWasFirst extends Error {}

const explain = (subject: string) => (error: unknown) => {
  if (!(error instanceof Problem) || !error.errors) throw error
  throw new Error(`${subject}: ${Object.values(error.errors).flat().join(' ')}`, { cause: error })
}

async function hasAccounts({ query }: Queries): Promise<boolean> {
  const [account] = await query(sql`select from users limit 1`)
  return account !== undefined
}

/** A password that the operator has chosen must only comply with the policy; the check for guessable ones is skipped. */
const userWithoutChecks: Resource = { ...user, checks: [] }

/** Makes every verb join the one transaction. */
const databaseWithin = (database: Database, transaction: Queries): Database => ({
  ...database,
  single: transaction,
  query: (statement) => transaction.query(statement),
  transaction: (work) => work(transaction),
})

const pendingFile = (file: string) => `${file}.pending`

/** Written before the account is created: an account whose password was lost would lock every user out. */
async function pendingPassword(file: string): Promise<string> {
  const pending = pendingFile(file)
  const own = `${pending}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(own, `${generatePassword()}\n`, { mode: 0o600 })
    // A hard link appears with its whole content. Another instance that shares the folder may have been first: then its file is used.
    await publishFile(own, pending).catch(ignoreEexist)
    await rm(own, { force: true })
    return (await readFile(pending, 'utf8')).trim()
  } catch (error) {
    throw cannotStorePassword(file, error)
  }
}

function ignoreEexist(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Another instance may have been first, with the password in its own data folder; then this file is useless.
 */
async function settlePending(
  { passwords }: Context,
  account: SeededAccount | undefined,
  file: string,
): Promise<void> {
  const pending = pendingFile(file)
  // A start that shares the folder settles it too, at any time.
  const kept = await readFile(pending, 'utf8').catch(ignoreEnoent)
  if (kept === undefined) return
  const isUsed = account !== undefined && (await passwords.verify(account.hash, kept.trim()))
  try {
    await (isUsed ? rename(pending, file) : rm(pending)).catch(ignoreEnoent)
  } catch (error) {
    throw cannotStorePassword(file, error)
  }
}

function ignoreEnoent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

const cannotStorePassword = (file: string, error: unknown) =>
  new Error(`The demo account's password cannot be kept in ${file}: ${(error as Error).message}`)

/** 96 random bits, with one of each kind of character that the password policy requires. */
const generatePassword = (): string => `${randomBytes(12).toString('base64url')}-aA1`

interface SeededAccount {
  readonly login: string
  readonly hash: string
}

/** Joins the transaction that creates the account. */
async function keepSeeded(transaction: Queries, id: string): Promise<void> {
  await transaction.query(sql`
    insert into seeded_account (user_id) values (${id})
    on conflict (is_only) do update set user_id = excluded.user_id`)
}

/**
 * Handles stores from before the seeded account was recorded: it is the administrator until now, by its login. If no account has
 * that login any more, it is the oldest account, if that created itself, as only a seeded one does without a client. Decided
 * once, so that a user who takes the login later does not become an administrator.
 */
async function decideSeeded({ query, single }: Database, demoLogin: string): Promise<void> {
  const [decided] = await query(sql`select from seeded_account`)
  if (decided) return
  await single.query(sql`
    insert into seeded_account (user_id) select coalesce(
      (select id from users where active and lower(trim(login)) = lower(trim(${demoLogin})) limit 1),
      (select oldest.id from (select id from users order by created_at, id limit 1) as oldest
        where exists (
          select from history as entry where entry.resource = 'user' and entry.row_id = oldest.id
            and entry.action = 'create' and entry.caller = oldest.id and entry.client is null))
    ) on conflict do nothing`)
}

/** The current account; undefined where it is removed or unknown. */
async function findSeeded({ query }: Queries): Promise<SeededAccount | undefined> {
  const [account] = await query<SeededAccount>(sql`
    select account.login, account.password_hash as hash from users as account
    join seeded_account as seeded on seeded.user_id = account.id where account.active`)
  return account
}
