import { once } from 'node:events'
import { connect } from 'node:tls'
import { fetchProviderKeys, WrongIssuerError } from '../../auth/provider-keys.ts'
import { type Environment, readSettings } from '../../config/settings.ts'
import { readTrackerSettings, type TrackerSettings } from '../../config/tracker-settings.ts'
import { error, type Finding, ok, warning } from './finding.ts'

/** Checks the addresses that hosts and browsers call: who issues the tokens, and the certificates. */
export async function checkAddresses(environment: Environment): Promise<readonly Finding[]> {
  const { tracker, apiUrl } = readSettings(environment, (settings) => ({
    tracker: readTrackerSettings(settings),
    apiUrl: settings.get('WEB_API_URL'),
  }))
  const { issuer, metadataAddress, allowedOrigins } = tracker
  const addresses = [issuer, metadataAddress, ...allowedOrigins, ...(apiUrl === undefined ? [] : [apiUrl])]
  const secure = new Set(
    addresses
      .map((address) => new URL(address))
      .flatMap(({ protocol, host }) => (protocol === 'https:' ? [host] : [])),
  )
  return Promise.all([checkIssuer(tracker), ...[...secure].map(checkCertificate)])
}

/** REST and commands are not ready before they have read this document, and accept tokens of its issuer only. */
async function checkIssuer({
  issuer,
  metadataAddress,
}: Pick<TrackerSettings, 'issuer' | 'metadataAddress'>): Promise<Finding> {
  try {
    await fetchProviderKeys(metadataAddress, issuer)
    return ok('issuer', `${metadataAddress} answers with the keys of ${issuer}`)
  } catch (cause) {
    const { message, cause: reason } = cause as Error & { readonly cause?: NodeJS.ErrnoException }
    if (cause instanceof WrongIssuerError)
      return error(
        'issuer',
        message,
        'Set Jwt__Issuer of every host to the issuer in that document, or Jwt__MetadataAddress to the document of the issuer.',
      )
    return warning(
      'issuer',
      `${metadataAddress} cannot be read: ${reason?.message || reason?.code || message}`,
      'Start the identity host, or set Jwt__MetadataAddress to where this machine reaches it; for a certificate of your own authority, set NODE_EXTRA_CA_CERTS. Until then, REST and commands are not ready.',
    )
  }
}

const answerMilliseconds = 5000

async function checkCertificate(host: string): Promise<Finding> {
  const { hostname, port } = new URL(`https://${host}`)
  const servername = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    ...{ host: servername, port: Number(port || 443), rejectUnauthorized: false },
    // A name is required to choose the certificate, and an address is not a name.
    ...(!/^[\d.]+$|:/.test(servername) && { servername }),
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(answerMilliseconds) })
    const { valid_to: validTo } = socket.getPeerCertificate()
    const daysLeft = (Date.parse(validTo) - Date.now()) / (24 * 60 * 60_000)
    return gradeCertificate(host, daysLeft, socket.authorized ? undefined : String(socket.authorizationError))
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    return warning(
      'certificate',
      `${host} cannot be reached: ${message || code}`,
      'Check its proxy, or run the doctor where this address can be reached.',
    )
  } finally {
    socket.destroy()
  }
}

/** A renewal a month before the end has failed repeatedly by then. */
const daysLeftGood = 21
const daysLeftMin = 7

/** `distrust` is the reason for which this machine does not trust the certificate. */
export function gradeCertificate(host: string, daysLeft: number, distrust: string | undefined): Finding {
  if (daysLeft > 0 && distrust !== undefined)
    return error(
      'certificate',
      `that of ${host} is not trusted on this machine: ${distrust}`,
      'Set NODE_EXTRA_CA_CERTS to the certificate of your own authority, for every host that calls this address; check the names in the certificate.',
    )
  const result = `that of ${host} ${daysLeft < 0 ? 'has ended' : `is valid for ${daysLeft < 2 ? `${Math.floor(daysLeft * 24)} hours` : `${Math.floor(daysLeft)} days`}`}`
  if (daysLeft >= daysLeftGood) return ok('certificate', result)
  const advice = 'Renew it, and reload the proxy that serves it.'
  return daysLeft < daysLeftMin
    ? error('certificate', result, advice)
    : warning('certificate', result, advice)
}
