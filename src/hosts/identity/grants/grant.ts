import type { RequestOrigin } from '../../../model/caller.ts'
import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import type { Parameters } from '../parameters.ts'

/** One way to get tokens; the client has been authenticated and may use it. */
export type Grant = (
  identity: Identity,
  client: Client,
  parameters: Parameters,
  origin: RequestOrigin,
) => Promise<TokenAnswer>

/** RFC 6749, 5.1 and OpenID Connect Core, 3.1.3.3. */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token?: string
  readonly id_token?: string
  readonly scope: string
}
