import { text } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import { readObject } from '../model/read-object.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  clientScopesByDefault,
  mayReturnTo,
} from '../model/registered-client.ts'
import { collectViolations } from '../model/violations.ts'

/** What an administrator says of a client that signs people in. */
export interface ClientWish {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly isFirstParty: boolean
  readonly requiresPkce: boolean
}

export const clientAddressesMax = 20
export const clientAddressCharactersMax = 1000

type Violations = ReturnType<typeof collectViolations>
type Given = Readonly<Record<string, unknown>>

/** All violations at once; what is left out has its default. */
export function readClient(body: unknown, hasSecret: boolean): ClientWish {
  const given = readObject(body)
  const violations = collectViolations()
  const wish: ClientWish = {
    name: readName(given, violations),
    redirectUris: readAddresses(given, 'redirectUris', violations),
    postLogoutRedirectUris: readAddresses(given, 'postLogoutRedirectUris', violations),
    scopes: readScopes(given, violations),
    isFirstParty: readFlag(given, 'isFirstParty', false, violations),
    requiresPkce: readFlag(given, 'requiresPkce', true, violations),
  }
  if (wish.redirectUris.length === 0 && Array.isArray(given.redirectUris ?? []))
    violations.add('redirectUris', 'RedirectUris must have at least one address.')
  if (!wish.requiresPkce && !hasSecret)
    violations.add('requiresPkce', 'RequiresPkce must be true for a client without a secret.')
  violations.refuseIfAny()
  return wish
}

function readName({ name }: Given, violations: Violations): string {
  const reading = text({ max: clientNameCharactersMax }).read(name, 'Name')
  if ('value' in reading && reading.value !== '') return reading.value
  violations.add('name', ...('problems' in reading ? reading.problems : ['Name is required.']))
  return ''
}

/** Kept letter for letter, because they are compared so. */
function readAddresses(given: Given, name: string, violations: Violations): readonly string[] {
  const input = given[name] ?? []
  const isFit =
    Array.isArray(input) &&
    input.length <= clientAddressesMax &&
    input.every(
      (one) => typeof one === 'string' && one.length <= clientAddressCharactersMax && isStorableAddress(one),
    )
  if (isFit) return [...new Set(input)]
  violations.add(
    name,
    `${name[0]?.toUpperCase()}${name.slice(1)} must have at most ${clientAddressesMax} addresses with http or https, or of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
  )
  return []
}

const isStorableAddress = (address: string): boolean => mayReturnTo(address) && address.isWellFormed()

function readScopes({ scopes = clientScopesByDefault }: Given, violations: Violations): readonly string[] {
  const isFit =
    Array.isArray(scopes) && scopes.length > 0 && scopes.every((scope) => clientScopes.includes(scope))
  if (isFit) return clientScopes.filter((scope) => scopes.includes(scope))
  violations.add('scopes', `Scopes can have ${clientScopes.join(', ')}.`)
  return []
}

function readFlag(given: Given, name: string, byDefault: boolean, violations: Violations): boolean {
  const flag = given[name] ?? byDefault
  if (typeof flag === 'boolean') return flag
  violations.add(name, `${name[0]?.toUpperCase()}${name.slice(1)} must be true or false.`)
  return byDefault
}

export function readHasSecret(body: unknown): boolean {
  const { hasSecret = true } = readObject(body)
  if (typeof hasSecret !== 'boolean') throw invalid({ hasSecret: ['HasSecret must be true or false.'] })
  return hasSecret
}
