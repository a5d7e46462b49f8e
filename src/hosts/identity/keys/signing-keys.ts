import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { KeyKind, KeyRing } from './key-ring.ts'

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** As it is published. */
  readonly jwk: JWK
}

export type SigningKeys = KeyRing<SigningKey>

/** The contract's size; 3072 bits cost seven times as much to sign with. */
const modulusBits = 2048

export const signingKeyKind: KeyKind<SigningKey> = {
  purpose: 'signing',
  async generate() {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: modulusBits })
    return privateKey.export({ type: 'pkcs8', format: 'der' })
  },
  load: (id, der) => signingKeyOf(id, createPrivateKey({ key: der, type: 'pkcs8', format: 'der' })),
}

export function signingKeyOf(id: string, privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey)
  const { kty, n, e } = publicKey.export({ format: 'jwk' })
  return { id, privateKey, publicKey, jwk: { kty, n, e, kid: id, alg: 'RS256', use: 'sig' } as JWK }
}

/**
 * A JWS in its compact form (RFC 7515, 7.1). Node's own signing takes half the time of WebCrypto's; on another thread it takes no
 * more, and nobody else waits for it.
 */
export async function signToken(
  { id, privateKey }: SigningKey,
  type: string,
  claims: object,
): Promise<string> {
  const input = `${encode({ alg: 'RS256', typ: type, kid: id })}.${encode(claims)}`
  const signature = await signElsewhere('sha256', Buffer.from(input), privateKey)
  return `${input}.${signature.toString('base64url')}`
}

const signElsewhere = promisify<string, Buffer, KeyObject, Buffer>(sign)

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
