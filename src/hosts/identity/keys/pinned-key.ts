import { createPrivateKey, hash, type KeyObject } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import { type SigningKey, signingKeyOf } from './signing-keys.ts'

/** Jwt__SigningPrivateKey: a single key managed by the operator, which replaces the ring. */
export function pinnedKeys(privateKey: KeyObject): KeyRing<SigningKey> {
  const key = signingKeyOf(thumbprintOf(privateKey), privateKey)
  return {
    current: () => key,
    all: () => [key],
    find: async (id) => (id === key.id ? key : undefined),
    refresh: async () => undefined,
  }
}

const modulusBitsMin = 2048

/** Undefined unless it is an RSA key suitable for RS256. Environment files often write line ends as `\n`. */
export function readPinnedKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    const isFit =
      key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= modulusBitsMin
    return isFit ? key : undefined
  } catch {
    return undefined
  }
}

/** RFC 7638: the same key has the same id on every instance without storing one. */
function thumbprintOf(privateKey: KeyObject): string {
  const { e, kty, n }: SigningKey['jwk'] = signingKeyOf('', privateKey).jwk
  return hash('sha256', JSON.stringify({ e, kty, n }), 'base64url')
}
