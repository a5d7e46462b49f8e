import { type BodyPurpose, type Field, isInBody } from '../model/field.ts'
import { idsMax } from '../records/list-query.ts'
import type { ListedResource, Resource } from '../resources/define-resource.ts'
import { isRemovedWithParent, isVersioned, referencesFrom, referencesTo } from '../resources/derived.ts'

/** Explains the operations of a resource to callers, read from its declaration. */
export const describe = {
  create: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      resource.access.kind === 'projectMembers' && resource.access.anyoneMayCreate
        ? 'Its creator becomes its first member.'
        : '',
      describeActiveReferences(resource),
      'Under an Idempotency-Key the request may be sent again.',
    ),
  get: (resource: Resource): string =>
    joinSentences(describeReadAccess(resource), 'A removed one is not found.'),
  list: (resource: Resource): string =>
    joinSentences(
      describeReadAccess(resource),
      'Filters hold all together. A key that names a field or a filter of another list is rejected, in any capitals; other keys are ignored.',
    ),
  update: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      describeFields(
        resource,
        ({ presence }) => presence === 'requiredOnCreate',
        'left out or null stays as it is',
      ),
      describeFields(resource, ({ isSecret = false }) => isSecret, 'blank stays as it is, too'),
      describeFields(
        resource,
        ({ presence }) => presence === 'optional',
        'left out stays as it is, and null clears it',
      ),
      describeActiveReferences(resource, 'update'),
      isVersioned(resource)
        ? 'With expectedVersion, or with If-Match, it is refused when somebody else was faster.'
        : 'With If-Match it is refused when somebody else was faster.',
      'The answer has the row as this update left it, with its ETag.',
    ),
  remove: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      `Up to ${idsMax} at once; an id that is given twice counts once.`,
      describeBlockingChildren(resource),
      describeRemovedAlong(resource, (names) => `Their ${names} go along.`),
      'They can be restored.',
    ),
  restore: (resource: Resource): string =>
    joinSentences(
      describeWriteAccess(resource),
      `Up to ${idsMax} at once, each id given once.`,
      describeActiveReferences(resource),
      describeRemovedAlong(resource, (names) => `Their ${names} that were removed with them come back.`),
      isRemovedWithParent(resource)
        ? 'One that was removed with a parent comes back with it, and not before.'
        : '',
      'updatedAt does not move.',
    ),
}

/** Says which rows a list shows to whom. */
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
      return 'Callers see themselves and everybody they share a project with; administrators see everybody.'
    case 'owner':
      return `Everybody sees their own ${pluralNoun}; administrators see all.`
    case 'projectMembers':
      return `Members of a project see its ${pluralNoun}; administrators see all.`
  }
}

function describeWriteAccess({ access, pluralNoun }: Resource): string {
  if (access.kind === 'owner') return `Everybody changes their own ${pluralNoun}; administrators change all.`
  if (access.kind !== 'projectMembers') return `Only administrators change ${pluralNoun}.`
  const owner = access.ownerColumn
    ? `; others than administrators only those whose ${access.ownerColumn} is their own`
    : ''
  return `Members of a project change its ${pluralNoun}${owner}.`
}

/** Names the references that a body may name, or all that a restored row has. */
function describeActiveReferences(resource: Resource, purpose?: BodyPurpose): string {
  const columns = referencesFrom(resource).flatMap(({ column }) => {
    const field = resource.fields[column]
    return purpose === undefined || (field && isInBody(field, purpose)) ? [column] : []
  })
  return columns.length === 0 ? '' : `What ${listOf(columns, 'and')} refer to must be active.`
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
  const children = referencesTo(resource).filter(({ whenRemoved }) => whenRemoved === 'blockRemoval')
  if (children.length === 0) return ''
  const names = [...new Set(children.map(({ child }) => child.pluralNoun))]
  return `Refused while one has active ${listOf(names, 'or')}.`
}

function describeRemovedAlong(resource: Resource, sentence: (names: string) => string): string {
  const children = referencesTo(resource).filter(({ whenRemoved }) => whenRemoved === 'removeAlong')
  const names = [...new Set(children.map(({ child }) => child.pluralNoun))]
  return names.length === 0 ? '' : sentence(listOf(names, 'and'))
}

const listOf = (names: readonly string[], word: 'and' | 'or'): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`

const joinSentences = (...all: readonly string[]): string => all.filter((one) => one !== '').join(' ')
