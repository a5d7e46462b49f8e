import { Fragment } from 'preact'
import type { Change } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { placeholders } from '../data/planned.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { capitalize, nounOf } from '../texts/declared-names.ts'
import { type MessageKey, shorten, t, tx } from '../texts/text.ts'
import { dayOf, formatDay } from '../time/days.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { formatHours } from '../time/hours.ts'
import { Ago } from '../ui/ago.tsx'
import { PersonAvatar } from '../ui/avatar.tsx'
import { mentionedIn, showMentions } from '../ui/mention-text.ts'
import { plainText } from '../ui/plain-text.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { assignmentKey } from './assignment-key.ts'
import { type Act, combineUpdates, groupChanges } from './group-changes.ts'
import { type LabelColor, labelColors } from './labels.tsx'
import { priorityName } from './priority.ts'

interface ChangeListProps {
  readonly changes: readonly Change[]
  /** The assignment that the list is about, which is not named again. */
  readonly assignmentId?: string
}

/** Lists changes: who changed which record and when, with the values before and after. */
export const ChangeList = (props: ChangeListProps) =>
  props.changes.length === 0 ? null : <NamedChanges {...props} />

function NamedChanges({ changes, assignmentId }: ChangeListProps) {
  const nameOf = useChangeNames(changes)
  const created = new Map(
    changes.flatMap(({ rowId, action, after }) => (action === 'create' ? [[rowId, after]] : [])),
  )
  // Waits for the names, because they change the height of lines, and everything below would move.
  if (nameOf === undefined) return <Skeleton as="rows" rows={6} cells="face lines" />
  return (
    <ol class="rows">
      {groupChanges(changes).map((act) => (
        <ActRow key={act[0].id} act={act} context={{ nameOf, created, assignmentId }} />
      ))}
    </ol>
  )
}

/** The facts that all rows of a list share. */
interface ListContext {
  readonly nameOf: NameOf
  /** The values of records whose creation is in the list: a removal does not repeat them. */
  readonly created: ReadonlyMap<string, Change['after']>
  readonly assignmentId: string | undefined
}

interface ActRowProps {
  readonly act: Act
  readonly context: ListContext
}

function ActRow({ act, context }: ActRowProps) {
  const { nameOf } = context
  const { people } = useServices()
  const [newest] = act
  const author = newest.callerId === null ? t('The program') : people.nameOf(newest.callerId)
  // Links that were added one after the other are named in this order.
  const subjects = newest.action === 'update' ? [newest] : act.toReversed()
  const combined = newest.action === 'update' ? [combineUpdates(act)] : act
  const fields = combined.flatMap((change) => fieldsOf(change, nameOf))
  const isMove = newest.action === 'update' && fields.length === 0
  if (isMove && !Object.hasOwn(combined[0]?.after ?? {}, 'rank')) return null
  const target = targetOf(subjects, context)
  const what = <Subjects changes={subjects} context={context} isLinked={target === undefined} />
  return (
    <li class="row">
      {newest.callerId !== null && <PersonAvatar id={newest.callerId} isDecorative />}
      <span class="row-text">
        <span dir="auto">{author}</span>{' '}
        {target
          ? tx(actionTextsWithTarget[newest.action], { what, target: <Target {...target} /> })
          : tx(isMove ? 'moved {what} in the order' : actionTexts[newest.action], { what })}
        {fields.map(({ name, before, after }) => (
          <span key={name} class="quiet-text line">
            {name}: {before !== '' && <del dir="auto">{before}</del>} <bdi>{after}</bdi>
          </span>
        ))}
        <Ago class="quiet-text line" timestamp={newest.at} />
      </span>
    </li>
  )
}

interface SubjectsProps {
  readonly changes: readonly Change[]
  readonly context: ListContext
  /** False if their assignment is named, and linked, after them. */
  readonly isLinked: boolean
}

