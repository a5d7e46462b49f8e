import type { Account } from '../accounts.ts'
import type { Client } from '../clients.ts'

/**
 * What a client learns of a person, by scope (OpenID Connect Core, 5.4), in the identity token and at userinfo. The web
 * client gets what the contract says. A login need not be a mail address, and none has been verified.
 */
export const personClaims = (
  { name, login }: Account,
  client: Client | undefined,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> => ({
  ...(scopes.includes('profile') && { name, ...(client?.registration && { preferred_username: login }) }),
  ...(scopes.includes('email') && mailPattern.test(login) && { email: login, email_verified: false }),
})

const mailPattern = /^[^\s@]+@[^\s@]+$/
