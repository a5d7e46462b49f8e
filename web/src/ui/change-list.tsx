import type { Change } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { nounOf } from '../texts/declared-names.ts'
import { type Text, t, tx } from '../texts/text.ts'
import { dayOf, formatDay } from '../time/days.ts'
import { formatTimestamp } from '../time/kept-format.ts'
import { PersonAvatar } from './avatar.tsx'
import { Skeleton } from './skeleton.tsx'

/** The author, record and time of each change, with the previous values. */
export const ChangeList = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? null : <NamedChanges changes={changes} />

function NamedChanges({ changes }: { readonly changes: readonly Change[] }) {
  const nameOf = useChangeNames(changes)
  // Names change the height of lines, so everything below would move.
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
  const who = change.callerId === null ? t('The program') : people.nameOf(change.callerId)
  return (
    <li class="row">
      {change.callerId !== null && <PersonAvatar id={change.callerId} isDecorative />}
      <span class="row-text">
        <span dir="auto">{who}</span> {tx(did[change.action], { what: <What {...{ change, nameOf }} /> })}
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
function What({ change, nameOf }: { readonly change: Change; readonly nameOf: NameOf }) {
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

const did: Readonly<Record<Change['action'], Text>> = {
  create: 'added {what}',
  update: 'changed {what}',
  remove: 'removed {what}',
  restore: 'restored {what}',
}

/** The related record that names one without a name. */
const namedBy = ['userId', 'impedimentId', 'assignmentId'] as const

function subjectOf({ resource, rowId, before, after }: Change, nameOf: NameOf): string | undefined {
  const known = nameOf(`${resource}Id`, rowId) ?? after?.name ?? before?.name
  if (typeof known === 'string') return known
  const by = resource === 'appointment' || resource === 'comment' ? ['assignmentId'] : namedBy
  const name = by.find((one) => typeof (after ?? before)?.[one] === 'string')
  return name === undefined ? undefined : nameOf(name, String((after ?? before)?.[name]))
}

/** Fields that repeat the action and the subject, or that only programs read. */
const silent: ReadonlySet<string> = new Set(['active', 'deletedAt', 'createdAt', 'updatedAt', 'id'])
/** Fields shown for a new record, in addition to its name. */
const announcedFields: ReadonlySet<string> = new Set([
  'comment.text',
  'appointment.amountHours',
  'appointment.keepDate',
])

function fieldsOf({ resource, action, before, after }: Change, nameOf: NameOf) {
  return Object.keys(after ?? {})
    .filter(
      (name) => !silent.has(name) && (action !== 'create' || announcedFields.has(`${resource}.${name}`)),
    )
    .map((name) => ({
      name: capitalized(nounOf(name, resource)),
      before: shown(name, before?.[name], nameOf),
      after: shown(name, after?.[name], nameOf),
    }))
}

const charactersMax = 120

function shown(name: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return ''
  if (name.endsWith('Id')) return nameOf(name, String(value)) ?? t('another one')
  if (name.endsWith('Date')) return formatDay(dayOf(String(value)))
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTimestamp(value)
  const text = String(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The name for the id in a property such as `workflowId`; undefined where it is not visible any more. */
type NameOf = (property: string, id: string) => string | undefined

/** Resources with names, in addition to people. */
const named = ['workflow', 'assignmentType', 'impediment', 'organization', 'project', 'assignment'] as const

/** The names of changed and related records; undefined until they are loaded. */
function useChangeNames(changes: readonly Change[]): NameOf | undefined {
  const { api, people } = useServices()
  const ids = new Map(named.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const key = `names-${[...ids.values()].map((some) => some.join()).join(';')}`
  const { value, problem } = useLoaded(key, [], async (signal) => {
    const found = await Promise.all(
      named.map(async (resource) => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()].map(({ id, name }) => [id, name] as const)
      }),
    )
    await people.known(userIdsIn(changes))
    return new Map(found.flat())
  })
  const reported = new Map(
    changes.flatMap(({ rowId, before, after }) => nameIn(rowId, after) ?? nameIn(rowId, before) ?? []),
  )
  if (value === undefined && !problem) return undefined
  return (property, id) =>
    property === 'userId' ? people.findName(id) || undefined : (value?.get(id) ?? reported.get(id))
}

/** The name of a removed record is only in its history. */
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