/** The kind of the records, and their names, linked if possible. */
function Subjects({ changes, context, isLinked }: SubjectsProps) {
  const noun = nounOf(changes[0]?.resource ?? '')
  const named = changes.flatMap((change) => {
    const name = subjectOf(change, context)
    return name === undefined ? [] : [{ change, name }]
  })
  if (named.length === 0) return <>{noun}</>
  return (
    <>
      {named.map(({ change, name }, index) => (
        <Fragment key={change.id}>
          {index > 0 && ', '}
          <Subject
            change={change}
            assignmentId={context.assignmentId}
            isLinked={isLinked}
            text={index === 0 ? t('{what} “{name}”', { what: noun, name }) : `“${name}”`}
          />
        </Fragment>
      ))}
    </>
  )
}

interface SubjectProps {
  readonly change: Change
  readonly text: string
  readonly assignmentId: string | undefined
  readonly isLinked: boolean
}

/** The text of a subject, which links to its assignment unless the list is about that one, or it was removed. */
function Subject({ change, text, assignmentId, isLinked }: SubjectProps) {
  const { resource, rowId, projectId, action, after } = change
  const linkedId =
    resource === 'assignment' ? rowId : (after?.blockedById ?? (isLinked ? after?.assignmentId : undefined))
  if (typeof linkedId !== 'string' || linkedId === assignmentId || projectId === null || action === 'remove')
    return <bdi>{text}</bdi>
  return (
    <a href={assignmentPath(projectId, linkedId)} dir="auto">
      {text}
    </a>
  )
}

const actionTexts: Readonly<Record<Change['action'], MessageKey>> = {
  create: 'added {what}',
  update: 'changed {what}',
  remove: 'removed {what}',
  restore: 'restored {what}',
}

const actionTextsWithTarget: Readonly<Record<Change['action'], MessageKey>> = {
  create: 'added {what} to {target}',
  update: 'changed {what} of {target}',
  remove: 'removed {what} from {target}',
  restore: 'restored {what} in {target}',
}

interface TargetProps {
  /** Undefined without the extensions. */
  readonly assignmentKey: string | undefined
  readonly name: string
  readonly href: string | undefined
}

/** The assignment that a label, a person, a file or an impediment belongs to. */
function Target({ assignmentKey, name, href }: TargetProps) {
  const text = (
    <>
      {assignmentKey} <bdi>{name}</bdi>
    </>
  )
  return href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>
}

/** Returns undefined if the list is about that assignment, its name is unknown, or the subjects are named by it. */
function targetOf(subjects: readonly Change[], { nameOf, created, assignmentId }: ListContext) {
  const ids = new Set(
    subjects.map(({ resource, rowId, before, after }) =>
      isNamedByAssignment(resource) ? undefined : { ...created.get(rowId), ...before, ...after }.assignmentId,
    ),
  )
  const [id] = ids
  if (ids.size !== 1 || typeof id !== 'string' || id === assignmentId) return undefined
  const name = nameOf('assignmentId', id)
  const projectId = subjects[0]?.projectId
  if (name === undefined) return undefined
  return {
    assignmentKey: nameOf(keyProperty, id),
    name,
    href: projectId ? assignmentPath(projectId, id) : undefined,
  }
}

const isNamedByAssignment = (resource: string) => resource === 'appointment' || resource === 'comment'

/** A record without a name is shown by the first of these related records that it has. */
const namingProperties = ['userId', 'impedimentId', 'labelId', 'blockedById', 'assignmentId'] as const

function subjectOf(
  { resource, rowId, before, after }: Change,
  { nameOf, created, assignmentId }: ListContext,
): string | undefined {
  if (rowId === assignmentId) return undefined
  const ownName = nameOf(`${resource}Id`, rowId) ?? after?.name ?? before?.name
  if (typeof ownName === 'string') return ownName
  const values: Change['after'] = { ...created.get(rowId), ...before, ...after }
  const properties = isNamedByAssignment(resource) ? (['assignmentId'] as const) : namingProperties
  const name = properties.find((property) => typeof values?.[property] === 'string')
  if (name === undefined || values?.[name] === assignmentId) return undefined
  return nameOf(name, String(values?.[name]))
}

/** These fields repeat the action or the subject, or are only for programs. */
const hiddenFields: ReadonlySet<string> = new Set([
  'active',
  'deletedAt',
  'createdAt',
  'updatedAt',
  'id',
  'number',
  'rank',
])
/** The fields that are shown for a new record, in addition to its name. */
const fieldsOfNewRecords: ReadonlySet<string> = new Set([
  'comment.text',
  'appointment.amountHours',
  'appointment.keepDate',
])

