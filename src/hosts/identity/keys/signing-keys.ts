import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  hash,
  type KeyObject,
  type SignKeyObjectInput,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { SigningAlgorithm } from '../../../auth/access-token.ts'
import type { KeyKind, KeyRing } from './key-ring.ts'

export interface SigningKey {
  readonly id: string
  readonly algorithm: SigningAlgorithm
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** The public key as published. */
  readonly jwk: JWK
}

/** The keys for every algorithm that a client uses. */
export interface SigningKeys extends Pick<KeyRing<SigningKey>, 'all' | 'find' | 'refresh'> {
  current(algorithm: SigningAlgorithm): SigningKey
}

/** The contract's size. Signing with 3072 bits would take seven times as long. */
const modulusBits = 2048

const generatePair = promisify(generateKeyPair)

export const signingKeyKinds: Readonly<Record<SigningAlgorithm, KeyKind<SigningKey>>> = {
  RS256: createKeyKind('signing', () => generatePair('rsa', { modulusLength: modulusBits })),
  ES256: createKeyKind('signing-es256', () => generatePair('ec', { namedCurve: 'P-256' })),
}

function createKeyKind(
  purpose: KeyKind<SigningKey>['purpose'],
  generate: () => Promise<{ readonly privateKey: KeyObject }>,
): KeyKind<SigningKey> {
  return {
    purpose,
    generate: async () => (await generate()).privateKey.export({ type: 'pkcs8', format: 'der' }),
    load: (id, der) => signingKeyOf(id, createPrivateKey({ key: der, type: 'pkcs8', format: 'der' })),
  }
}

export function signingKeyOf(id: string, privateKey: KeyObject): SigningKey {
  const algorithm = privateKey.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256'
  const publicKey = createPublicKey(privateKey)
  const jwk: JWK = { ...publicKey.export({ format: 'jwk' }), kid: id, alg: algorithm, use: 'sig' }
  return { id, algorithm, privateKey, publicKey, jwk }
}

/** A token names only a key id, so `find` searches every ring. */
export const joinRings = (
  first: KeyRing<SigningKey>,
  others: ReadonlyMap<SigningAlgorithm, KeyRing<SigningKey>>,
): SigningKeys => {
  const rings = [first, ...others.values()]
  return {
    current: (algorithm) => (others.get(algorithm) ?? first).current(),
    all: () => rings.flatMap((ring) => ring.all()),
    async find(id) {
      for (const ring of rings) {
        const key = await ring.find(id)
        if (key) return key
      }
      return undefined
    },
    async refresh() {
      for (const ring of rings) await ring.refresh()
    },
  }
}

/**
 * Returns a JWS in its compact form (RFC 7515, 7.1). Signing with `node:crypto` takes half the time of
 * WebCrypto. The signing runs in the thread pool, where it blocks no other request.
 */
export async function signToken(
  { id, algorithm, privateKey }: SigningKey,
  type: string,
  claims: object,
): Promise<string> {
  const input = `${encode({ alg: algorithm, typ: type, kid: id })}.${encode(claims)}`
  // RFC 7518, 3.4 requires this encoding of ECDSA signatures. It has no effect on RSA.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  const signature = await signInThreadPool('sha256', Buffer.from(input), key)
  return `${input}.${signature.toString('base64url')}`
}

const signInThreadPool = promisify<string, Buffer, SignKeyObjectInput, Buffer>(sign)

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns the ring of `Jwt__SigningPrivateKey`. It has a single key, which the operator manages. */
export function pinnedKeyRing(privateKey: KeyObject): KeyRing<SigningKey> {
  const key = signingKeyOf(thumbprintOf(privateKey), privateKey)
  return {
    current: () => key,
    all: () => [key],
    find: async (id) => (id === key.id ? key : undefined),
    refresh: async () => undefined,
  }
}

const modulusBitsMin = 2048

/**
 * Returns undefined unless the key is suitable for RS256. Environment files often have line ends written as
 * `\n`.
 */
export function parsePinnedKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    const isSuitable =
      key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= modulusBitsMin
    return isSuitable ? key : undefined
  } catch {
    return undefined
  }
}

/** RFC 7638: every instance derives the same id from the same key. */
function thumbprintOf(privateKey: KeyObject): string {
  const { e, kty, n }: SigningKey['jwk'] = signingKeyOf('', privateKey).jwk
  return hash('sha256', JSON.stringify({ e, kty, n }), 'base64url')
}
