import type { Identity } from '../identity.ts'
import type { Endpoint } from '../route.ts'

/** Far less than the day by which a successor is announced. */
const maxAgeSeconds = 5 * 60

/** RFC 7517, 5: public keys only. */
export const jwks =
  ({ signingKeys }: Identity): Endpoint =>
  async () => ({ body: { keys: signingKeys.all().map(({ jwk }) => jwk) }, maxAgeSeconds })
