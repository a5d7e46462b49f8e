import { createHash, randomBytes } from 'node:crypto'

/** Codes and refresh tokens: 256 random bits, of which the store keeps only the hash. */
export interface OpaqueToken {
  readonly token: string
  readonly id: Buffer
}

export function createOpaqueToken(): OpaqueToken {
  const token = randomBytes(32).toString('base64url')
  return { token, id: opaqueTokenId(token) }
}

export const opaqueTokenId = (token: string): Buffer => createHash('sha256').update(token).digest()
