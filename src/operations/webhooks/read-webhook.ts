import { isLongerThan, isMissing, isStorable } from '../../model/field-kinds.ts'
import { readObject } from '../../model/read-object.ts'
import { nameCharactersMax } from '../../model/text-limits.ts'
import { collectViolations, type Violations } from '../../model/violations.ts'
import { resources } from '../../resources/all.ts'
import { feedActions } from '../feed/read-feed-query.ts'
import { readNames, readUuid } from '../query-values.ts'

/** What is wrong with the address of a receiver, as the rest of a sentence. */
export type AddressProblem = (url: URL) => string | undefined

export const urlCharactersMax = 2000

export interface WebhookInput {
  readonly url?: string | undefined
  readonly name?: string | null | undefined
  /** Null is all. */
  readonly resources?: readonly string[] | null | undefined
  readonly actions?: readonly string[] | null | undefined
  readonly projectId?: string | undefined
  readonly active?: boolean | undefined
  readonly id?: string | undefined
}

/** Of a change what is left out stays as it is. */
export function readWebhook(
  body: unknown,
  purpose: 'create' | 'update',
  problemOf: AddressProblem,
): WebhookInput {
  const given = readObject(body)
  const violations = collectViolations()
  const input: WebhookInput = {
    id: purpose === 'update' ? readId(given.id, violations) : undefined,
    url: readUrl(given.url, purpose, problemOf, violations),
    name: readName(given.name, violations),
    resources: readList(
      'resources',
      given.resources,
      resources.map(({ name }) => name),
      violations,
    ),
    actions: readList('actions', given.actions, feedActions, violations),
    projectId:
      purpose === 'create' && !isMissing(given.projectId)
        ? readUuid('projectId', given.projectId, violations)
        : undefined,
    active: readActive(given.active, violations),
  }
  violations.refuseIfAny()
  return input
}

export function readId(input: unknown, violations: Violations): string | undefined {
  if (isMissing(input)) violations.add('id', 'Id is required.')
  return isMissing(input) ? undefined : readUuid('id', input, violations)
}

function readUrl(
  input: unknown,
  purpose: 'create' | 'update',
  problemOf: AddressProblem,
  violations: Violations,
) {
  if (isMissing(input)) {
    if (purpose === 'create') violations.add('url', 'Url is required.')
    return undefined
  }
  if (typeof input !== 'string' || !URL.canParse(input) || !/^https?:/i.test(input)) {
    violations.add('url', 'Url must be an https address.')
    return undefined
  }
  const url = new URL(input)
  const problem = problemOf(url)
  if (problem !== undefined) violations.add('url', `Url ${problem}`)
  if (url.username || url.password) violations.add('url', 'Url must not have a name or a password.')
  if (url.href.length > urlCharactersMax)
    violations.add('url', `Url must be at most ${urlCharactersMax} characters.`)
  url.hash = ''
  return url.href
}

function readName(input: unknown, violations: Violations): string | null | undefined {
  if (input === undefined || input === null) return input
  if (typeof input !== 'string' || !isStorable(input)) violations.add('name', 'Name must be text.')
  else if (isLongerThan(input.trim(), nameCharactersMax))
    violations.add('name', `Name must be at most ${nameCharactersMax} characters.`)
  else return input.trim()
  return undefined
}

function readList(key: string, input: unknown, known: readonly string[], violations: Violations) {
  if (input === undefined || input === null) return input
  if (!Array.isArray(input) || input.length === 0) {
    violations.add(
      key,
      `${key === 'resources' ? 'Resources' : 'Actions'} must be a list with at least one, or null for all.`,
    )
    return undefined
  }
  return readNames(key, input.join(','), known, violations)
}

function readActive(input: unknown, violations: Violations): boolean | undefined {
  if (input === undefined || input === null) return undefined
  if (typeof input === 'boolean') return input
  violations.add('active', 'Active must be true or false.')
  return undefined
}
