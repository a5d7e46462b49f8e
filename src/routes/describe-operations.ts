import { type BodyPurpose, type Field, isInBody } from '../model/field.ts'
import { idsMax } from '../records/list-query.ts'
import type { ListedResource, Resource } from '../resources/define-resource.ts'
import { hasCascadeParent, isVersioned, referencesFrom, referencesTo } from '../resources/derived.ts'

/** Derives the documentation of the operations of a resource from its declaration. */
export const describe = {
  create: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      resource.access.kind === 'projectMembers' && resource.access.anyoneMayCreate
        ? 'Its creator becomes its first member.'
        : '',
      describeActiveReferences(resource),
      'With an Idempotency-Key the request can be repeated safely.',
    ),
  get: (resource: Resource): string =>
    joinSentences(describeReadAccess(resource), 'A removed record is 404.'),
  list: (resource: Resource): string =>
    joinSentences(
      describeReadAccess(resource),
      'Filters are combined with AND. A key that names a field, or a filter of another list, is rejected regardless of case; other unknown keys are ignored.',
    ),
  update: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      describeFields(
        resource,
        ({ presence }) => presence === 'requiredOnCreate',
        'absent or null does not change',
      ),
      describeFields(resource, ({ isSecret = false }) => isSecret, 'blank does not change either'),
      describeFields(
        resource,
        ({ presence }) => presence === 'optional',
        'absent does not change, and null clears it',
      ),
      describeActiveReferences(resource, 'update'),
      isVersioned(resource)
        ? 'With expectedVersion or If-Match, the update is rejected if the record has changed since.'
        : 'With If-Match, the update is rejected if the record has changed since.',
      'The answer contains the updated record, with its ETag.',
    ),
  remove: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      `At most ${idsMax} ids; a repeated id counts once.`,
      describeBlockingChildren(resource),
      describeCascade(resource, (names) => `Their ${names} are removed with them.`),
      'Removed records can be restored.',
    ),
  restore: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      `At most ${idsMax} ids, without repetition.`,
      describeActiveReferences(resource),
      describeCascade(resource, (names) => `Their ${names} that were removed with them are restored too.`),
      hasCascadeParent(resource) ? 'A record that was removed with its parent is restored with it.' : '',
      'updatedAt does not change.',
    ),
}

/** Describes which rows callers can see. */
export function describeReadAccess({
  access,
  pluralNoun,
}: Pick<ListedResource, 'access' | 'pluralNoun'>): string {
  switch (access.kind) {
    case 'catalog':
      return `Every account reads ${pluralNoun}.`
    case 'administrators':
      return `Only administrators read ${pluralNoun}.`
    case 'colleagues':
      return 'Callers see themselves and the members of their projects; administrators see all accounts.'
    case 'owner':
      return `Callers see their own ${pluralNoun}; administrators see all.`
    case 'projectMembers':
      return `Members of a project see its ${pluralNoun}; administrators see all.`
  }
}

function describeWriteAccess({ access, pluralNoun }: Resource): string {
  if (access.kind === 'owner') return `Callers change their own ${pluralNoun}; administrators change all.`
  if (access.kind !== 'projectMembers') return `Only administrators change ${pluralNoun}.`
  const owner = access.ownerColumn
    ? `, but only those with their own ${access.ownerColumn} unless they are administrators`
    : ''
  return `Members of a project change its ${pluralNoun}${owner}.`
}

/** With a purpose, names only the references that its body may set. A create or a restore requires all. */
function describeActiveReferences(resource: Resource, purpose?: BodyPurpose): string {
  const columns = referencesFrom(resource).flatMap(({ column }) => {
    const field = resource.fields[column]
    return purpose === undefined || (field && isInBody(field, purpose)) ? [column] : []
  })
  return columns.length === 0 ? '' : `The records referenced by ${listOf(columns, 'and')} must be active.`
}

const describeFields = (
  { fields }: Resource,
  matches: (field: Field) => boolean,
  consequence: string,
): string => {
  const names = Object.entries(fields).flatMap(([name, field]) => (matches(field) ? [name] : []))
  return names.length === 0 ? '' : `${listOf(names, 'or')} that is ${consequence}.`
}

function describeBlockingChildren(resource: Resource): string {
  const children = referencesTo(resource).filter(({ onRemove }) => onRemove === 'restrict')
  if (children.length === 0) return ''
  const names = [...new Set(children.map(({ child }) => child.pluralNoun))]
  return `Rejected while a record has active ${listOf(names, 'or')}.`
}

function describeCascade(resource: Resource, sentence: (names: string) => string): string {
  const children = referencesTo(resource).filter(({ onRemove }) => onRemove === 'cascade')
  const names = [...new Set(children.map(({ child }) => child.pluralNoun))]
  return names.length === 0 ? '' : sentence(listOf(names, 'and'))
}

const listOf = (names: readonly string[], conjunction: 'and' | 'or'): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`

const joinSentences = (...sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').join(' ')
