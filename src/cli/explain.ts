import { resolve, sep } from 'node:path'
import { declaredSettings } from '../config/declared-settings.ts'
import type { Environment } from '../config/settings.ts'
import { adviceOn, textOf } from '../db/failures.ts'
import { Problem } from '../model/problem.ts'

/** The sentences that end a command: what has happened, and what to do about it if the error itself does not say so. */
export function explain(error: unknown, environment: Environment): string {
  if (error instanceof Problem && error.errors) return Object.values(error.errors).flat().join('\n')
  const text = textOf(error)
  const { DATABASE_URL, DATABASE_URL_FILE } = environment
  const advice =
    adviceOnFolder(error, environment) ?? (DATABASE_URL || DATABASE_URL_FILE ? adviceOn(error) : undefined)
  return advice === undefined ? text : `${text.replace(/\.$/, '')}. ${advice}`
}

const notWritableCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']

/** Secrets are in the data folder even if the store is not. */
function adviceOnFolder(error: unknown, { DATA_DIR }: Environment): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (path === undefined || !notWritableCodes.includes(code)) return undefined
  const [folder, failed] = [
    resolve(DATA_DIR?.trim() || declaredSettings.DATA_DIR.defaultValue),
    resolve(path),
  ]
  // Creating the folder fails at the first parent that is missing.
  if (!`${failed}${sep}`.startsWith(`${folder}${sep}`) && !`${folder}${sep}`.startsWith(`${failed}${sep}`))
    return undefined
  return `Set DATA_DIR (${folder}) to a folder that this user may write to; a store elsewhere needs DATABASE_URL.`
}