function fieldsOf(change: Change, nameOf: NameOf) {
  const { resource, action } = change
  const { before, after } = withoutPlaceholders(change)
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
    .filter(({ before, after }) => before !== '' || after !== '')
}

/** Leaves out values that were placeholders, and a flag where the values that replace them say the same. */
function withoutPlaceholders({ before, after }: Change): Pick<Change, 'before' | 'after'> {
  const shown = { before: { ...before }, after: { ...after } }
  for (const [flag, names] of Object.entries(placeholders)) {
    if (before?.[flag] !== true) continue
    for (const name of names) delete shown.before[name]
    if (names.some((name) => name in shown.after)) delete shown.after[flag]
  }
  return shown
}

const charactersMax = 120

const markdownFields: ReadonlySet<string> = new Set(['description', 'text'])

const formatBoolean = (value: unknown) => (value ? t('yes') : t('no'))

/** Formats values whose stored form is not what screens show. */
const formats: Readonly<Record<string, (value: unknown) => string>> = {
  priority: (value) => priorityName(Number(value)),
  color: (value) => t(labelColors[value as LabelColor]),
  amountHours: (value) => formatHours(Number(value)),
  isArchived: formatBoolean,
  isUnscheduled: (value) => (value ? t('no dates') : t('scheduled')),
  isUnassigned: (value) => (value ? t('nobody') : t('assigned')),
  isDone: formatBoolean,
}

function formatFieldValue(name: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return ''
  const format = formats[name]
  if (format) return format(value)
  if (name.endsWith('Id')) return nameOf(name, String(value)) ?? t('another one')
  if (name.endsWith('Date')) return formatDay(dayOf(String(value)))
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTimestamp(value)
  const text = markdownFields.has(name) ? plainText(String(value)) : String(value)
  const mentioned = mentionedIn(text, (id) => nameOf('userId', id))
  return shorten(showMentions(text, mentioned), charactersMax)
}

/**
 * Returns the name for the id in a property such as `workflowId`, or its key; undefined if the caller can no
 * longer see it.
 */
type NameOf = (property: string, id: string) => string | undefined

/** Returns the key of an assignment instead of a name. */
const keyProperty = 'assignmentKey'

/** Resources with names, in addition to people. */
const namedResources = [
  'workflow',
  'assignmentType',
  'impediment',
  'organization',
  'project',
  'assignment',
  'label',
] as const

/** A record with the parts of the key of an assignment: its own number, and the key of its project. */
interface NamedRecord {
  readonly name: string
  readonly projectId?: string
  readonly number?: number
  readonly key?: string
}

/** Returns a function that names changed and related records; undefined until the names are loaded. */
function useChangeNames(changes: readonly Change[]): NameOf | undefined {
  const { api, people } = useServices()
  const ids = new Map(namedResources.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const namesKey = `names-${[...ids.values()].map((some) => some.join()).join(';')}`
  const { value, problem } = useLoaded(namesKey, [], async (signal) => {
    const records = await Promise.all(
      namedResources.map(async (resource) => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()]
      }),
    )
    await people.waitForNames(userIdsIn(changes))
    return new Map(records.flat().map((record): [string, NamedRecord] => [record.id, record]))
  })
  const namesInChanges = new Map(
    changes.flatMap(({ rowId, before, after }) => nameIn(rowId, after) ?? nameIn(rowId, before) ?? []),
  )
  if (value === undefined && !problem) return undefined
  return (property, id) => {
    if (property === 'userId') return people.findName(id) || undefined
    const record = value?.get(id)
    if (property !== keyProperty) return record?.name ?? namesInChanges.get(id)
    return record && assignmentKey(value?.get(record.projectId ?? '')?.key, record)
  }
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
        ...(resource === 'assignment'
          ? ['blockedById', 'parentId'].flatMap((name) => [change.before?.[name], change.after?.[name]])
          : []),
        // Its key is a part of the keys of its assignments.
        resource === 'project' && change.after?.assignmentId !== undefined ? change.projectId : undefined,
      ].filter((id) => typeof id === 'string'),
    ),
  ),
]
