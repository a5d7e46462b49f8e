import { percentEncodingAdvice } from '../../config/store-settings.ts'

/** One line of the doctor's report. */
export interface Finding {
  readonly subject: string
  readonly result: string
  /** An `error` breaks the system now or later. A `warning` may be intended. */
  readonly severity: 'ok' | 'warning' | 'error'
  readonly advice?: string
}

export const ok = (subject: string, result: string): Finding => ({ subject, result, severity: 'ok' })
export const warning = (subject: string, result: string, advice: string): Finding => ({
  subject,
  result,
  severity: 'warning',
  advice,
})
export const error = (subject: string, result: string, advice: string): Finding => ({
  subject,
  result,
  severity: 'error',
  advice,
})

/**
 * Returns advice for operators about an error of the store at DATABASE_URL, or undefined. Recognizes codes and
 * texts, because an error that another process reports has no code. Codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function adviceOn(error: unknown): string | undefined {
  const { code = '' } = error as { readonly code?: string }
  const text = `${code} ${errorText(error)}`
  return errorsWithAdvice.find(({ pattern }) => pattern.test(text))?.advice
}

/** Returns the message. If a name has several addresses, the message has the error of each address. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorText).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** The first match counts. Poolers report errors of their own, mostly with the code 08P01. */
const errorsWithAdvice: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    pattern: /^28P01|password authentication failed|SASL|no such user/,
    advice: `Check user and password in DATABASE_URL. If a pooler is in front of PostgreSQL, its list of users needs the new password as well: docs/deployment.md, Poolers. ${percentEncodingAdvice}.`,
  },
  {
    pattern: /^3D000|no such database/,
    advice: 'Check the name of the database in DATABASE_URL, or create the database.',
  },
  {
    pattern: /^42501|permission denied (for|to) /,
    advice:
      'The role of DATABASE_URL lacks this right. Each host needs its own role, such as tracker_rest, after `npm run cli -- prepare` has migrated and set its rights; prepare itself, backup and restore need the role that owns the schema, such as tracker_migrations.',
  },
  {
    pattern: /not support SSL|client certificate|^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS|ERR_SSL)/,
    advice:
      'Check sslmode, sslrootcert, sslcert and sslkey in DATABASE_URL: docs/deployment.md, TLS to PostgreSQL.',
  },
  {
    pattern: /^28000/,
    advice: 'Check the user in DATABASE_URL, and the lines for it in pg_hba.conf of the server.',
  },
  {
    pattern: /^53300|too many clients|too many connections/,
    advice:
      'Raise max_connections of the server, or lower DB_CONNECTIONS of the hosts: docs/availability.md, Connections.',
  },
  {
    pattern: /statement pooling mode/,
    advice:
      'The pooler in front of the database allows no transactions: set pool_mode = transaction or session there.',
  },
  {
    pattern: /unsupported startup parameter/,
    advice:
      'The pooler in front of the database accepts no startup options: remove `options` from DATABASE_URL; a role can have settings (alter role … set …).',
  },
  {
    pattern: /server_login_retry|server login failed|pgbouncer cannot connect/,
    advice:
      'The pooler in front of the database does not reach PostgreSQL: start it, or see the log of the pooler.',
  },
  {
    pattern: /timeout expired|read timeout|connection timeout|query_wait_timeout|ETIMEDOUT/i,
    advice:
      'Check host and port in DATABASE_URL, and that PostgreSQL is running. If a pooler is in front of it, its log says whether it reaches PostgreSQL; if it does, raise default_pool_size: docs/deployment.md, Poolers.',
  },
  {
    pattern:
      /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|connect (ENOENT|EACCES)|Connection terminated|57P0/,
    advice: 'Check host and port in DATABASE_URL, and that PostgreSQL is running.',
  },
]
