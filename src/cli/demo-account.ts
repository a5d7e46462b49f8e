import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreSettings } from '../configuration/store-settings.ts'
import { Problem } from '../model/problem.ts'
import { create } from '../operations/create.ts'
import type { Tracker } from '../operations/tracker.ts'
import { user } from '../resources/user.ts'
import { newId } from '../store/new-id.ts'
import { sql } from '../store/sql.ts'

export interface DemoAccount {
  readonly id: string
  readonly login: string
  readonly isNew: boolean
  /** Told once, when it was generated just now. */
  readonly generatedPassword: string | undefined
  /** Where a generated password is kept. */
  readonly passwordFile: string | undefined
}

/** An empty store gets the demo account: without it nobody could sign in to create the first one. */
export async function seedDemoAccount(tracker: Tracker, settings: StoreSettings): Promise<DemoAccount> {
  const { demoLogin: login, demoPassword, dataDirectory } = settings
  const file = join(dataDirectory, 'demo-password')
  const [anybody] = await tracker.database.query(sql`select 1 from users limit 1`)
  const generated = anybody || demoPassword ? undefined : generatePassword()
  const id = newId()
  const isNew = !anybody && (await createAccount(tracker, id, login, demoPassword ?? generated ?? ''))
  if (isNew && generated) await keepPassword(dataDirectory, file, generated)
  return {
    id,
    login,
    isNew,
    generatedPassword: isNew ? generated : undefined,
    passwordFile: demoPassword === undefined && existsSync(file) ? file : undefined,
  }
}

/** False when another instance that started at the same moment was first. */
async function createAccount(
  tracker: Tracker,
  id: string,
  login: string,
  password: string,
): Promise<boolean> {
  try {
    await create(tracker, user, { id, isAdministrator: true }, { id, name: 'Demo', login, password })
    return true
  } catch (error) {
    if (error instanceof Problem && error.kind === 'duplicate') return false
    if (error instanceof Problem && error.errors) {
      throw new Error(`SVC_DEMO_LOGIN or SVC_DEMO_PASSWORD: ${Object.values(error.errors).flat().join(' ')}`)
    }
    throw error
  }
}

/** 96 bits of chance, with one of each kind of character that the password policy wants. */
const generatePassword = (): string => `${randomBytes(12).toString('base64url')}-aA1`

async function keepPassword(folder: string, file: string, password: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file, `${password}\n`, { mode: 0o600 })
}
