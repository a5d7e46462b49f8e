import { accountTable, changePassword, passwordChangeKey } from '../accounts/change-password.ts'
import type { Lockouts } from '../accounts/lockouts.ts'
import { selectColumns } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import { updateRow } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { newPassword, passwordCharactersMax, text, uuid } from '../model/field-kinds.ts'
import { changed, parseFields, unauthenticated } from '../model/problem.ts'
import { nameCharactersMax } from '../model/text.ts'
import { etagOfBody, matchesIfMatch, type Route } from '../routes/route.ts'
import { ref, timestamp } from '../routes/schemas.ts'

const base = { tag: 'Account', path: '/api/me' }

export const accountSchemas: Readonly<Record<string, Schema>> = {
  Account: {
    type: 'object',
    required: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      name: { type: 'string', description: 'The display name.', examples: ['Ann Example'] },
      login: { type: 'string', description: 'The sign-in name.', examples: ['ann@example.com'] },
      createdAt: { ...timestamp, description: 'The time it was created.' },
      updatedAt: {
        ...timestamp,
        type: ['string', 'null'],
        description: 'The time of the last change; null if there was none.',
      },
    },
  },
  AccountUpdate: {
    type: 'object',
    required: ['name'],
    properties: {
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'The new display name.',
        examples: ['Ann Example'],
      },
    },
  },
  PasswordChange: {
    type: 'object',
    required: ['currentPassword', 'newPassword'],
    properties: {
      currentPassword: {
        type: 'string',
        format: 'password',
        minLength: 1,
        maxLength: passwordCharactersMax,
        writeOnly: true,
        description: 'The password to be replaced.',
        examples: ['Correct-horse-7'],
      },
      newPassword: { ...newPassword.schema, examples: ['Battery-staple-8'] },
    },
  },
}

/** Routes about the account of the token. A body cannot name another account. */
export const accountRoutes = (lockouts: Lockouts): Route[] => [
  {
    ...base,
    id: 'GetOwnAccount',
    summary: 'Shows the caller’s account.',
    description: 'The account of the token; for a service client, the account that it acts as.',
    method: 'GET',
    response: ref('Account'),
    errors: [],
    hasETag: true,
    acceptsPersonalAccessTokens: true,
    async handle({ context, caller, reply }) {
      const body = await readOwnAccount(context.database, caller)
      reply.header('etag', etagOfBody(caller, body)).header('cache-control', 'private, no-cache')
      return { body }
    },
  },
  {
    ...base,
    id: 'UpdateOwnAccount',
    summary: 'Changes the caller’s name.',
    description: 'Only the name can be changed here. Administrators change logins.',
    method: 'PATCH',
    body: ref('AccountUpdate'),
    response: ref('Success'),
    hasPrecondition: true,
    errors: [400, 412],
    async handle(exchange) {
      const { context, caller, request } = exchange
      await renameOwnAccount(context.database, caller, request.body, (account) =>
        matchesIfMatch(exchange, account),
      )
      return { body: { success: true } }
    },
  },
  {
    ...base,
    path: '/api/me/password',
    id: 'ChangeOwnPassword',
    requiresPasswords: true,
    summary: 'Changes the caller’s password and ends every session of the account.',
    description:
      'After five wrong current passwords, the password cannot be changed for a quarter of an hour. After a change, every token of the account stops working, including the one of this request.',
    method: 'POST',
    body: ref('PasswordChange'),
    response: ref('Success'),
    errors: [400],
    // Checked before the rest of the request, so that a locked account gets this error for every request.
    admit: (caller) => lockouts.requireUnlocked(passwordChangeKey(caller)),
    async handle({ context, caller, request }) {
      // The lockouts write outside of the transaction: a rejected change must not undo the count of wrong
      // passwords.
      await changePassword({ ...context, lockouts }, caller, request.body)
      return { body: { success: true } }
    },
  },
]

export interface OwnAccount {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly createdAt: string
  readonly updatedAt: string | null
}

export async function readOwnAccount(database: Database, caller: Caller): Promise<OwnAccount> {
  const [account] = await database.query<OwnAccount>(
    sql`select ${selectColumns(accountTable)} from users as row where id = ${caller.id} and active`,
  )
  if (!account) throw unauthenticated()
  return account
}

/** Locks the row, and rejects the change unless `isExpected` returns true for it. */
export async function renameOwnAccount(
  database: Database,
  caller: Caller,
  body: unknown,
  isExpected: (account: OwnAccount) => boolean = () => true,
): Promise<void> {
  const { name } = parseFields(body, { name: text({ max: nameCharactersMax }) })
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query<OwnAccount>(
      sql`select ${selectColumns(accountTable)} from users as row where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    if (!isExpected(account)) throw changed('Account')
    await updateRow(transaction, accountTable, caller, caller.id, { name })
  })
}
