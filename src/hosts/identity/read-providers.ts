import type { Settings } from '../../config/settings.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import type { ProviderSettings } from './values/settings.ts'

/** A page has no room for more buttons. */
const providersMax = 10
const nameCharactersMax = 100
/** The id is part of addresses. */
const idPattern = /^[a-z\d][\w-]{0,39}$/i

/** `Identity__Providers__{id}__…` */
export function readProviders(settings: Settings): readonly ProviderSettings[] {
  const ids = settings.ids('Identity__Providers')
  if (ids.length > providersMax)
    settings.reject(`Identity__Providers can have at most ${providersMax} of them.`)
  // Paths are case-insensitive, and each provider needs its own.
  if (new Set(ids.map((id) => id.toLowerCase())).size < ids.length)
    settings.reject('Identity__Providers must have ids that differ in more than capitals.')
  return ids.map((id) => readProvider(settings, id))
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const name = `Identity__Providers__${id}`
  if (!idPattern.test(id)) settings.reject(`${name} must be named with at most 40 letters, digits, - and _.`)
  const shownName = settings.of('Identity__Providers__{id}__Name', id) ?? id
  if (shownName.length > nameCharactersMax)
    settings.reject(`${name}__Name must have at most ${nameCharactersMax} characters.`)
  const clientId = settings.of('Identity__Providers__{id}__ClientId', id)
  if (clientId === '') settings.reject(`${name}__ClientId is required: what the provider calls this service.`)
  const linkByVerifiedEmail = settings.of('Identity__Providers__{id}__LinkByVerifiedEmail', id)
  const createAccounts = settings.of('Identity__Providers__{id}__CreateAccounts', id)
  return {
    id,
    name: shownName,
    issuer: readIssuer(settings, id),
    clientId,
    clientSecret: settings.of('Identity__Providers__{id}__ClientSecret', id),
    scopes: readScopes(settings, id),
    linkByVerifiedEmail,
    createAccounts,
    defaultProject: readProject(settings, id, createAccounts),
    trustsAddresses: settings.of('Identity__Providers__{id}__TrustAddresses', id),
    signsOut: settings.of('Identity__Providers__{id}__SignOut', id),
    hosts: settings.of('Identity__Providers__{id}__Hosts', id),
  }
}

const issuerCharactersMax = 500

function readIssuer(settings: Settings, id: string): string {
  const issuer = settings.of('Identity__Providers__{id}__Issuer', id)
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isFit =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    !issuer.includes('/.well-known/') &&
    issuer.length <= issuerCharactersMax
  if (!isFit)
    settings.reject(
      `Identity__Providers__${id}__Issuer must be the address of an OpenID Connect provider, as its discovery document has it in issuer.`,
    )
  return issuer
}

function readScopes(settings: Settings, id: string): readonly string[] {
  const given = settings.of('Identity__Providers__{id}__Scopes', id)
  const scopes = given.length > 0 ? given : ['openid', 'profile', 'email']
  for (const scope of scopes.filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(scope)))
    settings.reject(`Identity__Providers__${id}__Scopes has ${scope}, which is no scope.`)
  // Without this scope the provider does not return the user's identity.
  return [...new Set(['openid', ...scopes])]
}

function readProject(settings: Settings, id: string, createAccounts: boolean): string | undefined {
  const name = `Identity__Providers__${id}__DefaultProject`
  const project = settings.of('Identity__Providers__{id}__DefaultProject', id)
  if (project !== undefined && !uuidPattern.test(project))
    settings.reject(`${name} must be the id of a project.`)
  if (project !== undefined && !createAccounts)
    settings.reject(`${name} is for accounts that are made: set CreateAccounts, too.`)
  return project?.toLowerCase()
}
