import type { JSONWebKeySet } from 'jose'

/** A provider on the same machine answers in milliseconds; a request that waits for keys must not wait for ever. */
const fetchSecondsMax = 5

/** Reads where the keys are from the discovery document, then the keys. */
export async function fetchProviderKeys(metadataAddress: string, issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchObject(metadataAddress)
  if (metadata.issuer !== issuer) {
    throw new Error(`${metadataAddress} speaks for the issuer ${String(metadata.issuer)}, not for ${issuer}.`)
  }
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${metadataAddress} names no jwks_uri.`)
  // What else the set may be is checked where it is used.
  const keysAddress = onTheSameWay(metadata.jwks_uri, metadataAddress, issuer)
  return (await fetchObject(keysAddress)) as unknown as JSONWebKeySet
}

const discoveryPath = '/.well-known/openid-configuration'

/** A provider names its public address; a host that is given another way to it takes that way to its keys too. */
function onTheSameWay(keysAddress: string, metadataAddress: string, issuer: string): string {
  const isBelowIssuer = keysAddress.startsWith(`${issuer}/`) && metadataAddress.endsWith(discoveryPath)
  if (!isBelowIssuer) return keysAddress
  return metadataAddress.slice(0, -discoveryPath.length) + keysAddress.slice(issuer.length)
}

async function fetchObject(address: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchSecondsMax * 1000),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`${address} answered ${response.status}.`)
  }
  const body: unknown = await response.json()
  if (typeof body !== 'object' || body === null) throw new Error(`${address} answered no JSON object.`)
  return body as Record<string, unknown>
}
