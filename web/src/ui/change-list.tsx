import type { Change } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { capitalize, nounOf } from '../texts/declared-names.ts'
import { shorten, type Text, t, tx } from '../texts/text.ts'
import { dayOf, formatDay } from '../time/days.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { PersonAvatar } from './avatar.tsx'
import { Skeleton } from './skeleton.tsx'

/** Lists changes: who changed which record and when, with the values before and after. */
export const ChangeList = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? null : <NamedChanges changes={changes} />

function NamedChanges({ changes }: { readonly changes: readonly Change[] }) {
  const nameOf = useChangeNames(changes)
  // Waits for the names, because they change the height of lines, and everything below would move.
  if (nameOf === undefined) return <Skeleton as="rows" rows={6} cells="face lines" />
  return (
    <ol class="rows">
      {changes.map((change) => (
        <ChangeRow key={change.id} change={change} nameOf={nameOf} />
      ))}
    </ol>
  )
}

function ChangeRow({ change, nameOf }: { readonly change: Change; readonly nameOf: NameOf }) {
  const { people } = useServices()
  const author = change.callerId === null ? t('The program') : people.nameOf(change.callerId)
  return (
    <li class="row">
      {change.callerId !== null && <PersonAvatar id={change.callerId} isDecorative />}
      <span class="row-text">
        <span dir="auto">{author}</span>{' '}
        {tx(actionTexts[change.action], { what: <Subject {...{ change, nameOf }} /> })}
        {fieldsOf(change, nameOf).map(({ name, before, after }) => (
          <span key={name} class="quiet-text line">
            {name}: {before !== '' && <del dir="auto">{before}</del>} <bdi>{after}</bdi>
          </span>
        ))}
        <time class="quiet-text line" dateTime={change.at}>
          {formatTimestamp(change.at)}
        </time>
      </span>
    </li>
  )
}

/** The kind and name of the record, linked if possible. */
function Subject({ change, nameOf }: { readonly change: Change; readonly nameOf: NameOf }) {
  const { resource, rowId, projectId, action } = change
  const name = subjectOf(change, nameOf)
  const noun = nounOf(resource)
  if (name === undefined) return <>{noun}</>
  const text = t('{what} “{name}”', { what: noun, name })
  if (resource !== 'assignment' || projectId === null || action === 'remove') return <bdi>{text}</bdi>
  return (
    <a href={assignmentPath(projectId, rowId)} dir="auto">
      {text}
    </a>
  )
}

const actionTexts: Readonly<Record<Change['action'], Text>> = {
  create: 'added {what}',
  update: 'changed {what}',
  remove: 'removed {what}',
  restore: 'restored {what}',
}

/** A record without a name is shown by the first of these related records that it has. */
const namingProperties = ['userId', 'impedimentId', 'assignmentId'] as const

function subjectOf({ resource, rowId, before, after }: Change, nameOf: NameOf): string | undefined {
  const ownName = nameOf(`${resource}Id`, rowId) ?? after?.name ?? before?.name
  if (typeof ownName === 'string') return ownName
  const properties =
    resource === 'appointment' || resource === 'comment' ? ['assignmentId'] : namingProperties
  const name = properties.find((property) => typeof (after ?? before)?.[property] === 'string')
  return name === undefined ? undefined : nameOf(name, String((after ?? before)?.[name]))
}

/** These fields repeat the action or the subject, or are only for programs. */
const hiddenFields: ReadonlySet<string> = new Set(['active', 'deletedAt', 'createdAt', 'updatedAt', 'id'])
/** The fields that are shown for a new record, in addition to its name. */
const fieldsOfNewRecords: ReadonlySet<string> = new Set([
  'comment.text',
  'appointment.amountHours',
  'appointment.keepDate',
])

function fieldsOf({ resource, action, before, after }: Change, nameOf: NameOf) {
  return Object.keys(after ?? {})
    .filter(
      (name) =>
        !hiddenFields.has(name) && (action !== 'create' || fieldsOfNewRecords.has(`${resource}.${name}`)),
    )
    .map((name) => ({
      name: capitalize(nounOf(name, resource)),
      before: formatFieldValue(name, before?.[name], nameOf),
      after: formatFieldValue(name, after?.[name], nameOf),
    }))
}

const charactersMax = 120

function formatFieldValue(name: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return ''
  if (name.endsWith('Id')) return nameOf(name, String(value)) ?? t('another one')
  if (name.endsWith('Date')) return formatDay(dayOf(String(value)))
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTimestamp(value)
  return shorten(String(value), charactersMax)
}

/** Returns the name for the id in a property such as `workflowId`; undefined if the caller can no longer see it. */
type NameOf = (property: string, id: string) => string | undefined

/** Resources with names, in addition to people. */
const namedResources = [
  'workflow',
  'assignmentType',
  'impediment',
  'organization',
  'project',
  'assignment',
] as const

/** Returns a function that names changed and related records; undefined until the names are loaded. */
function useChangeNames(changes: readonly Change[]): NameOf | undefined {
  const { api, people } = useServices()
  const ids = new Map(namedResources.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const namesKey = `names-${[...ids.values()].map((some) => some.join()).join(';')}`
  const { value, problem } = useLoaded(namesKey, [], async (signal) => {
    const records = await Promise.all(
      namedResources.map(async (resource) => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()].map(({ id, name }) => [id, name] as const)
      }),
    )
    await people.waitForNames(userIdsIn(changes))
    return new Map(records.flat())
  })
  const namesInChanges = new Map(
    changes.flatMap(({ rowId, before, after }) => nameIn(rowId, after) ?? nameIn(rowId, before) ?? []),
  )
  if (value === undefined && !problem) return undefined
  return (property, id) =>
    property === 'userId' ? people.findName(id) || undefined : (value?.get(id) ?? namesInChanges.get(id))
}

/** Needed for removed records, whose names are only in their history. */
const nameIn = (id: string, values: Change['before']): [readonly [string, string]] | undefined =>
  typeof values?.name === 'string' ? [[id, values.name]] : undefined

const userIdsIn = (changes: readonly Change[]): string[] =>
  changes
    .flatMap(({ before, after }) => [before?.userId, after?.userId])
    .filter((id) => typeof id === 'string')

const idsIn = (changes: readonly Change[], resource: ResourceName): string[] => [
  ...new Set(
    changes.flatMap((change) =>
      [
        change.resource === resource ? change.rowId : undefined,
        change.before?.[`${resource}Id`],
        change.after?.[`${resource}Id`],
      ].filter((id) => typeof id === 'string'),
    ),
  ),
]
