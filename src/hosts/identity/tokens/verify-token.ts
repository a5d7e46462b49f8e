import { errors, type JWTPayload, jwtVerify } from 'jose'
import {
  accessTokenType,
  clockSkewSeconds,
  isWithinLifetime,
  signingAlgorithms,
} from '../../../authentication/access-token.ts'
import type { Identity } from '../identity.ts'

/** The claims of an access token that this provider signed and that has not expired; the session is another question. */
export async function verifyAccessToken(identity: Identity, token: string): Promise<JWTPayload | undefined> {
  const now = identity.now()
  const payload = await verifyToken(identity, token, accessTokenType, new Date(now))
  return payload && isWithinLifetime(payload, now) ? payload : undefined
}

/** The claims of an identity token, however old: as a hint it only says who is meant (OpenID Connect Core, 3.1.2.1). */
export const readTokenHint = (identity: Identity, token: string): Promise<JWTPayload | undefined> =>
  verifyToken(identity, token, 'JWT', new Date(0))

async function verifyToken(
  { settings, signingKeys }: Identity,
  token: string,
  typ: string,
  currentDate: Date,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = '', alg }) => {
        const key = await signingKeys.find(kid)
        if (key?.algorithm !== alg) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      {
        algorithms: [...signingAlgorithms],
        typ,
        issuer: settings.issuer,
        currentDate,
        clockTolerance: clockSkewSeconds,
      },
    )
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
