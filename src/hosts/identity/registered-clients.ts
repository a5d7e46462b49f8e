import { type SigningAlgorithm, signingAlgorithms } from '../../authentication/access-token.ts'
import type { Settings } from '../../configuration/settings.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  clientScopesByDefault,
  mayReturnTo,
} from '../../model/registered-client.ts'
import { webClientId } from '../../model/web-client.ts'
import type { RegisteredClientSettings } from './clients.ts'

/** The same least length as for service clients: a shorter one could be guessed. */
export const secretCharactersMin = 32

/** Clients that sign people in: `Identity__Clients__{id}__…`. */
export function readRegisteredClients(
  settings: Settings,
  serviceClientIds: readonly string[],
): readonly RegisteredClientSettings[] {
  return settings.idsUnder('Identity__Clients').map((id) => {
    const name = `Identity__Clients__${id}`
    if (id === webClientId || serviceClientIds.includes(id))
      settings.refuse(`${name} has the id of another client.`)
    const proof = readProof(settings, name)
    const redirectUris = readAddresses(settings, `${name}__RedirectUris`)
    if (redirectUris.length === 0) settings.refuse(`${name}__RedirectUris__0 is required.`)
    return {
      id,
      name: readName(settings, `${name}__Name`, id),
      ...proof,
      scopes: readScopes(settings, `${name}__Scopes`),
      signingAlgorithm: readSigningAlgorithm(settings, name),
      redirectUris,
      postLogoutRedirectUris: readAddresses(settings, `${name}__PostLogoutRedirectUris`),
      isFirstParty: settings.flag(`${name}__FirstParty`, false),
    }
  })
}

/** How it shows that a code is its own. */
function readProof(settings: Settings, name: string) {
  const secret = settings.optionalText(`${name}__Secret`)
  if (secret !== undefined && secret.length < secretCharactersMin)
    settings.refuse(`${name}__Secret must have at least ${secretCharactersMin} characters.`)
  const requiresPkce = settings.flag(`${name}__RequirePkce`, true)
  if (!requiresPkce && secret === undefined)
    settings.refuse(`${name}__RequirePkce must be true for a client without a secret.`)
  return { secret, requiresPkce }
}

/** That of a client of whichever kind. */
export function readSigningAlgorithm(settings: Settings, name: string): SigningAlgorithm {
  const given = settings.text(`${name}__SigningAlgorithm`, 'RS256')
  const known = signingAlgorithms.find((algorithm) => algorithm === given)
  if (known === undefined)
    settings.refuse(`${name}__SigningAlgorithm must be one of ${signingAlgorithms.join(', ')}.`)
  if (given !== 'RS256' && !settings.flag('EXTENSIONS', true))
    settings.refuse(`${name}__SigningAlgorithm needs the extensions: leave it out, or set EXTENSIONS to on.`)
  return known ?? 'RS256'
}

function readName(settings: Settings, name: string, byDefault: string): string {
  const shown = settings.text(name, byDefault)
  if (shown.length > clientNameCharactersMax)
    settings.refuse(`${name} must have at most ${clientNameCharactersMax} characters.`)
  return shown
}

function readScopes(settings: Settings, name: string): readonly string[] {
  const given = settings.numbered(name)
  for (const scope of given.filter((scope) => !clientScopes.includes(scope)))
    settings.refuse(`${name} has ${scope}; a client can have ${clientScopes.join(', ')}.`)
  return given.length > 0 ? given : clientScopesByDefault
}

/** Kept letter for letter, because they are compared so. */
function readAddresses(settings: Settings, name: string): readonly string[] {
  return settings.numbered(name).filter((address) => {
    const isFit = mayReturnTo(address)
    if (!isFit)
      settings.refuse(
        `${name} has ${address}; it must be an http or https address, or one of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
      )
    return isFit
  })
}
