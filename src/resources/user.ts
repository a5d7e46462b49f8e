import { type Passwords, whyGuessable } from '../accounts/passwords.ts'
import { invalidateAccounts } from '../accounts/sessions.ts'
import type { Queries } from '../db/database.ts'
import { loginTaken } from '../db/failures.ts'
import type { Row, Values } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { administratorsOnly, colleagues } from '../model/access-rule.ts'
import { required, requiredOnCreate, secret } from '../model/field.ts'
import { newPassword, text } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import { loginCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource, type ListedResource } from './define-resource.ts'

export const user = defineResource({
  name: 'user',
  edition: 'v1',
  table: 'users',
  about: 'An account, which only administrators see and change.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The display name.',
      example: 'Ann Example',
    }),
    login: requiredOnCreate(3, text({ max: loginCharactersMax }), {
      about: 'The sign-in name, unique among active accounts regardless of case.',
      example: 'ann@example.com',
    }),
    password: secret(requiredOnCreate(4, newPassword, { about: 'The password, which no answer contains.' })),
  },
  access: administratorsOnly,
  unique: { index: 'users_login_active', problem: loginTaken },
  checks: [rejectGuessablePassword],
  hooks: {
    prepare: hashPassword,
    beforeUpdate: rejectStoredLoginAsPassword,
    afterUpdate: endSessionsWhenCredentialsChange,
    afterRemove: revokeAccess,
  },
})

/** The password itself is never stored. */
async function hashPassword({ password, ...rest }: Values, passwords: Passwords): Promise<Values> {
  return typeof password === 'string' ? { ...rest, passwordHash: await passwords.hash(password) } : rest
}

/**
 * Ends the sessions and revokes the administrator role. The role is not restored with the user, because
 * administrators cannot see or revoke it in the meantime.
 */
async function revokeAccess(transaction: Queries, userIds: readonly string[]): Promise<void> {
  await invalidateAccounts(transaction, userIds)
  await transaction.query(sql`delete from administrators where user_id = any(${userIds}::uuid[])`)
}

async function endSessionsWhenCredentialsChange(
  transaction: Queries,
  before: Row,
  after: Row,
  { passwordHash }: Values,
) {
  if (passwordHash !== undefined || before.login !== after.login)
    await invalidateAccounts(transaction, [after.id])
}

/** Also compares the password with the login, if the same body has one. */
function rejectGuessablePassword({ password, login }: { password?: string; login?: string }) {
  const problem = password === undefined ? undefined : whyGuessable(password, login)
  return problem === undefined ? undefined : { password: [`Password ${problem}.`] }
}

function rejectStoredLoginAsPassword(before: Row, { password, login }: Values) {
  if (typeof password !== 'string' || login !== undefined) return
  const errors = rejectGuessablePassword({ password, login: String(before.login) })
  if (errors) throw invalid(errors)
}

/** An account as its colleagues see it. It has no login, so no list can show, search or sort by one. */
export const person: ListedResource = {
  name: 'person',
  edition: 'ext',
  shownIn: 'ext',
  plural: 'people',
  title: 'Person',
  pluralTitle: 'People',
  typeName: 'Person',
  pluralTypeName: 'People',
  pluralNoun: 'people',
  table: 'users',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The display name.',
      example: 'Ann Example',
    }),
  },
  columns: ['id', 'name'],
  access: colleagues,
  filters: [],
  fixedSortColumn: 'name',
}
