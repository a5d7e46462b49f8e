import { isAccountDeactivatedSql } from '../../../accounts/sign-in.ts'
import { sql } from '../../../db/sql.ts'
import { forbidden, invalid } from '../../../model/problem.ts'
import { collectUuids } from '../../../records/list-query.ts'
import { type Call, type Endpoint, type Identity, singleParameters } from '../core/endpoint.ts'
import { bearerSecurity, jsonResponse, object, required, uuidSchema } from '../core/operation-parts.ts'
import { type Account, accountColumns } from '../core/sessions.ts'
import { mustHaveFactor, requireWebClientSession } from '../factors/account-factors.ts'

/** The common properties of both endpoints. */
const administrationOperation = { tag: 'Administration', method: 'GET', errors: [400, 401, 403] } as const

async function requireAdministrator(identity: Identity, call: Call): Promise<void> {
  const session = await requireWebClientSession(identity, call)
  if (!identity.administrators.isAdministrator(session))
    throw forbidden('Only administrators may view the accounts and the sign-in policy.')
}

/** A screen shows no more accounts at once. */
const accountIdsMax = 100

interface AccountOverview extends Account {
  readonly isDeactivated: boolean
  readonly hasFactor: boolean
  readonly lastSignInAt: string | null
}

export const listAccounts: Endpoint = {
  ...administrationOperation,
  id: 'ListAccounts',
  summary: 'Returns the role, the second factor, and the last sign-in of accounts. For administrators only.',
  description: 'Requires an access token of the web client. Removed and unknown accounts are left out.',
  path: '/ext/accounts',
  security: bearerSecurity,
  parameters: [required('ids', `The ids of up to ${accountIdsMax} accounts, separated by commas.`)],
  ...jsonResponse(
    'AccountList',
    object({
      accounts: {
        type: 'array',
        maxItems: accountIdsMax,
        description: 'The requested accounts, sorted by id.',
        items: object({
          userId: { ...uuidSchema, description: 'The account.' },
          isAdministrator: { type: 'boolean', description: 'Whether the account is an administrator.' },
          hasRole: {
            type: 'boolean',
            description:
              'Whether another administrator or the operator granted the role; false if only the settings do.',
          },
          isDeactivated: { type: 'boolean', description: 'Whether the account may not sign in.' },
          hasFactor: { type: 'boolean', description: 'Whether the account has a second factor.' },
          mustHaveFactor: { type: 'boolean', description: 'Whether the policy requires a second factor.' },
          lastSignInAt: {
            type: ['string', 'null'],
            format: 'date-time',
            description: 'The time of the last sign-in; null if there was none.',
          },
        }),
      },
    }),
  ),
  createHandler: (identity) => async (call) => {
    await requireAdministrator(identity, call)
    const accounts = await identity.database.query<AccountOverview>(sql`
      select ${accountColumns}, ${isAccountDeactivatedSql} as "isDeactivated",
        exists (select from authenticator_apps where user_id = account.id)
          or exists (select from passkeys where user_id = account.id) as "hasFactor",
        (select at from last_sign_ins where user_id = account.id) as "lastSignInAt"
      from users as account where account.id = any(${parseIds(call)}::uuid[]) and account.active
      order by account.id`)
    return {
      body: {
        accounts: accounts.map((account) => ({
          userId: account.accountId,
          isAdministrator: identity.administrators.isAdministrator(account),
          hasRole: account.hasRole,
          isDeactivated: account.isDeactivated,
          hasFactor: account.hasFactor,
          mustHaveFactor: mustHaveFactor(identity, account),
          lastSignInAt: account.lastSignInAt,
        })),
      },
    }
  },
}

function parseIds({ parameters }: Call): readonly string[] {
  const { distinct, areAllUuids } = collectUuids((singleParameters(parameters).ids ?? '').split(','))
  if (!areAllUuids) throw invalid({ ids: ['Ids must contain UUIDs only.'] })
  if (distinct.length > accountIdsMax)
    throw invalid({ ids: [`Ids must contain at most ${accountIdsMax} UUIDs.`] })
  return distinct
}

export const showSignInPolicy: Endpoint = {
  ...administrationOperation,
  id: 'ShowSignInPolicy',
  summary: 'Returns how users may sign in, and the setting that decides each rule. For administrators only.',
  description:
    'Requires an access token of the web client. Operators change the settings of the host; secrets are not returned.',
  path: '/ext/sign-in-policy',
  security: bearerSecurity,
  ...jsonResponse(
    'SignInPolicy',
    object({
      rules: {
        type: 'array',
        description: 'Always the same rules, in the same order.',
        items: object({
          name: {
            type: 'string',
            enum: [
              'passwords',
              'secondFactor',
              'passkeyDomain',
              'inactivityMinutes',
              'loginsAreVerified',
              'mail',
              'administrators',
            ],
            description: 'The rule.',
          },
          value: {
            type: ['string', 'integer', 'boolean', 'null'],
            description: 'Its value; null if it is not set.',
          },
          setting: { type: 'string', description: 'The setting that decides the rule.' },
        }),
      },
      providers: {
        type: 'array',
        description: 'External providers, in the order of the settings.',
        items: object({
          id: { type: 'string', description: 'The id in the names of its settings.', examples: ['corp'] },
          name: { type: 'string', description: 'The name shown to users.', examples: ['Corporate'] },
          issuer: { type: 'string', description: 'Its address.', examples: ['https://id.example.com'] },
          createAccounts: {
            type: 'boolean',
            description: 'Whether the first sign-in of a new user creates an account.',
          },
          linkByVerifiedEmail: {
            type: 'boolean',
            description:
              'Whether the first sign-in connects the account whose login is the verified address.',
          },
          setting: { type: 'string', description: 'The setting that adds the provider.' },
        }),
      },
    }),
  ),
  createHandler: (identity) => async (call) => {
    await requireAdministrator(identity, call)
    return { body: policyOf(identity) }
  },
}

function policyOf({ settings, providers }: Identity) {
  const rules = [
    { name: 'passwords', value: settings.passwords, setting: 'Identity__Passwords' },
    { name: 'secondFactor', value: settings.secondFactor, setting: 'Identity__SecondFactor' },
    { name: 'passkeyDomain', value: settings.passkeys?.domain ?? null, setting: 'Identity__PasskeyDomain' },
    { name: 'inactivityMinutes', value: settings.inactivityMinutes, setting: 'Identity__InactivityMinutes' },
    { name: 'loginsAreVerified', value: settings.loginsAreVerified, setting: 'Identity__LoginsAreVerified' },
    { name: 'mail', value: settings.isMailConfigured, setting: 'SMTP_URL' },
    // Only their number, because logins are personal data.
    { name: 'administrators', value: settings.adminLogins.length, setting: 'SVC_ADMIN_LOGINS' },
  ]
  return {
    rules,
    providers: [...providers.values()].map(({ id, name, issuer, createAccounts, linkByVerifiedEmail }) => ({
      id,
      name,
      issuer,
      createAccounts,
      linkByVerifiedEmail,
      setting: `Identity__Providers__${id}__Issuer`,
    })),
  }
}
